import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { hasBehaviour } from '../../model/release.ts'
import { asks, filters, keptOf } from '../contract/access.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { listOfAll, orNull, replyWith, textReply } from '../contract/reply.ts'
import type { WithProposals } from '../contract/server-context.ts'
import { measured, type WithEnv, type WithRelease } from '../contract/surroundings.ts'
import { byRow, newestOf } from '../contract/visible-index.ts'
import { missing, type QueryOutcome, queryCreate, queryDelete, queryUpdate } from './commands.ts'
import { definitionFields, type QueryDefinition, type QueryRow, queryId } from './model.ts'
import { isQuery } from './replies.ts'
import { isListed, managesAccess, queryChangeRefused, queryRefused, queryShown } from './rights.ts'
import { definitionRefusal } from './validation.ts'
import { allQueries, queriesIndex, queryById, queryDeparturesIndex } from './views.ts'

/** The part of the server that these endpoints use. */
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
