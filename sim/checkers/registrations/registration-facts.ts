import type { CatalogCheck, CatalogService, ServiceFacts } from '../../../src/model/catalog.ts'
import { proxyKind } from '../../../src/model/mesh-service.ts'

/** The status that a change gives a TTL check. `as it was`: it is redefined, and keeps its status. */
export interface CheckHeard {
  readonly checkId: string
  readonly ttlMs: number
  /** `gone`: the check is removed. */
  readonly status: 'passing' | 'warning' | 'critical' | 'as it was' | 'gone'
}

/** The instances whose checks an alias check stands for. */
export interface AliasTarget {
  /** Empty: the agent's own node, as the agent itself knows it. */
  readonly node: string
  /** ID of a service; empty: the node alone. */
  readonly service: string
}

/** An alias check that a change defines. `target` undefined: the check is removed. */
export interface AliasChange {
  readonly checkId: string
  readonly target: AliasTarget | undefined
}

/** A client's request to an agent about its services and checks, and its outcome. */
export interface RegistrationChange {
  readonly node: string
  /** Method and target of the request. */
  readonly what: string
  /**
   * The wanted state by item (`service web-1`, `check service:web-1`), in the form of `serviceText`; undefined:
   * removed.
   */
  readonly items: ReadonlyMap<string, string | undefined>
  readonly heard: readonly CheckHeard[]
  readonly aliases: readonly AliasChange[]
  readonly calledUs: number
  /** When it was answered or abandoned. */
  endedUs: number
  /** `not held`: the agent says that it has no such check. `unknown`: it may have taken effect, and may still do so. */
  outcome: 'open' | 'done' | 'not held' | 'unknown'
}

type ComparedService = Pick<ServiceFacts, 'service' | 'address' | 'port' | 'tags' | 'meta' | 'weights' | 'mesh'>
type ComparedCheck = Pick<CatalogCheck, 'name' | 'notes' | 'serviceId'>

/** The compared facts of a service. The agent chooses the port of a proxy: E12 judges it. */
export function serviceText({
  service,
  address,
  port,
  tags,
  meta,
  weights: { passing, warning },
  mesh,
}: ComparedService): string {
  const pairs = (meta ?? []).map(([key, value]) => `${key}=${value}`).join(',')
  const native = mesh?.native === true ? ' in the mesh' : ''
  const proxy = mesh?.proxy ?? undefined
  const place =
    proxy === undefined ? `${address}:${port}` : `${address} before ${proxy.destinationId}:${proxy.localPort}`
  return `${service} at ${place} tags ${tags.join(',')} meta ${pairs} weights ${passing}/${warning}${native}`
}

/** The compared facts of a check, without its status. */
export function checkText({ name, notes, serviceId }: ComparedCheck): string {
  return `${name} of ${serviceId === '' ? 'the node' : serviceId}, notes ${notes}`
}

/** By item, in the form of `serviceText` and `checkText`. */
export function itemsOf(
  services: Iterable<ComparedService & Pick<ServiceFacts, 'id'>>,
  checks: Iterable<ComparedCheck & Pick<CatalogCheck, 'checkId'>>,
): ReadonlyMap<string, string> {
  const items = new Map<string, string>()
  for (const service of services) items.set(`service ${service.id}`, serviceText(service))
  for (const check of checks) items.set(`check ${check.checkId}`, checkText(check))
  return items
}

/** The catalog's rows of one node. */
export interface NodeRows {
  /** By item, in the form of `serviceText` and `checkText`. */
  readonly items: ReadonlyMap<string, string>
  /** By check ID. */
  readonly statuses: ReadonlyMap<string, string>
  /** The service of each check, by check ID; empty: the node. */
  readonly owners: ReadonlyMap<string, string>
  /** The ports of proxies, by service ID. */
  readonly proxyPorts: ReadonlyMap<string, number>
}

export const noRows: NodeRows = { items: new Map(), statuses: new Map(), owners: new Map(), proxyPorts: new Map() }

export function rowsOf(services: Iterable<CatalogService>, checks: Iterable<CatalogCheck>): NodeRows {
  const statuses = new Map<string, string>()
  const owners = new Map<string, string>()
  const proxyPorts = new Map<string, number>()
  for (const { id, kind, port } of services) if (kind === proxyKind) proxyPorts.set(id, port)
  for (const check of checks) {
    statuses.set(check.checkId, check.status)
    owners.set(check.checkId, check.serviceId)
  }
  return { items: itemsOf(services, checks), statuses, owners, proxyPorts }
}
