import { equalPlain } from '../../base/shape.ts'
import type {
  CatalogCheck,
  CatalogNode,
  CatalogService,
  CheckFacts,
  NodeFacts,
  RegisterAllRequest,
  RegisterRequest,
  ServiceFacts,
} from '../../model/catalog.ts'
import { membershipCheckId } from '../../model/catalog.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import { destinationChanged, everyServiceOfNodeChanged, nodeChanged, removeNode, serviceChanged } from './changes.ts'
import { checkBecameCritical } from './model.ts'
import { checksTable, nodesTable, servicesTable } from './tables.ts'
import { checkOfNode, checksOfInstance, nodeById, nodeByName, serviceOfNode } from './views.ts'

/**
 * Why a registration does not fit the present catalog; null if it does. Checked as a whole, before any of it is
 * applied.
 */
export function registrationRefusal(tx: ReadTransaction, request: RegisterRequest): string | null {
  const { node, service, checks } = request
  if (nodeIsWritten(tx, request)) {
    const holder = nameHolder(tx, request)
    if (holder !== undefined) {
      const reserved = `Node name ${node.node} is reserved by node ${holder.id} with name ${holder.node}`
      return `failed inserting node: Error while renaming Node ID: "${node.id}": ${reserved}`
    }
    const owner = formerNode(tx, request)
    if (owner !== undefined && isAlive(tx, owner)) {
      const held = `it is the ID of node ${owner.node}, whose agent is alive`
      return `failed inserting node: Error while renaming Node ID: "${node.id}": ${held}`
    }
  }
  for (const check of checks) {
    if (nameKey(check.node) !== nameKey(node.node)) {
      return `check node "${check.node}" does not match node "${node.node}"`
    }
    const known =
      check.serviceId === '' ||
      (service !== null && nameKey(service.id) === nameKey(check.serviceId)) ||
      serviceOfNode(tx, node.node, check.serviceId) !== undefined
    if (!known) return `failed inserting check: Missing service registration on node "${node.node}"`
  }
  return null
}

/** Unchanged parts change no index. */
export function carryOutRegistration(tx: WriteTransaction, request: RegisterRequest): void {
  const changed: Changed = { services: new Set(), destinations: new Set(), everyService: false }
  carryOut(tx, request, changed)
  tellChanged(tx, request.node.node, changed)
}

/**
 * Applies several registrations one after another, as if each had come by itself. Returns for each why it was refused;
 * null if it was applied.
 */
export function carryOutAll(
  tx: WriteTransaction,
  { node, skipNodeUpdate, offers }: RegisterAllRequest,
): readonly (string | null)[] {
  const changed: Changed = { services: new Set(), destinations: new Set(), everyService: false }
  const refusals = offers.map((offer) => {
    const request = { node, skipNodeUpdate, ...offer }
    const refusal = registrationRefusal(tx, request)
    if (refusal === null) carryOut(tx, request, changed)
    return refusal
  })
  tellChanged(tx, node.node, changed)
  return refusals
}

function carryOut(tx: WriteTransaction, request: RegisterRequest, changed: Changed): void {
  const node = putNode(tx, request, changed)
  if (request.service !== null) putService(tx, node, request.service, changed)
  for (const check of lastOfEach(request.checks)) putCheck(tx, node, check, changed)
}

/** Called once, at the end: a request can bring many checks to a node with many services. */
function tellChanged(tx: WriteTransaction, node: string, changed: Changed): void {
  if (changed.everyService) everyServiceOfNodeChanged(tx, node)
  for (const service of changed.services) serviceChanged(tx, service)
  for (const destination of changed.destinations) destinationChanged(tx, destination)
  if (changed.everyService || changed.services.size > 0) nodeChanged(tx, node)
}

/** The changes of a registration so far that answers about services show. */
interface Changed {
  readonly services: Set<string>
  /** Services that are reached over the mesh. */
  readonly destinations: Set<string>
  /** Every service on the node. */
  everyService: boolean
}

/** Of several checks with the same ID the last counts. */
function lastOfEach(checks: readonly CheckFacts[]): readonly CheckFacts[] {
  if (checks.length < 2) return checks
  const last = new Map(checks.map((check, at) => [nameKey(check.checkId), at]))
  return checks.filter((check, at) => last.get(nameKey(check.checkId)) === at)
}

function nodeIsWritten(tx: ReadTransaction, { node, skipNodeUpdate }: RegisterRequest): boolean {
  return !skipNodeUpdate || nodeByName(tx, node.node) === undefined
}

/** The node that has had this ID under another name. */
function formerNode(tx: ReadTransaction, { node }: RegisterRequest): CatalogNode | undefined {
  const known = nodeById(tx, node.id)
  return known === undefined || nameKey(known.node) === nameKey(node.node) ? undefined : known
}

