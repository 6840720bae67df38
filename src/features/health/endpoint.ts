import { z } from 'zod'
import type { CatalogCheck, HealthServiceEntry, TextPairs } from '../../model/catalog.ts'
import { greater, type ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { areHealthEntries, isCatalogCheck } from '../catalog/replies.ts'
import { checksSight, instancesSight } from '../catalog/sight.ts'
import {
  allChecks,
  checksIndex,
  checksInState,
  checksOfNode,
  checksOfService,
  departuresIndex,
  hasMeta,
  healthOfService,
  nodeByName,
  nodesIndex,
  ofNode,
  ofService,
  ofWaysTo,
  statusDeparturesIndex,
} from '../catalog/views.ts'
import { filters } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import { textPairs } from '../contract/fields.ts'
import { listOfAll, replyWith } from '../contract/reply.ts'
import { nearestFirst } from '../discovery/nearness.ts'
import { checksSeenBy, placedSeenBy, seesService } from '../discovery/sight.ts'
import { discoveryCounts, tagFilterFields, tagsRead } from '../discovery/tag-filter.ts'

const checksReply = replyWith(listOfAll(isCatalogCheck))

/** Only items on nodes with all of these metadata pairs; none given: all. */
const nodeMeta = textPairs.optional()

/** A node: results nearer to it come first. */
const near = z.string().optional()

const serviceHealthArgs = z.object({
  service: z.string(),
  ...tagFilterFields,
  /** The instances through which the service is reached over the mesh, for which tags have no meaning. */
  connect: z.boolean(),
  nodeMeta,
  near,
})

/** Instances that have every requested tag, whatever their health. The index is that of the service. */
export const serviceHealthEndpoint: QueryEndpoint<z.infer<typeof serviceHealthArgs>, readonly HealthServiceEntry[]> = {
  method: 'Health.ServiceNodes',
  kind: 'query',
  counts: discoveryCounts('health'),
  args: serviceHealthArgs,
  reply: replyWith(areHealthEntries),
  access: filters(
    (authorizer, entries, { service, connect }) =>
      connect && !seesService(authorizer, service) ? [] : placedSeenBy(authorizer, entries),
    instancesSight((args) => args, { checks: true }),
  ),
  query: (tx, { service, connect, nodeMeta: wanted, near: place, ...filter }, release) => {
    const looked = { tags: connect ? [] : tagsRead(filter, release), nodeMeta: wanted ?? [], connect }
    const of = connect ? ofWaysTo : ofService
    const found = of(tx, service, (read) => healthOfService(read, service, looked), release)
    return { index: found.index, value: nearestFirst(tx, place, found.value, ({ node }) => node.node) }
  },
}

const nodeChecksArgs = z.object({ node: z.string() })

/** Every check on the named node, including those of its services. */
export const nodeChecksEndpoint: QueryEndpoint<z.infer<typeof nodeChecksArgs>, readonly CatalogCheck[]> = {
  method: 'Health.NodeChecks',
  kind: 'query',
  args: nodeChecksArgs,
  reply: checksReply,
  access: filters(
    checksSeenBy,
    checksSight((state, { node }) => checksOfNode(state, node)),
  ),
  query: (tx, { node }) => ofNode(tx, node, (read) => [...checksOfNode(read, node)]),
}

const serviceChecksArgs = z.object({ service: z.string(), nodeMeta, near })

/** Checks of a service's instances, without those of the nodes. */
export const serviceChecksEndpoint: QueryEndpoint<z.infer<typeof serviceChecksArgs>, readonly CatalogCheck[]> = {
  method: 'Health.ServiceChecks',
  kind: 'query',
  args: serviceChecksArgs,
  reply: checksReply,
  access: filters(
    checksSeenBy,
    checksSight((state, { service }) => checksOfService(state, service), { nodeMeta: (args) => args.nodeMeta }),
  ),
  query: (tx, { service, nodeMeta: wanted, near: place }, release) => {
    const found = ofService(tx, service, (read) => onNodesWith(read, checksOfService(read, service), wanted), release)
    return { index: found.index, value: nearestFirst(tx, place, found.value, ({ node }) => node) }
  },
}

const stateChecksArgs = z.object({ state: z.string(), nodeMeta, near })

/** Checks with this status; `any`: all of them. */
export const stateChecksEndpoint: QueryEndpoint<z.infer<typeof stateChecksArgs>, readonly CatalogCheck[]> = {
  method: 'Health.ChecksInState',
  kind: 'query',
  args: stateChecksArgs,
  reply: checksReply,
  access: filters(
    checksSeenBy,
    checksSight(checksAsked, { nodeMeta: (args) => args.nodeMeta, floor: checksAskedFloor }),
  ),
  query: (tx, args) => {
    const { nodeMeta: wanted, near: place } = args
    const checks = checksAsked(tx, args)
    const index = wanted === undefined ? checksIndex(tx) : greater(checksIndex(tx), nodesIndex(tx))
    return { index, value: nearestFirst(tx, place, onNodesWith(tx, checks, wanted), ({ node }) => node) }
  },
}

/** A check whose status changes leaves the list of a status, and never that of all checks. */
function checksAskedFloor(tx: ReadTransaction, { state }: z.infer<typeof stateChecksArgs>): ModifyIndex {
  return state === 'any' ? departuresIndex(tx) : statusDeparturesIndex(tx)
}

function checksAsked(tx: ReadTransaction, { state }: z.infer<typeof stateChecksArgs>): Iterable<CatalogCheck> {
  return state === 'any' ? allChecks(tx) : checksInState(tx, state)
}

function onNodesWith(
  tx: ReadTransaction,
  checks: Iterable<CatalogCheck>,
  wanted: TextPairs | undefined,
): readonly CatalogCheck[] {
  if (wanted === undefined) return [...checks]
  return [...checks].filter((check) => {
    const node = nodeByName(tx, check.node)
    return node !== undefined && hasMeta(node, wanted)
  })
}
