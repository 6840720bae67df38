import { z } from 'zod'
import { lowerAscii } from '../../../base/letter-case.ts'
import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { filters, open, refusedUnlessAllowed } from '../../contract/access.ts'
import type { ServerAccess } from '../../contract/access-control.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../contract/endpoint.ts'
import type { WithPlace, WithProposals, WithState } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import { oneForAll } from '../../contract/visible-index.ts'
import {
  batchMax,
  drawnUuid,
  type InMode,
  inNewMode,
  isPrimary,
  isUuid,
  malformedId,
  newSystem,
  proposed,
  readsAccess,
  refused,
  writesAccess,
} from '../asked.ts'
import { tokenCreate, tokenDelete, tokenUpdate, type Written } from '../commands.ts'
import { policyLinks } from '../fields.ts'
import { anonymousAccessor, hiddenSecret, type TokenRow } from '../model.ts'
import { inModeReply, malformedReply, tokenReply, tokensReply } from '../replies.ts'
import { allTokens, isNewMode, policyById, tokenByAccessor, tokenBySecret, tokensIndex } from '../views.ts'

/** The server as far as these endpoints use it. */
type TokenServer = WithEnv & WithState & WithProposals & WithPlace

function hereOrThere<T>(here: z.ZodType<T>): z.ZodType<HereOrThere<T>> {
  return z.union([z.object({ here }), z.object({ there: z.literal(true) })])
}

/** Links show the present names of policies; for a deleted policy, the name that it had. */
function withNames(tx: ReadTransaction, token: TokenRow): TokenRow {
  const policies = token.policies.map((link) => ({ id: link.id, name: policyById(tx, link.id)?.name ?? link.name }))
  return policies.every(({ name }, i) => name === token.policies[i]?.name) ? token : { ...token, policies }
}

/** The result of a lookup: `malformed` says why the accessor cannot be one. */
export type TokenFound = { readonly token: TokenRow | null } | { readonly malformed: string }

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

const accessorArgs = z.object({ accessor: z.string() })
type AccessorArgs = z.infer<typeof accessorArgs>

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

const tokenArgs = z.object({
  /** Empty for a new token. */
  accessor: z.string(),
  /** The secret in the body of the request: it must be that of the token, or empty. */
  secret: z.string(),
  description: z.string(),
  policies: policyLinks,
  local: z.boolean(),
  /** Whether the body has members that only legacy tokens have. */
  rules: z.boolean(),
  type: z.boolean(),
})
export type TokenArgs = z.infer<typeof tokenArgs>

/** Returns the written token. */
export const tokenSetEndpoint: WriteEndpoint<TokenArgs, TokenRow, TokenServer> = {
  method: 'ACL.TokenSet',
  kind: 'write',
  args: tokenArgs,
  reply: tokenReply,
  access: writesAccess,
  serve: setToken,
}

