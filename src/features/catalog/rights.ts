import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { equalPlain } from '../../base/shape.ts'
import type { CatalogNode, CheckFacts, DeregisterRequest, RegisterRequest } from '../../model/catalog.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { refusedUnlessAllowed } from '../contract/access.ts'
import { meshSpellings, nameKey } from '../contract/names.ts'
import { checkOfNode, nodeById, nodeByName, serviceOfNode } from './views.ts'

/**
 * The rights of a registration that its token lacks. Rules match names exactly, while the catalog finds nodes, services
 * and checks without case, so rights are required for the existing spellings as well as for the given ones. Reference:
 * access-control.md#dual-checks, catalog.md#put-v1-catalog-register.
 */
export function registrationRefused(
  authorizer: Authorizer,
  request: RegisterRequest,
  tx: ReadTransaction,
): Ask | undefined {
  if (authorizer.unrestricted) return undefined
  for (const ask of registrationAsks(tx, request)) {
    if (!authorizer.allows(ask.resource, ask.name, ask.right)) return ask
  }
  return undefined
}

function* registrationAsks(tx: ReadTransaction, request: RegisterRequest): Generator<Ask> {
  const { node, service, checks } = request
  for (const written of nodesWritten(tx, request)) yield writing('node', written)
  if (service !== null) {
    yield writing('service', service.service)
    // A proxy that is found as an endpoint of another service represents that service.
    const destination = meshDestination(service)
    if (destination !== undefined) for (const name of meshSpellings(destination)) yield writing('service', name)
    const before = serviceOfNode(tx, node.node, service.id)
    if (before !== undefined) yield writing('service', before.service)
  }
  for (const check of checks) {
    yield ownerOf(tx, request, check)
    const before = checkOfNode(tx, node.node, check.checkId)
    if (before !== undefined)
      yield before.serviceId === '' ? writing('node', before.node) : writing('service', before.serviceName)
  }
}

/**
 * A caller without the right to write a node may name it along with services on it, as long as the node itself does not
 * change. With nothing on it, that would be a log entry for which no right was checked.
 */
function nodesWritten(tx: ReadTransaction, request: RegisterRequest): readonly string[] {
  const { node, skipNodeUpdate, service, checks } = request
  const there = nodeByName(tx, node.node)
  if (there === undefined) return [node.node, ...formerName(tx, node)]
  const isAlone = service === null && checks.length === 0
  if (!isAlone && (skipNodeUpdate || isSame(there, node))) return []
  return [node.node, there.node, ...formerName(tx, node)]
}

/** The present name of the node with this ID. */
function formerName(tx: ReadTransaction, { id, node }: RegisterRequest['node']): readonly string[] {
  const former = nodeById(tx, id)
  return former === undefined || nameKey(former.node) === nameKey(node) ? [] : [former.node]
}

function isSame(there: CatalogNode, { id, address, taggedAddresses, meta }: RegisterRequest['node']): boolean {
  if (id !== '' && id !== there.id) return false
  const known = { address: there.address, taggedAddresses: there.taggedAddresses, meta: there.meta }
  return equalPlain(known, { address, taggedAddresses, meta })
}

/** The catalog refuses a check of a missing service; for rights, such a check belongs to the node. */
function ownerOf(tx: ReadTransaction, { node, service }: RegisterRequest, { serviceId }: CheckFacts): Ask {
  if (serviceId === '') return writing('node', node.node)
  if (service !== null && nameKey(service.id) === nameKey(serviceId)) return writing('service', service.service)
  const owner = serviceOfNode(tx, node.node, serviceId)
  return owner === undefined ? writing('node', node.node) : writing('service', owner.service)
}

/**
 * The right to write a node allows removing what is on it; the right to write a service allows removing its instances
 * and their checks.
 */
export function deregistrationRefused(
  authorizer: Authorizer,
  { node, serviceId, checkId }: DeregisterRequest,
  tx: ReadTransaction,
): Ask | undefined {
  if (authorizer.unrestricted) return undefined
  const ofNode = nodeRefused(authorizer, node, nodeByName(tx, node))
  if (ofNode === undefined) return undefined
  const service =
    serviceId === '' ? checkOfNode(tx, node, checkId)?.serviceName : serviceOfNode(tx, node, serviceId)?.service
  if (service === undefined || service === '') return ofNode
  return refusedUnlessAllowed(authorizer, 'service', service, 'write')
}

function nodeRefused(authorizer: Authorizer, given: string, there: CatalogNode | undefined): Ask | undefined {
  const refused = refusedUnlessAllowed(authorizer, 'node', given, 'write')
  if (refused !== undefined || there === undefined || there.node === given) return refused
  return refusedUnlessAllowed(authorizer, 'node', there.node, 'write')
}

function writing(resource: 'node' | 'service', name: string): Ask {
  return { resource, name, right: 'write' }
}