/**
 * Whether the pool considers the agent of this node alive. Then another agent with the same ID is not a renamed one but
 * a copy of its data directory: the two would take the ID, and everything registered with it, from each other for ever.
 */
function isAlive(tx: ReadTransaction, { node }: CatalogNode): boolean {
  return checkOfNode(tx, node, membershipCheckId)?.status === 'passing'
}

/** Another node that holds the requested name. A node without an ID gives its name to one with a new ID. */
function nameHolder(tx: ReadTransaction, request: RegisterRequest): CatalogNode | undefined {
  const { id, node } = request.node
  const holder = nodeByName(tx, node)
  if (id === '' || holder === undefined || holder.id === id) return undefined
  return holder.id === '' && formerNode(tx, request) === undefined ? undefined : holder
}

/** A renamed node loses everything that was on it: its agent registers that again. */
function putNode(tx: WriteTransaction, request: RegisterRequest, changed: Changed): CatalogNode {
  const there = nodeByName(tx, request.node.node)
  if (there !== undefined && request.skipNodeUpdate) return there
  const former = formerNode(tx, request)
  if (former !== undefined) removeNode(tx, former)
  const before = former ?? there
  const facts = former === undefined && there !== undefined ? keptOf(there, request.node) : request.node
  const row: CatalogNode = { ...facts, createIndex: before?.createIndex ?? tx.index, modifyIndex: tx.index }
  if (before !== undefined && former === undefined && sameButIndex(row, before)) return before
  tx.put(nodesTable, row)
  changed.everyService = true
  return row
}

/** A node keeps the first spelling of its name, which everything on it carries, and its ID if none is given. */
function keptOf(there: CatalogNode, facts: NodeFacts): NodeFacts {
  return { ...facts, node: there.node, id: facts.id === '' ? there.id : facts.id }
}

function putService(tx: WriteTransaction, { node }: CatalogNode, facts: ServiceFacts, changed: Changed): void {
  const before = serviceOfNode(tx, node, facts.id)
  const { createIndex = tx.index } = before ?? {}
  const row: CatalogService = { ...storable(facts), node, createIndex, modifyIndex: tx.index }
  if (before !== undefined && sameButIndex(row, before)) return
  tx.put(servicesTable, row)
  tellOf(changed, row)
  if (before !== undefined) tellOf(changed, before)
  for (const check of checksOfInstance(tx, node, row.id)) putCheckRow(tx, named(check, row), check, changed)
}

/**
 * A snapshot does not tell a member that is undefined from an absent one. No row may, either: otherwise a server that
 * was restored would find a service changed where the others find it unchanged.
 */
function storable({ mesh, ...plain }: ServiceFacts): ServiceFacts {
  return mesh === undefined ? plain : { ...plain, mesh }
}

function tellOf(changed: Changed, instance: CatalogService): void {
  changed.services.add(instance.service)
  const destination = meshDestination(instance)
  if (destination !== undefined) changed.destinations.add(destination)
}

function putCheck(tx: WriteTransaction, { node }: CatalogNode, facts: CheckFacts, changed: Changed): void {
  const before = checkOfNode(tx, node, facts.checkId)
  const service = facts.serviceId === '' ? undefined : serviceOfNode(tx, node, facts.serviceId)
  const status = facts.status === '' ? 'critical' : facts.status
  const placed = { ...named(facts, service), node, status }
  const row: CatalogCheck = { ...placed, createIndex: before?.createIndex ?? tx.index, modifyIndex: tx.index }
  putCheckRow(tx, row, before, changed)
}

function putCheckRow(
  tx: WriteTransaction,
  check: CatalogCheck,
  before: CatalogCheck | undefined,
  changed: Changed,
): void {
  const row = { ...check, modifyIndex: tx.index }
  if (before !== undefined && sameButIndex(row, before)) return
  tx.put(checksTable, row)
  for (const { serviceId, serviceName } of before === undefined ? [row] : [row, before]) {
    if (serviceId === '') changed.everyService = true
    else changed.services.add(serviceName)
    const checked = serviceId === '' ? undefined : serviceOfNode(tx, row.node, serviceId)
    if (checked !== undefined) tellOf(changed, checked)
  }
  if (row.status === 'critical' && before?.status !== 'critical') {
    tx.raise(checkBecameCritical, { node: row.node, checkId: row.checkId })
  }
}

/** A check carries the name and the tags of its service as the catalog has them. */
function named<C extends CheckFacts>(check: C, service: CatalogService | undefined): C {
  return { ...check, serviceName: service?.service ?? '', serviceTags: service?.tags ?? [] }
}

function sameButIndex(a: { readonly modifyIndex: ModifyIndex }, b: { readonly modifyIndex: ModifyIndex }): boolean {
  return equalPlain({ ...a, modifyIndex: 0 }, { ...b, modifyIndex: 0 })
}
