import type { WriteTransaction } from '../../store/types.ts'
import { nameKey } from '../name-keys.ts'
import { goneFloor, nodeChangesTable, serviceChangesTable } from './tables.ts'
import { instancesOf, nodeByName, servicesOfNode } from './views.ts'

/**
 * Says that something told of a service has changed: called after each such change, also of its going. `serviceIndex` in
 * views.ts has the argument that rests on it.
 */
export function serviceChanged(tx: WriteTransaction, service: string): void {
  const name = nameKey(service)
  for (const _ of instancesOf(tx, service)) {
    if (tx.get(serviceChangesTable, name)?.index !== tx.index) tx.put(serviceChangesTable, { name, index: tx.index })
    return
  }
  if (tx.delete(serviceChangesTable, name)) tx.touch(goneFloor)
}

/** The same of a node. */
export function nodeChanged(tx: WriteTransaction, node: string): void {
  const name = nameKey(node)
  if (nodeByName(tx, node) === undefined) {
    if (tx.delete(nodeChangesTable, name)) tx.touch(goneFloor)
  } else if (tx.get(nodeChangesTable, name)?.index !== tx.index) {
    tx.put(nodeChangesTable, { name, index: tx.index })
  }
}

/** Something that is told with every service on the node: its own data, or a check of the node itself. */
export function everyServiceOfNodeChanged(tx: WriteTransaction, node: string): void {
  for (const { service } of servicesOfNode(tx, node)) serviceChanged(tx, service)
}
