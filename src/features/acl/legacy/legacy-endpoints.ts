import { z } from 'zod'
import { parseRules } from '../../../access/reading.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { isAtLeast } from '../../../model/release.ts'
import { filters, open, permissionDenied, refusedUnlessAllowed } from '../../contract/access.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../contract/endpoint.ts'
import { flagReply, textReply } from '../../contract/reply.ts'
import type { WithPlace, WithProposals, WithServerAccess } from '../../contract/server-context.ts'
import type { WithEnv, WithRelease } from '../../contract/surroundings.ts'
import { oneForAll } from '../../contract/visible-index.ts'
import {
  areLarge,
  drawnUuid,
  eitherSystem,
  isPrimary,
  largeRulesRead,
  proposed,
  refused,
  writesLegacyAccess,
} from '../asked.ts'
import { anonymousSecret, rootSecrets, type TokenRow } from '../model.ts'
import { tokenReply, tokensReply } from '../replies.ts'
import { allTokens, tokenBySecret, tokensIndex } from '../views.ts'
import { type LegacyWritten, legacyDelete, legacySet, legacySetLater } from './legacy-commands.ts'

/** The part of the server that these endpoints use. */
type LegacyServer = WithEnv & WithRelease & WithProposals & WithPlace & WithServerAccess

/** The legacy API, in which the ID of a token is its secret. It is served in both modes. */

const idArgs = z.object({ id: z.string() })
type IdArgs = z.infer<typeof idArgs>

/** `null`: the token does not exist, or is of the new kind. */
export const legacyReadEndpoint: QueryEndpoint<IdArgs, TokenRow | null> = {
  method: 'ACL.Get',
  kind: 'query',
  args: idArgs,
  reply: tokenReply.nullable(),
  access: open('a caller with the secret may read its token'),
  query: (tx, { id }) => {
    const token = tokenBySecret(tx, id)
    return { index: tokensIndex(tx), value: token === undefined || token.type === '' ? null : token }
  },
}

const noArgs = z.object({})

/** Includes secrets, which are the IDs. */
export const legacyListEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly TokenRow[]> = {
  method: 'ACL.List',
  kind: 'query',
  args: noArgs,
  reply: tokensReply,
  access: filters(
    (_authorizer, tokens) => tokens,
    oneForAll('nothing is left out'),
    (authorizer) => refusedUnlessAllowed(authorizer, 'acl', '', 'write'),
  ),
  query: (tx) => ({ index: tokensIndex(tx), value: [...allTokens(tx)].filter(({ type }) => type !== '') }),
}

const setArgs = z.object({
  /** Empty: the leader draws one. */
  id: z.string(),
  name: z.string(),
  type: z.string(),
  rules: z.string(),
})
type SetArgs = z.infer<typeof setArgs>

/** Returns the ID. */
export const legacySetEndpoint: WriteEndpoint<SetArgs, string, LegacyServer> = {
  method: 'ACL.Apply',
  kind: 'write',
  args: setArgs,
  reply: textReply,
  access: writesLegacyAccess,
  serve: setLegacy,
  repeated: (server, _args, identity) => {
    for (const command of [legacySet, legacySetLater]) {
      const before = server.earlier(command, identity)
      if (before?.ok === true) return idOf(before.value)
    }
    return undefined
  },
}

async function setLegacy(
  server: LegacyServer,
  { id, name, type, rules }: SetArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<string, Failure>> {
  const access = eitherSystem(server)
  if (!access.ok) return access
  if (!isPrimary(server, access.value)) return refused(elsewhere)
  if (type !== 'client' && type !== 'management') return refused('Invalid ACL Type')
  if (rootSecrets.includes(id)) return err(permissionDenied('Cannot modify root ACL'))
  const read = areLarge(rules) ? await largeRulesRead(server, rules, 'legacy') : parseRules(rules, 'legacy')
  if (!read.ok) return refused(`ACL rule compilation failed: ${read.error}`)
  const body = { id: id === '' ? drawnUuid(server, 'legacy') : id, name, type, rules, unlessThere: false }
  const { event } = read.value.rules
  const command = event === undefined && read.value.scalars.keyring === undefined ? legacySet : legacySetLater
  if (!isAtLeast(server.release, command.since)) return refused(`ACL rule compilation failed: ${unknownRules}`)
  const written = await proposed(server, 'acl.apply', command, body, identity)
  return written.ok ? idOf(written.value) : written
}

function idOf(written: LegacyWritten): Result<string, Failure> {
  return 'refusal' in written ? refused(written.refusal) : ok(written.id)
}

const unknownRules = 'this release has no rules for events and the keyring'

const elsewhere = 'tokens are written in the primary datacenter'

export const legacyDeleteEndpoint: WriteEndpoint<IdArgs, boolean, LegacyServer> = {
  method: 'ACL.Destroy',
  kind: 'write',
  args: idArgs,
  reply: flagReply,
  access: writesLegacyAccess,
  serve: async (server, { id }, identity) => {
    const access = eitherSystem(server)
    if (!access.ok) return access
    if (!isPrimary(server, access.value)) return refused(elsewhere)
    if (id === anonymousSecret) return err(permissionDenied('Cannot delete anonymous token'))
    if (rootSecrets.includes(id)) return err(permissionDenied('Cannot modify root ACL'))
    const written = await proposed(server, 'acl.apply', legacyDelete, { id }, identity)
    return written.ok ? removed(written.value) : written
  },
  repeated: (server, _args, identity) => {
    const before = server.earlier(legacyDelete, identity)
    return before?.ok === true ? removed(before.value) : undefined
  },
}

function removed(outcome: LegacyWritten): Result<boolean, Failure> {
  return 'refusal' in outcome ? refused(outcome.refusal) : ok(true)
}
