import { z } from 'zod'
import { lowerAscii } from '../../../base/letter-case.ts'
import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ServerAccess } from '../../contract/access-control.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import type { WriteEndpoint } from '../../contract/endpoint.ts'
import type { WithPlace, WithProposals, WithState } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import {
  changedSince,
  drawnUuid,
  isPrimary,
  isUuid,
  malformedId,
  newSystem,
  proposed,
  refused,
  writesAccess,
} from '../asked.ts'
import { tokenCreate, tokenDelete, tokenUpdate, type Written } from '../commands.ts'
import { policyLinks } from '../fields.ts'
import { anonymousAccessor, type TokenRow } from '../model.ts'
import { tokenReply } from '../replies.ts'
import { tokenByAccessor } from '../views.ts'
import { linked } from '../writes.ts'
import { type AccessorArgs, accessorArgs, withNames } from './token-endpoints.ts'

/** The part of the server that these endpoints use. */
type TokenServer = WithEnv & WithState & WithProposals & WithPlace

function hereOrThere<T>(here: z.ZodType<T>): z.ZodType<HereOrThere<T>> {
  return z.union([z.object({ here }), z.object({ there: z.literal(true) })])
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
type TokenArgs = z.infer<typeof tokenArgs>

/** Returns the written token. */
export const tokenSetEndpoint: WriteEndpoint<TokenArgs, TokenRow, TokenServer> = {
  method: 'ACL.TokenSet',
  kind: 'write',
  args: tokenArgs,
  reply: tokenReply,
  access: writesAccess,
  serve: setToken,
  repeated: (server, args, identity) => {
    const before = server.earlier(args.accessor === '' ? tokenCreate : tokenUpdate, identity)
    if (before?.ok !== true) return undefined
    const row = rowOf(server, before)
    return row.ok && !isAsSaid(server, row.value, args) ? changedSince('token') : row
  },
}

function isAsSaid(server: WithState, row: TokenRow, { description, policies, local }: TokenArgs): boolean {
  const said = linked(server.read(), policies)
  if ('refusal' in said || row.description !== description || row.local !== local) return false
  return row.policies.length === said.links.length && row.policies.every(({ id }, at) => id === said.links[at]?.id)
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
    const isElsewhere = isTheirs(server, access.value, tokenByAccessor(server.read(), accessor))
    // A local token that this write has deleted is not known here any more when the write is sent again.
    const before = isElsewhere ? server.earlier(tokenDelete, identity) : undefined
    if (isElsewhere && before === undefined) return ok(there)
    const body = { accessor: lowerAscii(accessor) }
    const deleted = before ?? (await proposed(server, 'acl.token.delete', tokenDelete, body, identity))
    return deleted.ok ? ok({ here: deleted.value }) : deleted
  },
  repeated: (server, _args, identity) => {
    const before = server.earlier(tokenDelete, identity)
    return before?.ok === true ? ok({ here: before.value }) : undefined
  },
}
