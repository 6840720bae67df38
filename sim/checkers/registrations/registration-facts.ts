import type { CatalogCheck, CatalogService, ServiceFacts } from '../../../src/model/catalog.ts'

/** The status that a change gives a TTL check. `as it was`: it is redefined, and keeps its status. */
export interface CheckHeard {
  readonly checkId: string
  readonly ttlMs: number
  /** `gone`: the check is removed. */
  readonly status: 'passing' | 'warning' | 'critical' | 'as it was' | 'gone'
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
  readonly calledUs: number
  /** When it was answered or abandoned. */
  endedUs: number
  /** `not held`: the agent says that it has no such check. `unknown`: it may have taken effect, and may still do so. */
  outcome: 'open' | 'done' | 'not held' | 'unknown'
}

/** The compared facts of a service. */
export function serviceText({
  service,
  address,
  port,
  tags,
  meta,
  weights: { passing, warning },
  mesh,
}: Pick<ServiceFacts, 'service' | 'address' | 'port' | 'tags' | 'meta' | 'weights' | 'mesh'>): string {
  const pairs = (meta ?? []).map(([key, value]) => `${key}=${value}`).join(',')
  const native = mesh?.native === true ? ' in the mesh' : ''
  return `${service} at ${address}:${port} tags ${tags.join(',')} meta ${pairs} weights ${passing}/${warning}${native}`
}

/** The compared facts of a check, without its status. */
export function checkText({ name, notes, serviceId }: Pick<CatalogCheck, 'name' | 'notes' | 'serviceId'>): string {
  return `${name} of ${serviceId === '' ? 'the node' : serviceId}, notes ${notes}`
}

/** The catalog's rows of one node. */
export interface NodeRows {
  /** By item, in the form of `serviceText` and `checkText`. */
  readonly items: ReadonlyMap<string, string>
  /** By check ID. */
  readonly statuses: ReadonlyMap<string, string>
}

export const noRows: NodeRows = { items: new Map(), statuses: new Map() }

export function rowsOf(services: Iterable<CatalogService>, checks: Iterable<CatalogCheck>): NodeRows {
  const items = new Map<string, string>()
  const statuses = new Map<string, string>()
  for (const service of services) items.set(`service ${service.id}`, serviceText(service))
  for (const check of checks) {
    items.set(`check ${check.checkId}`, checkText(check))
    statuses.set(check.checkId, check.status)
  }
  return { items, statuses }
}
