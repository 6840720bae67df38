import type { CatalogCheck, CatalogNode, CatalogService } from '../../model/catalog.ts'
import type { WriteTransaction } from '../../store/types.ts'
import { nameKey, pairKey } from '../contract/names.ts'
import { checkedChanged, everyServiceOfNodeChanged, instanceChanged, nodeChanged } from './changes.ts'
import { checkRemoved, nodeRemoved, serviceRemoved } from './model.ts'
import { checksTable, nodesTable, servicesTable } from './tables.ts'
import { checksOfInstance, checksOfNode, servicesOfNode } from './views.ts'

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
