import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { itemAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { greater, noChange } from '../../model/log-position.ts'
import { hasBehaviour } from '../../model/release.ts'
import { areHealthEntries } from '../catalog/replies.ts'
import { instancesSight, newestInstance, seesCatalog } from '../catalog/sight.ts'
import { departuresIndex } from '../catalog/views.ts'
import { asks, filters, filtersOnBehalf, keptOf } from '../contract/access.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { listOfAll, orNull, replyWith, textReply } from '../contract/reply.ts'
import type { WithProposals } from '../contract/server-context.ts'
import { measured, type WithEnv, type WithRelease } from '../contract/surroundings.ts'
import { byRow, newestOf, oneForAll } from '../contract/visible-index.ts'
import { placedSeenBy } from '../discovery/sight.ts'
import { missing, type QueryOutcome, queryCreate, queryDelete, queryUpdate } from './commands.ts'
import { instancesOfQuery, type Nearness, nearnessOf, waysOf } from './instances.ts'
import { definitionFields, type QueryDefinition, type QueryRow, queryId, serviceQueryFields } from './model.ts'
import { executedReply, isQuery, resolvedReply } from './replies.ts'
import { isListed, managesAccess, queryChangeRefused, queryRefused, queryShown, withoutToken } from './rights.ts'
import { definitionRefusal } from './validation.ts'
import {
  allQueries,
  noSuchQuery,
  queriesIndex,
  queryById,
  queryDeparturesIndex,
  queryOf,
  type Resolved,
  resolveQuery,
} from './views.ts'

/** The server as far as these endpoints use it. */
type QueryServer = WithEnv & WithRelease & WithProposals

const createArgs = z.object(definitionFields)

/** Returns the new query's ID. */
export const createEndpoint: WriteEndpoint<QueryDefinition, string, QueryServer> = {
  method: 'PreparedQuery.Create',
  kind: 'write',
  args: createArgs,
  reply: textReply,
  access: asks((authorizer, definition) => queryRefused(authorizer, definition, 'write')),
  serve: (server, definition, identity) =>
    define(
      server,
      queryCreate,
      { ...definition, id: uuidOf(server.env.crypto.randomBytes(16, 'query', definition.name)) },
      identity,
    ),
}

/** Replaces the whole definition of an existing query. */
export const updateEndpoint: WriteEndpoint<QueryDefinition & { readonly id: string }, string, QueryServer> = {
  method: 'PreparedQuery.Update',
  kind: 'write',
  args: z.object({ id: queryId, ...definitionFields }),
  reply: textReply,
  access: asks(
    (authorizer, definition, tx) =>
      queryRefused(authorizer, definition, 'write') ??
      queryChangeRefused(authorizer, queryById(tx, definition.id), notThere(definition)),
  ),
  serve: (server, definition, identity) => define(server, queryUpdate, definition, identity),
}

/** A server that does not know `Near` yet drops it. Release: `query-near`. */
async function define<Body extends QueryDefinition & { readonly id: string }>(
  server: QueryServer,
  command: CommandDefinition<Body, QueryOutcome>,
  definition: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<string, Failure>> {
  const refusal = definitionRefusal(definition)
  if (refusal !== undefined) return err({ kind: 'bad-request', message: refusal })
  const near = hasBehaviour(server.release, 'query-near') ? definition.service.near : ''
  return propose(server, command, { ...definition, service: { ...definition.service, near } }, identity)
}

async function propose<Body>(
  server: QueryServer,
  command: CommandDefinition<Body, QueryOutcome>,
  body: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<string, Failure>> {
  if (!hasBehaviour(server.release, 'prepared-queries')) return err({ kind: 'unknown-method', method: command.kind })
  const outcome = await measured(server, 'prepared-query.apply', () => server.propose(command, body, identity))
  if (!outcome.ok) return outcome
  if ('refusal' in outcome.value) return err({ kind: 'bad-request', message: outcome.value.refusal })
  return ok(outcome.value.id)
}

/** The answer to a change of a query that does not exist. */
function notThere({ id }: IdArgs): Failure {
  return { kind: 'bad-request', message: missing(id) }
}

const idArgs = z.object({ id: queryId })
type IdArgs = z.infer<typeof idArgs>

export const deleteEndpoint: WriteEndpoint<IdArgs, string, QueryServer> = {
  method: 'PreparedQuery.Delete',
  kind: 'write',
  args: idArgs,
  reply: textReply,
  access: asks((authorizer, { id }, tx) => queryChangeRefused(authorizer, queryById(tx, id), notThere({ id }))),
  serve: (server, args, identity) => propose(server, queryDelete, args, identity),
}

const sight = { all: managesAccess, floor: queryDeparturesIndex, never: queriesIndex }

export const getEndpoint: QueryEndpoint<IdArgs, QueryRow | null> = {
  method: 'PreparedQuery.Get',
  kind: 'query',
  args: idArgs,
  reply: replyWith(orNull(isQuery)),
  access: filters(
    (authorizer, query) =>
      query === null || queryRefused(authorizer, query, 'read') !== undefined ? null : queryShown(authorizer, query),
    byRow({ ...sight, newest: (_authorizer, _state, _args, query) => query?.modifyIndex ?? noChange }),
  ),
  query: (tx, { id }) => ({ index: queriesIndex(tx), value: queryById(tx, id) ?? null }),
}

const noArgs = z.object({})

export const listEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly QueryRow[]> = {
  method: 'PreparedQuery.List',
  kind: 'query',
  args: noArgs,
  reply: replyWith(listOfAll(isQuery)),
  access: filters(
    (authorizer, queries) => {
      const listed = keptOf(queries, (query) => isListed(authorizer, query))
      const shown = listed.map((query) => queryShown(authorizer, query))
      return shown.every((query, at) => query === listed[at]) ? listed : shown
    },
    byRow({ ...sight, newest: (_authorizer, _state, _args, queries) => newestOf(queries) }),
  ),
  query: (tx) => ({ index: queriesIndex(tx), value: [...allQueries(tx)] }),
}

const nameArgs = { idOrName: z.string(), segment: z.string() }
const explainArgs = z.object(nameArgs)

/** The query that would be executed. */
export const explainEndpoint: QueryEndpoint<z.infer<typeof explainArgs>, Resolved> = {
  method: 'PreparedQuery.Explain',
  kind: 'query',
  args: explainArgs,
  reply: resolvedReply,
  access: filters(
    (authorizer, resolved) => {
      if (resolved.kind !== 'found') return resolved
      const query = queryShown(authorizer, resolved.query)
      return query === resolved.query ? resolved : { ...resolved, query }
    },
    oneForAll('it is that of all queries, whichever was asked for'),
    (authorizer, { idOrName }, tx) => {
      const query = queryOf(tx, idOrName)
      if (query === undefined || isListed(authorizer, query)) return undefined
      return { resource: 'query', name: query.name, right: 'read', instead: noSuchQuery }
    },
  ),
  query: (tx, { idOrName, segment }) => ({
    index: queriesIndex(tx),
    value: resolveQuery(tx, idOrName, segment),
  }),
}

const executeArgs = z.object({
  ...nameArgs,
  connect: z.boolean(),
  /** The caller's place; null for another datacenter, whose coordinates cannot be compared. */
  origin: z.object({ node: z.string(), ip: z.string(), near: z.string() }).nullable(),
})

/** The result of a query in one datacenter, before it is shuffled and sorted. */
export type Executed =
  | Exclude<Resolved, { readonly kind: 'found' }>
  | ({
      readonly kind: 'found'
      readonly query: QueryRow
      readonly entries: readonly HealthServiceEntry[]
    } & Nearness)

/**
 * Finds instances in the asked datacenter. The index is that of the underlying data. It never falls: if the query's
 * service was changed, the command that did so is later than everything that was seen of the former service.
 */
export const executeEndpoint: QueryEndpoint<z.infer<typeof executeArgs>, Executed> = {
  method: 'PreparedQuery.Execute',
  kind: 'query',
  args: executeArgs,
  reply: executedReply,
  access: filtersOnBehalf(
    ({ idOrName, segment }, tx) => {
      const resolved = resolveQuery(tx, idOrName, segment)
      return resolved.kind === 'found' ? resolved.query.token : ''
    },
    (authorizer, executed) => (executed.kind === 'found' ? foundSeenBy(authorizer, executed) : executed),
    byRow({
      all: seesCatalog,
      newest: (authorizer, state, { connect }, executed) =>
        executed.kind === 'found'
          ? newestInstance(authorizer, state, waysOf(executed.query.service, connect), true)
          : noChange,
      floor: (state) => greater(queriesIndex(state), departuresIndex(state)),
    }),
  ),
  query: (tx, { idOrName, segment, connect, origin }) => {
    const resolved = resolveQuery(tx, idOrName, segment)
    const index = queriesIndex(tx)
    if (resolved.kind !== 'found') return { index, value: resolved }
    // The token is not sent to agents: the rights that count are looked up here.
    const query = withoutToken(resolved.query)
    const found = instancesOfQuery(tx, query.service, connect)
    const nearness = nearnessOf(tx, query.service.near, origin, found.entries)
    const value = { ...resolved, query, entries: found.entries, ...nearness }
    return { index: greater(index, found.index), value }
  },
}

type Found = Extract<Executed, { readonly kind: 'found' }>

/** Distances are parallel to the entries. */
function foundSeenBy(authorizer: Authorizer, found: Found): Found {
  const entries = placedSeenBy(authorizer, found.entries)
  if (entries === found.entries) return found
  const seen = new Set(entries)
  const distances = found.distances?.filter((_, at) => seen.has(itemAt(found.entries, at)))
  return { ...found, entries, ...(distances === undefined ? {} : { distances }) }
}

const executeRemoteArgs = z.object({ service: serviceQueryFields, connect: z.boolean() })

/** Finds instances for a query of another datacenter, which was resolved there. */
export const executeRemoteEndpoint: QueryEndpoint<z.infer<typeof executeRemoteArgs>, readonly HealthServiceEntry[]> = {
  method: 'PreparedQuery.ExecuteRemote',
  kind: 'query',
  args: executeRemoteArgs,
  reply: replyWith(areHealthEntries),
  access: filters(
    placedSeenBy,
    instancesSight(({ service, connect }) => waysOf(service, connect), { checks: true }),
  ),
  query: (tx, { service, connect }) => {
    const found = instancesOfQuery(tx, service, connect)
    return { index: found.index, value: found.entries }
  },
}
