import { z } from 'zod'
import { type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { formatDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import { sessionTtlMaxMs } from '../../model/limits.ts'
import { noChange } from '../../model/log-position.ts'
import { spelledNode } from '../catalog/views.ts'
import {
  asks,
  denied,
  filters,
  keptOf,
  refusedOrAbsent,
  refusedUnlessAllowed,
  tellDenied,
  within,
} from '../contract/access.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { flagReply, textReply } from '../contract/reply.ts'
import type {
  WithConsensus,
  WithDuties,
  WithProposals,
  WithSessionSettings,
  WithState,
} from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import { byRow, newestOf } from '../contract/visible-index.ts'
import { sessionCreate, sessionDestroy } from './commands.ts'
import { sessionExpiry } from './duty.ts'
import { type SessionRow, sessionFields } from './model.ts'
import { sessionRow } from './tables.ts'
import { allSessions, sessionById, sessionDeparturesIndex, sessionsIndex, sessionsOfNode } from './views.ts'

/** The part of the server that these endpoints use. */
type SessionServer = WithEnv & WithState & WithProposals & WithConsensus & WithDuties & WithSessionSettings

const sessionRows = z.array(sessionRow).readonly()

const { id: _drawn, ...wanted } = sessionFields
/** A TTL beyond the limits is reported as such, and not as malformed. */
const createArgs = z.object({ ...wanted, ttlMs: z.number() })
export type CreateArgs = z.infer<typeof createArgs>

/** Returns the new session's ID. */
export const createEndpoint: WriteEndpoint<CreateArgs, string, SessionServer> = {
  method: 'Session.Create',
  kind: 'write',
  args: createArgs,
  reply: textReply,
  access: asks((authorizer, { node }, tx) =>
    refusedUnlessAllowed(authorizer, 'session', spelledNode(tx, node), 'write'),
  ),
  serve: create,
}

async function create(
  server: SessionServer,
  args: CreateArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<string, Failure>> {
  const refusal = ttlRefusal(args.ttlMs, server.sessionTtlMinMs)
  if (refusal !== undefined) return err(refusal)
  const id = uuidOf(server.env.crypto.randomBytes(16, 'session', args.node, args.name))
  const outcome = await measured(server, 'session.apply', () =>
    server.propose(sessionCreate, { ...args, id }, identity),
  )
  if (!outcome.ok) {
    if (outcome.error.kind === 'outcome-unknown') server.duty(sessionExpiry)?.expect({ id, ttlMs: args.ttlMs })
    return outcome
  }
  if ('refusal' in outcome.value) return err({ kind: 'bad-request', message: outcome.value.refusal })
  const session = sessionById(server.read(), outcome.value.id)
  // A leader that has not started its duties yet will find the session when it does.
  if (session !== undefined) server.duty(sessionExpiry)?.extend(session)
  return ok(outcome.value.id)
}

/**
 * With the field's status 500, although it is the caller's mistake: clients parse the limits out of this answer, and
 * ask again.
 */
function ttlRefusal(ttlMs: number, leastMs: number): Failure | undefined {
  if (ttlMs === 0 || (ttlMs >= leastMs && ttlMs <= sessionTtlMaxMs)) return undefined
  const bounds = `${formatDuration(leastMs)}=${formatDuration(sessionTtlMaxMs)}`
  return { kind: 'refused', message: `Invalid Session TTL '${Math.round(ttlMs * 1e6)}', must be between [${bounds}]` }
}

const idArgs = z.object({ id: sessionFields.id })
type IdArgs = z.infer<typeof idArgs>

/**
 * The node of a session decides which tokens may destroy or renew it, and a new leader may not know the session yet.
 */
const ofItsNode = within('whose session it is only a leader knows that has caught up')

/** Returns true, even if the session did not exist; with access control on, that is refused. */
export const destroyEndpoint: WriteEndpoint<IdArgs, boolean, SessionServer> = {
  method: 'Session.Destroy',
  kind: 'write',
  args: idArgs,
  reply: flagReply,
  access: ofItsNode,
  serve: (server, args, identity, authorizer) =>
    measured(server, 'session.apply', () => destroy(server, args, identity, authorizer)),
}

async function destroy(
  server: SessionServer,
  { id }: IdArgs,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<boolean, Failure>> {
  if (authorizer !== unrestricted) {
    const leads = await server.leads()
    if (!leads.ok) return leads
    const session = sessionById(server.read(), id)
    const notThere: Failure = { kind: 'refused', message: `Unknown session ${JSON.stringify(id)}` }
    if (session === undefined) return server.earlier(sessionDestroy, identity) ?? err(notThere)
    const refused = refusedOrAbsent(authorizer, { resource: 'session', name: session.node, right: 'write' }, notThere)
    if (refused !== undefined) return err(denied(server.env, authorizer, refused, 'Session.Destroy'))
  }
  return server.propose(sessionDestroy, { ids: [id] }, identity)
}

/** Returns the session with its full span ahead, or null. Not replicated: `duty.ts` says why that is enough. */
export const renewEndpoint: WriteEndpoint<IdArgs, SessionRow | null, SessionServer> = {
  method: 'Session.Renew',
  kind: 'write',
  args: idArgs,
  reply: sessionRow.nullable(),
  access: ofItsNode,
  serve: (server, args, _identity, authorizer) =>
    measured(server, 'session.renew', () => renew(server, args, authorizer)),
}

async function renew(
  server: SessionServer,
  { id }: IdArgs,
  authorizer: Authorizer,
): Promise<Result<SessionRow | null, Failure>> {
  await server.duty(sessionExpiry)?.settled(id)
  const leads = await server.leads()
  if (!leads.ok) return leads
  const session = sessionById(server.read(), id)
  if (session === undefined) return ok(null)
  const refused = refusedUnlessAllowed(authorizer, 'session', session.node, 'write')
  if (refused !== undefined && seesSession(authorizer, session)) {
    return err(denied(server.env, authorizer, refused, 'Session.Renew'))
  }
  if (refused !== undefined) {
    tellDenied(server.env, authorizer, refused, 'Session.Renew')
    return ok(null)
  }
  const expiry = server.duty(sessionExpiry)
  // Its end began while leadership was being confirmed: the outcome of the end decides.
  if (expiry?.isEnding(id) === true) return renew(server, { id }, authorizer)
  if (expiry?.isUnsure(id) === true) return err(mayBeEnding)
  expiry?.extend(session)
  return ok(session)
}

const mayBeEnding: Failure = {
  kind: 'outcome-unknown',
  message: 'the session was not renewed in time, and ends when the leader can write that',
}

function seesSession(authorizer: Authorizer, { node }: SessionRow): boolean {
  return authorizer.allows('session', node, 'read')
}

const sight = {
  all: (authorizer: Authorizer) => authorizer.readsAll('session'),
  floor: sessionDeparturesIndex,
  never: sessionsIndex,
}

const seen = filters<unknown, readonly SessionRow[]>(
  (authorizer, sessions) =>
    authorizer.readsAll('session') ? sessions : keptOf(sessions, (session) => seesSession(authorizer, session)),
  byRow({ ...sight, newest: (_authorizer, _state, _args, sessions) => newestOf(sessions) }),
)

export const infoEndpoint: QueryEndpoint<IdArgs, SessionRow | null> = {
  method: 'Session.Get',
  kind: 'query',
  args: idArgs,
  reply: sessionRow.nullable(),
  access: filters(
    (authorizer, session) => (session === null || seesSession(authorizer, session) ? session : null),
    byRow({ ...sight, newest: (_authorizer, _state, _args, session) => session?.modifyIndex ?? noChange }),
  ),
  query: (tx, { id }) => ({ index: sessionsIndex(tx), value: sessionById(tx, id) ?? null }),
}

const noArgs = z.object({})

export const listEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly SessionRow[]> = {
  method: 'Session.List',
  kind: 'query',
  args: noArgs,
  reply: sessionRows,
  access: seen,
  query: (tx) => ({ index: sessionsIndex(tx), value: [...allSessions(tx)] }),
}

const nodeArgs = z.object({ node: z.string() })

export const nodeEndpoint: QueryEndpoint<z.infer<typeof nodeArgs>, readonly SessionRow[]> = {
  method: 'Session.NodeSessions',
  kind: 'query',
  args: nodeArgs,
  reply: sessionRows,
  access: seen,
  query: (tx, { node }) => ({ index: sessionsIndex(tx), value: [...sessionsOfNode(tx, node)] }),
}
