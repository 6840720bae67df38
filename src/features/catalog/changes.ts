import type { CatalogCheck, CatalogNode, CatalogService, CheckFacts } from '../../model/catalog.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import type { TableDefinition, WriteTransaction } from '../../store/types.ts'
import { nameKey, pairKey } from '../contract/names.ts'
import { checkRemoved, nodeRemoved, serviceRemoved } from './model.ts'
import {
  checksTable,
  destinationChangesTable,
  goneFloor,
  type LastChangeRow,
  nodeChangesTable,
  nodesTable,
  serviceChangesTable,
  servicesTable,
} from './tables.ts'
import {
  checksOfInstance,
  checksOfNode,
  instancesOf,
  nodeByName,
  serviceOfNode,
  servicesOfNode,
  waysTo,
} from './views.ts'

/**
 * Records that an answer about an instance has changed: called after each such change, also after its removal.
 * `serviceIndex` in views.ts has the argument that relies on it.
 */
function instanceChanged(tx: WriteTransaction, instance: CatalogService): void {
  serviceChanged(tx, instance.service)
  const destination = meshDestination(instance)
  if (destination !== undefined) destinationChanged(tx, destination)
}

/** The same for a check of an instance. */
function checkedChanged(tx: WriteTransaction, { node, serviceId, serviceName }: CheckFacts): void {
  const instance = serviceOfNode(tx, node, serviceId)
  if (instance === undefined) serviceChanged(tx, serviceName)
  else instanceChanged(tx, instance)
}

export function serviceChanged(tx: WriteTransaction, service: string): void {
  changedWhileThere(tx, serviceChangesTable, service, instancesOf(tx, service))
}

export function destinationChanged(tx: WriteTransaction, service: string): void {
  changedWhileThere(tx, destinationChangesTable, service, waysTo(tx, service))
}

function changedWhileThere(
  tx: WriteTransaction,
  table: TableDefinition<LastChangeRow>,
  service: string,
  instances: Iterable<CatalogService>,
): void {
  const name = nameKey(service)
  for (const _ of instances) {
    if (tx.get(table, name)?.index !== tx.index) tx.put(table, { name, index: tx.index })
    return
  }
  if (tx.delete(table, name)) tx.touch(goneFloor)
}

/** The same for a node. */
export function nodeChanged(tx: WriteTransaction, node: string): void {
  const name = nameKey(node)
  if (nodeByName(tx, node) === undefined) {
    if (tx.delete(nodeChangesTable, name)) tx.touch(goneFloor)
  } else if (tx.get(nodeChangesTable, name)?.index !== tx.index) {
    tx.put(nodeChangesTable, { name, index: tx.index })
  }
}

/** The same for data that are shown with every service on the node: its own, or a check of the node itself. */
export function everyServiceOfNodeChanged(tx: WriteTransaction, node: string): void {
  for (const instance of servicesOfNode(tx, node)) instanceChanged(tx, instance)
}

/**
 * Removes a node with everything on it, its services first, so that the change of the node touches no service that is
 * removed anyway.
 */
export function removeNode(tx: WriteTransaction, { node }: CatalogNode): void {
  for (const service of servicesOfNode(tx, node)) removeService(tx, service)
  for (const check of checksOfNode(tx, node)) removeCheck(tx, check)
  tx.delete(nodesTable, nameKey(node))
  nodeChanged(tx, node)
  tx.raise(nodeRemoved, { node })
}

/** Removes the instance with its checks. */
export function removeService(tx: WriteTransaction, instance: CatalogService): void {
  const { node, id } = instance
  for (const check of checksOfInstance(tx, node, id)) removeCheck(tx, check)
  tx.delete(servicesTable, pairKey(node, id))
  instanceChanged(tx, instance)
  nodeChanged(tx, node)
  tx.raise(serviceRemoved, { node, serviceId: id })
}

export function removeCheck(tx: WriteTransaction, check: CatalogCheck): void {
  const { node, checkId } = check
  tx.delete(checksTable, pairKey(node, checkId))
  nodeChanged(tx, node)
  if (check.serviceId === '') everyServiceOfNodeChanged(tx, node)
  else checkedChanged(tx, check)
  tx.raise(checkRemoved, { node, checkId })
}
