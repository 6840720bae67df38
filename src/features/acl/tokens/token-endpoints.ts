import { z } from 'zod'
import { lowerAscii } from '../../../base/letter-case.ts'
import { ok } from '../../../base/result.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { filters, open, refusedUnlessAllowed } from '../../contract/access.ts'
import type { QueryEndpoint, ServerEndpoint } from '../../contract/endpoint.ts'
import { flagReply } from '../../contract/reply.ts'
import type { WithPlace, WithServerAccess } from '../../contract/server-context.ts'
import { oneForAll } from '../../contract/visible-index.ts'
import { batchMax, eitherSystem, type InMode, inNewMode, isPrimary, malformedId, readsAccess } from '../asked.ts'
import { hiddenSecret, type TokenRow } from '../model.ts'
import { inModeReply, malformedReply, tokenReply, tokensReply } from '../replies.ts'
import { allTokens, isNewMode, policyById, tokenByAccessor, tokenBySecret, tokensIndex } from '../views.ts'

/** Links show the present names of policies; for a deleted policy, the name that it had. */
export function withNames(tx: ReadTransaction, token: TokenRow): TokenRow {
  const policies = token.policies.map((link) => ({ id: link.id, name: policyById(tx, link.id)?.name ?? link.name }))
  return policies.every(({ name }, i) => name === token.policies[i]?.name) ? token : { ...token, policies }
}

/** The result of a lookup: `malformed` says why the accessor cannot be one. */
type TokenFound = { readonly token: TokenRow | null } | { readonly malformed: string }

function tokenFound(tx: ReadTransaction, accessor: string): TokenFound {
  const malformed = malformedId('token', accessor)
  if (malformed !== undefined) return { malformed }
  const token = tokenByAccessor(tx, accessor)
  return { token: token === undefined ? null : withNames(tx, token) }
}

function redacted(found: TokenFound): TokenFound {
  if ('malformed' in found || found.token === null) return found
  return { token: { ...found.token, secret: hiddenSecret } }
}

export const accessorArgs = z.object({ accessor: z.string() })
export type AccessorArgs = z.infer<typeof accessorArgs>

/** Only callers with the right to write tokens see the secret. */
export const tokenReadEndpoint: QueryEndpoint<AccessorArgs, InMode<TokenFound>> = {
  method: 'ACL.TokenRead',
  kind: 'query',
  args: accessorArgs,
  reply: inModeReply(z.union([z.object({ token: tokenReply.nullable() }), malformedReply])),
  access: readsAccess(redacted),
  query: (tx, { accessor }) => inNewMode(tx, () => ({ index: tokensIndex(tx), found: tokenFound(tx, accessor) })),
}

const secretArgs = z.object({ secret: z.string() })

export const tokenSelfEndpoint: QueryEndpoint<z.infer<typeof secretArgs>, InMode<TokenRow | null>> = {
  method: 'ACL.TokenSelf',
  kind: 'query',
  args: secretArgs,
  reply: inModeReply(tokenReply.nullable()),
  access: open('a caller with the secret may read its token'),
  query: (tx, { secret }) =>
    inNewMode(tx, () => {
      const token = tokenBySecret(tx, secret)
      return { index: tokensIndex(tx), found: token === undefined ? null : withNames(tx, token) }
    }),
}

const listArgs = z.object({ policy: z.string() })

/**
 * Secrets are omitted; rules appear only as a `<hidden>` marker. `policy`: only tokens that link to the policy with
 * this ID; empty: all.
 */
export const tokenListEndpoint: QueryEndpoint<z.infer<typeof listArgs>, InMode<readonly TokenRow[]>> = {
  method: 'ACL.TokenList',
  kind: 'query',
  args: listArgs,
  reply: inModeReply(tokensReply),
  access: readsAccess<readonly TokenRow[]>(),
  query: (tx, { policy }) =>
    inNewMode(tx, () => {
      const wanted = lowerAscii(policy)
      const bound = (token: TokenRow) => wanted === '' || token.policies.some(({ id }) => id === wanted)
      const found = [...allTokens(tx)].filter(bound).map((token) => stub(withNames(tx, token)))
      return { index: tokensIndex(tx), found }
    }),
}

function stub(token: TokenRow): TokenRow {
  return { ...token, secret: '', rules: token.rules === '' ? '' : hiddenRules }
}

/** Shown in place of the rules of a legacy token. */
const hiddenRules = '<hidden>'

const batchArgs = z.object({ accessors: z.array(z.string()).max(batchMax).readonly() })

/** Whole tokens, for servers that replicate them; missing ones are left out. */
export const tokenBatchEndpoint: QueryEndpoint<z.infer<typeof batchArgs>, InMode<readonly TokenRow[]>> = {
  method: 'ACL.TokenBatchRead',
  kind: 'query',
  args: batchArgs,
  reply: inModeReply(tokensReply),
  access: filters(
    (_authorizer, tokens) => tokens,
    oneForAll('nothing is left out'),
    (authorizer, _args, state) => (isNewMode(state) ? refusedUnlessAllowed(authorizer, 'acl', '', 'write') : undefined),
  ),
  kept: false,
  query: (tx, { accessors }) =>
    inNewMode(tx, () => ({
      index: tokensIndex(tx),
      found: accessors.flatMap((accessor) => tokenByAccessor(tx, accessor) ?? []),
    })),
}

const noArgs = z.strictObject({})

/**
 * Whether the state of this datacenter has the tokens that count here. If not, it replicates none, and the primary
 * datacenter answers about them.
 */
export const tokensKeptEndpoint: ServerEndpoint<z.infer<typeof noArgs>, boolean, WithPlace & WithServerAccess> = {
  method: 'ACL.TokensKept',
  kind: 'server',
  args: noArgs,
  reply: flagReply,
  leader: false,
  access: open('says whether a datacenter keeps tokens, and nothing about any of them'),
  serve: async (server) => {
    const access = eitherSystem(server)
    return access.ok ? ok(isPrimary(server, access.value) || access.value.replicatesTokens) : access
  },
}
