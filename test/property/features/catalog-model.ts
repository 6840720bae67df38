import type {
  CatalogCheck,
  CatalogNode,
  CatalogService,
  CheckFacts,
  DeregisterRequest,
  HealthServiceEntry,
  RegisterRequest,
} from '../../../src/model/catalog.ts'
import { type ModifyIndex, modifyIndexOf, noChange } from '../../../src/model/log-position.ts'

interface Place {
  node: CatalogNode
  readonly services: Map<string, CatalogService>
  readonly checks: Map<string, CatalogCheck>
}

const fold = (name: string): string => name.toLowerCase()

/**
 * What a catalog must be: plain maps, with the rules of HTTP API 2 written out once more. Says what it was asked to
 * refuse.
 */
export class CatalogModel {
  readonly #places = new Map<string, Place>()
  /** What happened, in order. */
  readonly events: string[] = []

  register(request: RegisterRequest, index: number): boolean {
    const { node, service, checks } = request
    const named = this.#places.get(fold(node.node))
    const skip = request.skipNodeUpdate && named !== undefined
    const owner = node.id === '' ? undefined : [...this.#places.values()].find((place) => place.node.id === node.id)
    const renamed = !skip && owner !== undefined && fold(owner.node.node) !== fold(node.node) ? owner : undefined
    if (!skip && node.id !== '' && named !== undefined && named.node.id !== node.id) {
      if (named.node.id !== '' || renamed !== undefined) return false
    }
    const known = new Set(renamed === undefined ? named?.services.keys() : [])
    if (service !== null) known.add(fold(service.id))
    for (const check of checks) {
      if (fold(check.node) !== fold(node.node)) return false
      if (check.serviceId !== '' && !known.has(fold(check.serviceId))) return false
    }
    if (renamed !== undefined) this.#removeNode(renamed)
    const place = skip && named !== undefined ? named : this.#putNode(request, renamed?.node, modifyIndexOf(index))
    if (service !== null) this.#putService(place, service, modifyIndexOf(index))
    for (const [at, check] of checks.entries()) {
      const replaced = checks.slice(at + 1).some(({ checkId }) => fold(checkId) === fold(check.checkId))
      if (!replaced) this.#putCheck(place, check, index)
    }
    return true
  }

  deregister({ node, serviceId, checkId }: DeregisterRequest): void {
    const place = this.#places.get(fold(node))
    if (place === undefined) return
    if (serviceId !== '') this.#removeService(place, serviceId)
    else if (checkId !== '') this.#removeCheck(place, checkId)
    else this.#removeNode(place)
  }

  nodes(): CatalogNode[] {
    return this.#inOrder().map(({ node }) => node)
  }

  health(service: string): HealthServiceEntry[] {
    return this.#healthOf((instance) => fold(instance.service) === fold(service))
  }

  /** Proxies of the service, and instances of it that need none. */
  ways(service: string): HealthServiceEntry[] {
    return this.#healthOf(({ kind, service: name, mesh }) => {
      const destination = kind === 'connect-proxy' ? mesh?.proxy?.destination : mesh?.native === true ? name : undefined
      return destination !== undefined && fold(destination) === fold(service)
    })
  }

  #healthOf(counts: (instance: CatalogService) => boolean): HealthServiceEntry[] {
    return this.#inOrder().flatMap((place) =>
      sorted(place.services)
        .filter(counts)
        .map((instance) => {
          const checks = sorted(place.checks)
          const own = checks.filter(({ serviceId }) => serviceId !== '' && fold(serviceId) === fold(instance.id))
          return { node: place.node, service: instance, checks: [...checks.filter((c) => c.serviceId === ''), ...own] }
        }),
    )
  }

  dump(node: string): { node: CatalogNode | null; services: CatalogService[]; checks: CatalogCheck[] } {
    const place = this.#places.get(fold(node))
    if (place === undefined) return { node: null, services: [], checks: [] }
    return { node: place.node, services: sorted(place.services), checks: sorted(place.checks) }
  }

  checks(): CatalogCheck[] {
    return this.#inOrder().flatMap((place) => sorted(place.checks))
  }

  #inOrder(): Place[] {
    return sorted(this.#places)
  }

  #putNode({ node }: RegisterRequest, renamed: CatalogNode | undefined, index: ModifyIndex): Place {
    const before = this.#places.get(fold(node.node))
    const old = renamed ?? before?.node
    const kept =
      before === undefined ? {} : { node: before.node.node, ...(node.id === '' ? { id: before.node.id } : {}) }
    const row = { ...node, ...kept, createIndex: old?.createIndex ?? index, modifyIndex: index }
    if (before === undefined) {
      const place = { node: row, services: new Map(), checks: new Map() }
      this.#places.set(fold(node.node), place)
      return place
    }
    if (!same(row, before.node)) before.node = row
    return before
  }

  #putService(place: Place, facts: NonNullable<RegisterRequest['service']>, index: ModifyIndex): void {
    const before = place.services.get(fold(facts.id))
    const createIndex = before?.createIndex ?? index
    const row = { ...facts, node: place.node.node, createIndex, modifyIndex: index }
    if (before !== undefined && same(row, before)) return
    place.services.set(fold(facts.id), row)
    for (const [id, check] of place.checks) {
      if (fold(check.serviceId) !== fold(facts.id)) continue
      const next = { ...check, serviceName: row.service, serviceTags: row.tags, modifyIndex: index }
      if (!same(next, check)) place.checks.set(id, next)
    }
  }

  #putCheck(place: Place, facts: CheckFacts, index: number): void {
    const before = place.checks.get(fold(facts.checkId))
    const service = place.services.get(fold(facts.serviceId))
    const row: CatalogCheck = {
      ...facts,
      node: place.node.node,
      status: facts.status || 'critical',
      serviceName: service?.service ?? '',
      serviceTags: service?.tags ?? [],
      createIndex: modifyIndexOf(before?.createIndex ?? index),
      modifyIndex: modifyIndexOf(index),
    }
    if (before !== undefined && same(row, before)) return
    place.checks.set(fold(facts.checkId), row)
    if (row.status === 'critical' && before?.status !== 'critical')
      this.events.push(`critical ${row.node} ${row.checkId}`)
  }

  #removeNode(place: Place): void {
    for (const id of [...place.services.keys()].sort(order)) this.#removeService(place, id)
    for (const id of [...place.checks.keys()].sort(order)) this.#removeCheck(place, id)
    this.#places.delete(fold(place.node.node))
    this.events.push(`node ${place.node.node}`)
  }

  #removeService(place: Place, id: string): void {
    const service = place.services.get(fold(id))
    if (service === undefined) return
    for (const check of sorted(place.checks)) {
      if (check.serviceId !== '' && fold(check.serviceId) === fold(id)) this.#removeCheck(place, check.checkId)
    }
    place.services.delete(fold(id))
    this.events.push(`service ${service.node} ${service.id}`)
  }

  #removeCheck(place: Place, id: string): void {
    const check = place.checks.get(fold(id))
    if (check === undefined) return
    place.checks.delete(fold(id))
    this.events.push(`check ${check.node} ${check.checkId}`)
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : 1
}

function sorted<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([a], [b]) => order(a, b)).map(([, value]) => value)
}

function same(a: { modifyIndex: number }, b: { modifyIndex: number }): boolean {
  return JSON.stringify({ ...a, modifyIndex: noChange }) === JSON.stringify({ ...b, modifyIndex: noChange })
}
