import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { itemAt } from '../../base/items.ts'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import { greater, noChange } from '../../model/log-position.ts'
import { areHealthEntries } from '../catalog/replies.ts'
import { instancesSight, newestInstance, seesCatalog } from '../catalog/sight.ts'
import { departuresIndex } from '../catalog/views.ts'
import { filters, filtersOnBehalf } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import { replyWith } from '../contract/reply.ts'
import { byRow, oneForAll } from '../contract/visible-index.ts'
import { placedSeenBy } from '../discovery/sight.ts'
import { instancesOfQuery, type Nearness, nearnessOf, waysOf } from './instances.ts'
import { type QueryRow, serviceQueryFields } from './model.ts'
import { executedReply, resolvedReply } from './replies.ts'
import { isListed, queryShown, withoutToken } from './rights.ts'
import { noSuchQuery, queriesIndex, queryOf, type Resolved, resolveQuery } from './views.ts'

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
