import { byteString } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import type { CatalogCheck, CatalogNode, CatalogService, HealthServiceEntry, TextPairs } from '../../model/catalog.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import { hasBehaviour, newestRelease, type Release } from '../../model/release.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { nameKey, pairKey } from '../contract/names.ts'
import {
  checksTable,
  destinationChangesTable,
  goneFloor,
  nodeChangesTable,
  nodesTable,
  serviceChangesTable,
  servicesTable,
} from './tables.ts'

/**
 * Pure reads of the catalog, for other features and for the agent's duties. Names are compared without case. Lists are
 * in order of node, then of service or check ID.
 */

export function allNodes(tx: ReadTransaction): Iterable<CatalogNode> {
  return tx.all(nodesTable)
}

export function nodeByName(tx: ReadTransaction, node: string): CatalogNode | undefined {
  return tx.get(nodesTable, nameKey(node))
}

/** A node's name in the catalog's spelling, if the node exists: rules of access control match exactly. */
export function spelledNode(tx: ReadTransaction, node: string): string {
  return nodeByName(tx, node)?.node ?? node
}

/** `id` is a whole UUID. */
export function nodeById(tx: ReadTransaction, id: string): CatalogNode | undefined {
  if (id === '') return undefined
  for (const node of tx.byIndex(nodesTable, 'id', byteString(lowerAscii(id)))) return node
  return undefined
}

export function allServices(tx: ReadTransaction): Iterable<CatalogService> {
  return tx.all(servicesTable)
}

export function servicesOfNode(tx: ReadTransaction, node: string): Iterable<CatalogService> {
  return tx.byIndex(servicesTable, 'node', nameKey(node))
}

export function serviceOfNode(tx: ReadTransaction, node: string, serviceId: string): CatalogService | undefined {
  return tx.get(servicesTable, pairKey(node, serviceId))
}

export function instancesOf(tx: ReadTransaction, service: string): Iterable<CatalogService> {
  return tx.byIndex(servicesTable, 'service', nameKey(service))
}

/**
 * The instances through which a service is reached over the mesh: its proxies, and its own instances that need none.
 */
export function waysTo(tx: ReadTransaction, service: string): Iterable<CatalogService> {
  return tx.byIndex(servicesTable, 'destination', nameKey(service))
}

export function allChecks(tx: ReadTransaction): Iterable<CatalogCheck> {
  return tx.all(checksTable)
}

/** Every check on a node, including those of its services. */
export function checksOfNode(tx: ReadTransaction, node: string): Iterable<CatalogCheck> {
  return tx.byIndex(checksTable, 'node', nameKey(node))
}

export function checkOfNode(tx: ReadTransaction, node: string, checkId: string): CatalogCheck | undefined {
  return tx.get(checksTable, pairKey(node, checkId))
}

/** Checks of one instance; an empty service ID selects those of the node itself. */
export function checksOfInstance(tx: ReadTransaction, node: string, serviceId: string): Iterable<CatalogCheck> {
  return tx.byIndex(checksTable, 'instance', pairKey(node, serviceId))
}

/** Checks of every instance of a service, without those of the nodes. */
export function checksOfService(tx: ReadTransaction, service: string): Iterable<CatalogCheck> {
  return tx.byIndex(checksTable, 'service', nameKey(service))
}

export function checksInState(tx: ReadTransaction, status: string): Iterable<CatalogCheck> {
  return tx.byIndex(checksTable, 'status', byteString(status))
}

/** Selects instances. */
export interface InstanceFilter {
  /** The instance must have every tag. */
  readonly tags: readonly string[]
  /** Its node must have every pair. */
  readonly nodeMeta: TextPairs
  /** The instances through which the service is reached over the mesh, instead of its own. */
  readonly connect?: boolean
}

export function healthOfService(
  tx: ReadTransaction,
  service: string,
  filter: InstanceFilter,
): readonly HealthServiceEntry[] {
  const entries: HealthServiceEntry[] = []
  for (const { node, service: instance } of placedInstances(tx, service, filter)) {
    const checks = [...checksOfInstance(tx, node.node, ''), ...checksOfInstance(tx, node.node, instance.id)]
    entries.push({ node, service: instance, checks })
  }
  return entries
}

/** The same without checks. */
export function placedInstances(
  tx: ReadTransaction,
  service: string,
  { tags, nodeMeta, connect }: InstanceFilter,
): readonly Omit<HealthServiceEntry, 'checks'>[] {
  const placed: Omit<HealthServiceEntry, 'checks'>[] = []
  for (const instance of connect === true ? waysTo(tx, service) : instancesOf(tx, service)) {
    if (!hasEveryTag(instance, tags)) continue
    const node = nodeByName(tx, instance.node)
    if (node !== undefined && hasMeta(node, nodeMeta)) placed.push({ node, service: instance })
  }
  return placed
}

/** Reference: http-conventions.md#parameter-tag. */
function hasEveryTag(service: CatalogService, tags: readonly string[]): boolean {
  return tags.every((tag) => service.tags.some((own) => lowerAscii(own) === lowerAscii(tag)))
}