async function setToken(
  server: TokenServer,
  args: TokenArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<TokenRow, Failure>> {
  const access = newSystem(server)
  if (!access.ok) return access
  const refusal = refusalOf(server, access.value, args)
  if (refusal !== undefined) return refused(refusal)
  const { description, policies, local } = args
  const said = { description, policies, local }
  if (args.accessor === '') return created(server, said, identity)
  const accessor = lowerAscii(args.accessor)
  return rowOf(server, await proposed(server, 'acl.token.upsert', tokenUpdate, { accessor, ...said }, identity))
}

function created(
  server: TokenServer,
  said: Pick<TokenRow, 'description' | 'policies' | 'local'>,
  identity: WriteIdentity | undefined,
): Promise<Result<TokenRow, Failure>> {
  const drawn = {
    accessor: drawnUuid(server, 'accessor'),
    secret: drawnUuid(server, 'secret'),
    createdMs: server.env.clock.wallMs(),
  }
  return proposed(server, 'acl.token.upsert', tokenCreate, { ...drawn, ...said }, identity).then((written) =>
    rowOf(server, written),
  )
}

function rowOf(server: WithState, written: Result<Written, Failure>): Result<TokenRow, Failure> {
  if (!written.ok) return written
  if ('refusal' in written.value) return refused(written.value.refusal)
  const tx = server.read()
  const row = tokenByAccessor(tx, written.value.id)
  return row === undefined ? refused(`token ${written.value.id} was deleted meanwhile`) : ok(withNames(tx, row))
}

/** In the field's order. */
function refusalOf(server: WithState & WithPlace, access: ServerAccess, args: TokenArgs): string | undefined {
  const place = placeRefusal(server, access, args.local)
  if (place !== undefined) return place
  if (args.accessor !== '') {
    if (!isUuid(args.accessor)) return 'AccessorID is not a valid UUID'
    const before = tokenByAccessor(server.read(), args.accessor)
    if (before === undefined) return `Cannot find token ${JSON.stringify(args.accessor)}`
    if (args.secret !== '' && args.secret !== before.secret) return 'Changing a tokens SecretID is not permitted'
    if (args.local !== before.local) return `cannot toggle local mode of ${args.accessor}`
  }
  if (args.rules) return 'Rules cannot be specified for this token'
  return args.type ? 'Type cannot be specified for this token' : undefined
}

/**
 * Global tokens belong to the primary datacenter. Local ones require token replication: without it this datacenter
 * could not resolve the global tokens of its callers.
 */
function placeRefusal(server: WithPlace, access: ServerAccess, local: boolean): string | undefined {
  if (isPrimary(server, access)) return undefined
  if (!local) return 'global tokens are written in the primary datacenter'
  return access.replicatesTokens && access.replicationToken() !== '' ? undefined : 'Local tokens are disabled'
}

/** The result for a token that may belong to another datacenter. */
export type HereOrThere<T> = { readonly here: T } | { readonly there: true }

const there: HereOrThere<never> = { there: true }

/**
 * Whether another datacenter decides about the token: one that a secondary datacenter does not know may exist in the
 * primary.
 */
function isTheirs(server: WithPlace, access: ServerAccess, token: TokenRow | undefined): boolean {
  return !isPrimary(server, access) && token?.local !== true
}

const cloneArgs = z.object({ accessor: z.string(), description: z.string() })

/** Creates a token with the same rights. `null`: the token does not exist. */
export const tokenCloneEndpoint: WriteEndpoint<z.infer<typeof cloneArgs>, HereOrThere<TokenRow | null>, TokenServer> = {
  method: 'ACL.TokenClone',
  kind: 'write',
  args: cloneArgs,
  reply: hereOrThere(tokenReply.nullable()),
  access: writesAccess,
  serve: async (server, { accessor, description }, identity) => {
    const access = newSystem(server)
    if (!access.ok) return access
    const malformed = malformedId('token', accessor)
    if (malformed !== undefined) return refused(malformed)
    const source = tokenByAccessor(server.read(), accessor)
    if (isTheirs(server, access.value, source)) return ok(there)
    if (source === undefined) return ok({ here: null })
    if (source.rules !== '') return refused('Cannot clone a legacy ACL with this endpoint')
    const { policies, local } = source
    const said = { description: description === '' ? source.description : description, policies, local }
    const made = await created(server, said, identity)
    return made.ok ? ok({ here: made.value }) : made
  },
}

export const tokenDeleteEndpoint: WriteEndpoint<AccessorArgs, HereOrThere<boolean>, TokenServer> = {
  method: 'ACL.TokenDelete',
  kind: 'write',
  args: accessorArgs,
  reply: hereOrThere(z.boolean()),
  access: writesAccess,
  serve: async (server, { accessor }, identity) => {
    const access = newSystem(server)
    if (!access.ok) return access
    if (!isUuid(accessor)) return refused('Accessor ID is missing or an invalid UUID')
    if (accessor === anonymousAccessor) return refused('Delete operation not permitted on the anonymous token')
    if (isTheirs(server, access.value, tokenByAccessor(server.read(), accessor))) return ok(there)
    const body = { accessor: lowerAscii(accessor) }
    const deleted = await proposed(server, 'acl.token.delete', tokenDelete, body, identity)
    return deleted.ok ? ok({ here: deleted.value }) : deleted
  },
}
