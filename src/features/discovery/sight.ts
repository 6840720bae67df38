import type { Authorizer } from '../../access/authorizer.ts'
import type { CatalogCheck, CatalogNode, CheckFacts, HealthServiceEntry } from '../../model/catalog.ts'
import { keptOf } from '../contract/access.ts'

/**
 * What a token may see of the catalog. Services on a node require the right to read both. Reference:
 * access-control.md#dual-checks.
 */

export function seesNode(authorizer: Authorizer, node: string): boolean {
  return authorizer.allows('node', node, 'read')
}

/** `service` is empty for a check of the node itself. */
export function seesService(authorizer: Authorizer, service: string): boolean {
  return service === '' || authorizer.allows('service', service, 'read')
}

export function nodesSeenBy(authorizer: Authorizer, nodes: readonly CatalogNode[]): readonly CatalogNode[] {
  return authorizer.readsAll('node') ? nodes : keptOf(nodes, ({ node }) => seesNode(authorizer, node))
}

/** The visible ones of items that each are a service on a node. */
export function placedSeenBy<T extends Pick<HealthServiceEntry, 'node' | 'service'>>(
  authorizer: Authorizer,
  placed: readonly T[],
): readonly T[] {
  if (seesAll(authorizer)) return placed
  return keptOf(placed, ({ node, service }) => sees(authorizer, node.node, service.service))
}

export function checksSeenBy<C extends CheckFacts | CatalogCheck>(
  authorizer: Authorizer,
  checks: readonly C[],
): readonly C[] {
  if (seesAll(authorizer)) return checks
  return keptOf(checks, ({ node, serviceName }) => sees(authorizer, node, serviceName))
}

/** The visible ones of services on a node that is itself visible. */
export function servicesSeenBy<S extends { readonly service: string }>(
  authorizer: Authorizer,
  services: readonly S[],
): readonly S[] {
  return authorizer.readsAll('service') ? services : keptOf(services, ({ service }) => seesService(authorizer, service))
}

function seesAll(authorizer: Authorizer): boolean {
  return authorizer.readsAll('node') && authorizer.readsAll('service')
}

function sees(authorizer: Authorizer, node: string, service: string): boolean {
  return seesNode(authorizer, node) && seesService(authorizer, service)
}