/** Reference: http-conventions.md#parameter-node-meta. */
export function hasMeta(node: CatalogNode, wanted: TextPairs): boolean {
  return wanted.every(([key, value]) => node.meta?.some(([own, has]) => own === key && has === value) === true)
}

/** The node with that name, or with that UUID, or the only one whose UUID has that prefix. */
export function nodeByNameOrId(tx: ReadTransaction, nameOrId: string): CatalogNode | undefined {
  const named = nodeByName(tx, nameOrId)
  if (named !== undefined || !looksLikeId(nameOrId)) return named
  const prefix = lowerAscii(nameOrId)
  const found = [...allNodes(tx)].filter(({ id }) => id !== '' && id.startsWith(prefix))
  return found.length === 1 ? found[0] : undefined
}

/** Whether the text is the beginning of a UUID, long enough not to be a name by mistake. */
export function looksLikeId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f-]{0,27})?$/i.test(text)
}

/**
 * The index at which answers about a service last changed: its instances, their checks and nodes, those nodes' checks.
 * It never falls:
 * 1. While the service has an instance it has a row, which every such change raises to the index of that change.
 * 2. When its last instance is removed, the row is removed and the floor is raised to that index, which is greater than
 *    the row's.
 * 3. The floor only rises. It also rises when other services are removed: the index of a missing service may then rise
 *    without an event, which wakes no read, because the floor is not watched.
 * 4. When the service returns, its row gets that command's index, which the floor has never exceeded. A change of
 *    another service, or of a node on which the service does not run, moves neither row nor floor of an existing
 *    service.
 */
function serviceIndex(tx: ReadTransaction, service: string): ModifyIndex {
  return tx.get(serviceChangesTable, nameKey(service))?.index ?? tx.lastChange(goneFloor)
}

/**
 * A result that consists only of data about one service. It is watched by the service's row alone, however many
 * instances there are: while there is one, every relevant change raises the row; and the first instance creates it.
 */
export function ofService<T>(
  tx: ReadTransaction,
  service: string,
  read: (tx: ReadTransaction) => T,
  release: Release = newestRelease,
) {
  if (!hasBehaviour(release, 'index-of-one-service')) return ofAnyService(tx, read)
  return { index: serviceIndex(tx, service), value: tx.covered(read) }
}

/** The same for answers about the mesh endpoints of a service, by the same argument. */
export function ofWaysTo<T>(tx: ReadTransaction, service: string, read: (tx: ReadTransaction) => T) {
  const index = tx.get(destinationChangesTable, nameKey(service))?.index ?? tx.lastChange(goneFloor)
  return { index, value: tx.covered(read) }
}

/**
 * The behaviour before each service had an index of its own: any change in the catalog counts as a change of the
 * result.
 */
function ofAnyService<T>(tx: ReadTransaction, read: (tx: ReadTransaction) => T) {
  tx.watch(nodesTable)
  tx.watch(servicesTable)
  tx.watch(checksTable)
  return { index: greater(nodesIndex(tx), servicesIndex(tx), checksIndex(tx)), value: read(tx) }
}

/** The same for answers about a named node. */
export function ofNode<T>(tx: ReadTransaction, node: string, read: (tx: ReadTransaction) => T) {
  return { index: nodeIndex(tx, node), value: tx.covered(read) }
}

/** The same for a node with its services and checks, by the same argument: its row lives as long as the node does. */
function nodeIndex(tx: ReadTransaction, node: string): ModifyIndex {
  return tx.get(nodeChangesTable, nameKey(node))?.index ?? tx.lastChange(goneFloor)
}

/**
 * The same for the result of `nodeByNameOrId`. The node of an ID or of a prefix changes only when the table of nodes
 * does; so if the text is not a node's name but may be an ID, the result is at least as young as that table:
 * 1. Name to ID: the named node was removed, which changed the table.
 * 2. ID to another node or to none: the table changed.
 * 3. ID to name: the node with that name was registered by a command later than every earlier change of the table.
 */
export function nodeIndexByNameOrId(tx: ReadTransaction, nameOrId: string): ModifyIndex {
  if (nodeByName(tx, nameOrId) !== undefined || !looksLikeId(nameOrId)) return nodeIndex(tx, nameOrId)
  const found = nodeByNameOrId(tx, nameOrId)
  return greater(found === undefined ? noChange : nodeIndex(tx, found.node), tx.lastChange(nodesTable))
}

/** The index at which any node, service or check was last removed or renamed: one number for all reads. */
export function departuresIndex(tx: ReadTransaction): ModifyIndex {
  return greater(
    greater(tx.lastChange(goneFloor), tx.lastDeparture(nodesTable, 'name')),
    tx.lastDeparture(servicesTable, 'name'),
    tx.lastDeparture(checksTable, 'name'),
  )
}

/** The same for checks whose status changed. */
export function statusDeparturesIndex(tx: ReadTransaction): ModifyIndex {
  return greater(departuresIndex(tx), tx.lastDeparture(checksTable, 'status'))
}

export function nodesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(nodesTable)
}

export function servicesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(servicesTable)
}

export function checksIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(checksTable)
}
