import { invariant } from '../../base/invariant.ts'
import type { ManagedProxy } from '../../features/contract/local-agent.ts'
import type {
  CheckDefinition,
  CheckFacts,
  CheckStatus,
  NodeFacts,
  OfferedService,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { ManagedFacts } from '../../model/mesh-service.ts'
import { ChecksByService, type Comparison, Entries, itemKey, type SyncMark } from './entries.ts'

/** Where a definition came from: a configuration file, or a caller of the API. */
export type Origin = 'file' | 'api'

interface ServiceEntry extends SyncMark {
  readonly id: string
  /** Null: to be removed from the catalog. */
  facts: ServiceFacts | null
  /** The secret of the service's own token; empty if it has none. */
  token: string
  /** The ID of the service that this sidecar belongs to; empty if it is no sidecar. */
  sidecarOf: string
  /** How the agent runs the proxy as a process; undefined if it does not. */
  managed: ManagedFacts | undefined
  origin: Origin
  /**
   * The service was registered while this agent ran: its tags win over overridden tags of the catalog until the first
   * sync.
   */
  declared: boolean
}

interface CheckEntry extends SyncMark {
  readonly id: string
  /** Null: to be removed from the catalog. */
  definition: CheckDefinition | null
  token: string
  /** Empty for a check of the node. */
  serviceId: string
  origin: Origin
  status: CheckStatus
  output: string
  /** Monotonic time since which the check is critical; undefined while it is not. */
  criticalSinceMs: number | undefined
  /** A new output waits to be synced later. */
  outputDeferred: boolean
}

export interface LocalService {
  readonly facts: ServiceFacts
  readonly origin: Origin
  readonly declared: boolean
}

export interface LocalCheck {
  readonly definition: CheckDefinition
  readonly origin: Origin
  readonly status: CheckStatus
  readonly output: string
  readonly criticalSinceMs: number | undefined
}

export type CheckChange = 'none' | 'output' | 'status'

/** A service or check to be synced, with its version at that time. */
export interface Due<T> {
  readonly id: string
  /** `itemKey` of the ID. */
  readonly key: string
  readonly version: number
  /** Null: it was removed. */
  readonly facts: T | null
  /** The secret of its own token, with which it is synced; empty if it has none. */
  readonly token: string
}

/** Listeners for changes. */
export interface LocalChanges {
  /** Called after services were added, removed or changed. */
  services(): void
  /** Called after a check of this service, or of the node if it is empty, was added, removed or changed. */
  checks(serviceId: string): void
}

/**
 * The services and checks of this agent, and how much of them the catalog has. Held in memory only: writing to disk,
 * running checks and syncing with the catalog are separate parts. A removed item stays as a mark until the catalog has
 * removed it.
 */
export class LocalState {
  readonly #services = new Entries<ServiceEntry>()
  readonly #checks = new Entries<CheckEntry>()
  readonly #checksOf = new ChecksByService()
  readonly #told: LocalChanges
  #node: Omit<SyncMark, 'key'> & { facts: NodeFacts }

  constructor(node: NodeFacts, told: LocalChanges) {
    this.#told = told
    this.#node = { facts: node, synced: false, version: 0 }
  }

  get node(): NodeFacts {
    return this.#node.facts
  }

  setNode(facts: NodeFacts): void {
    this.#node = { facts, synced: false, version: this.#node.version + 1 }
  }

  /** In order of ID. */
  services(): readonly ServiceFacts[] {
    return this.#services.keys().flatMap((id) => this.service(id)?.facts ?? [])
  }

  /** IDs of the sidecars of a service. */
  sidecarsOf(serviceId: string): readonly string[] {
    const key = itemKey(serviceId)
    const isIts = (id: string): boolean => {
      const entry = this.#services.get(id)
      return entry?.facts != null && entry.sidecarOf !== '' && itemKey(entry.sidecarOf) === key
    }
    return this.#services.keys().filter(isIts)
  }

  /** Proxies that the agent runs as processes, in order of ID, each with the token of its service. */
  managedProxies(): readonly ManagedProxy[] {
    return this.#services.keys().flatMap((id) => {
      const entry = this.#services.get(id)
      if (entry?.facts == null || entry.managed === undefined) return []
      const { facts, managed, token } = entry
      return [{ proxy: facts, target: this.service(entry.sidecarOf)?.facts, managed, token }]
    })
  }

  service(id: string): LocalService | undefined {
    const entry = this.#services.get(id)
    return entry?.facts == null ? undefined : { ...entry, facts: entry.facts }
  }

  /** Whether there are at least `count` services; counts only if that is possible. */
  hasServices(count: number): boolean {
    return this.#services.size >= count && this.serviceCount >= count
  }

  hasChecks(count: number): boolean {
    return this.#checks.size >= count && this.checkCount >= count
  }

  get serviceCount(): number {
    let count = 0
    for (const { facts } of this.#services.values()) if (facts !== null) count++
    return count
  }

  get checkCount(): number {
    let count = 0
    for (const { definition } of this.#checks.values()) if (definition !== null) count++
    return count
  }

  /** In order of check ID. */
  checks(): readonly CheckFacts[] {
    return this.#checks.keys().flatMap((id) => this.#checkFacts(id) ?? [])
  }

  /** In order of check ID. */
  localChecks(): readonly LocalCheck[] {
    return this.#checks.keys().flatMap((id) => this.check(id) ?? [])
  }

  check(id: string): LocalCheck | undefined {
    const entry = this.#checks.get(id)
    return entry?.definition == null ? undefined : { ...entry, definition: entry.definition }
  }

  /** In order of check ID. */
  checksOf(serviceId: string): readonly LocalCheck[] {
    return this.#checksOf.of(serviceId).flatMap((id) => this.check(id) ?? [])
  }

  /** `declared`: registered now, and not restored from an earlier process. */
  putService(offered: OfferedService, origin: Origin, declared: boolean): void {
    const { token = '', sidecarOf = '', managed, ...facts } = offered
    this.#services.put(facts.id, (mark) => ({
      id: facts.id,
      facts,
      token,
      sidecarOf,
      managed,
      origin,
      declared,
      ...mark,
    }))
    // The checks carry the name and tags of their service.
    for (const key of this.#checksOf.of(facts.id)) this.#touchCheck(this.#checks.get(key))
    this.#told.services()
  }

  /** An existing check keeps its status and output. */
  putCheck(definition: CheckDefinition, origin: Origin, nowMs: number): void {
    const key = itemKey(definition.checkId)
    const before = this.check(key)
    const status = before?.status ?? definition.status
    this.#putCheck(key, {
      id: definition.checkId,
      definition,
      token: definition.token ?? '',
      serviceId: definition.serviceId,
      origin,
      status,
      output: before?.output ?? '',
      criticalSinceMs: status === 'critical' ? (before?.criticalSinceMs ?? nowMs) : undefined,
    })
    this.#told.checks(definition.serviceId)
  }

  removeService(id: string): void {
    const entry = this.#services.get(id)
    if (entry === undefined) return
    entry.facts = null
    this.#services.touch(entry)
    this.#told.services()
  }

  removeCheck(id: string): void {
    const entry = this.#checks.get(id)
    if (entry === undefined) return
    entry.definition = null
    this.#touchCheck(entry)
    this.#told.checks(entry.serviceId)
  }

  /** The result of a run or a report. `defer`: a change of the output alone is not synced until `outputDue`. */
  updateCheck(id: string, status: CheckStatus, output: string, nowMs: number, defer: boolean): CheckChange {
    const entry = this.#checks.get(id)
    if (entry?.definition == null) return 'none'
    entry.criticalSinceMs = status === 'critical' ? (entry.criticalSinceMs ?? nowMs) : undefined
    if (entry.status === status && entry.output === output) return 'none'
    const change = entry.status === status ? 'output' : 'status'
    entry.status = status
    entry.output = output
    if (change === 'output' && defer && entry.synced) entry.outputDeferred = true
    else this.#touchCheck(entry)
    this.#told.checks(entry.serviceId)
    return change
  }

  isOutputDeferred(id: string): boolean {
    return this.#checks.get(id)?.outputDeferred === true
  }

  /** A deferred output is to be synced now; returns whether there is anything to sync. */
  outputDue(id: string): boolean {
    const entry = this.#checks.get(id)
    if (entry?.outputDeferred !== true) return false
    this.#touchCheck(entry)
    return true
  }

  /** Items that the catalog is not known to have, in order of ID. */
  dueNode(): Due<NodeFacts> | undefined {
    const { synced, version, facts } = this.#node
    return synced ? undefined : { id: facts.node, key: itemKey(facts.node), version, facts, token: '' }
  }

  dueServices(): readonly string[] {
    return this.#services.dueKeys()
  }

  dueService(id: string): Due<ServiceFacts> | undefined {
    const entry = this.#services.get(id)
    return entry === undefined || entry.synced
      ? undefined
      : { id: entry.id, key: entry.key, version: entry.version, facts: entry.facts, token: entry.token }
  }

  dueChecks(): readonly string[] {
    return this.#checks.dueKeys()
  }

  /** Checks of a service to be synced, without removed ones. */
  dueChecksOf(serviceId: string): readonly Due<CheckFacts>[] {
    return this.#checksOf.of(serviceId).flatMap((id) => {
      const due = this.dueCheck(id)
      return due === undefined || due.facts === null ? [] : due
    })
  }

  dueCheck(id: string): Due<CheckFacts> | undefined {
    const entry = this.#checks.get(id)
    if (entry === undefined || entry.synced) return undefined
    const { key, version, token } = entry
    return { id: entry.id, key, version, facts: this.#checkFacts(key) ?? null, token }
  }

  nodeSynced(due: Due<unknown>): void {
    if (this.#node.version === due.version) this.#node.synced = true
  }

  serviceSynced(due: Due<unknown>): void {
    const entry = this.#services.get(due.key)
    if (entry?.version !== due.version) return
    if (entry.facts !== null) {
      this.#services.setSynced(entry, true)
      entry.declared = false
    } else {
      this.#services.delete(due.key)
      // The catalog removes an instance together with its checks.
      for (const key of this.#checksOf.of(due.key)) {
        const check = this.#checks.get(key)
        if (check?.definition === null) this.#deleteCheck(check)
      }
    }
  }

  checkSynced(due: Due<unknown>): void {
    const entry = this.#checks.get(due.key)
    if (entry?.version !== due.version) return
    entry.outputDeferred = false
    if (entry.definition === null) this.#deleteCheck(entry)
    else this.#checks.setSynced(entry, true)
  }

  /** Takes over the result of a comparison with the catalog. */
  compared(found: Comparison): void {
    const { node, services, checks } = found
    this.#node.synced = node
    for (const [id, tags] of found.overriddenTags) this.#overrideTags(id, tags)
    for (const [key, entry] of this.#services.all()) {
      const gone = entry.facts === null
      if (gone && !services.present.has(key)) this.#services.delete(key)
      else if (!services.unseen.has(key)) this.#services.setSynced(entry, !gone && services.equal.has(key))
    }
    for (const [key, entry] of this.#checks.all()) {
      const gone = entry.definition === null
      if (gone && !checks.present.has(key)) this.#deleteCheck(entry)
      else if (!checks.unseen.has(key)) this.#checks.setSynced(entry, !gone && checks.equal.has(key))
    }
    for (const id of found.strangeServices) this.#takeOutService(id)
    for (const { checkId, serviceId } of found.strangeChecks) this.#takeOutCheck(checkId, serviceId)
  }

  #overrideTags(id: string, tags: readonly string[]): void {
    const entry = this.#services.get(id)
    invariant(entry?.facts != null, 'only tags of a service that is here are taken over', { id })
    entry.facts = { ...entry.facts, tags }
    this.#told.services()
  }

  #takeOutService(id: string): void {
    if (this.#services.has(id)) return
    this.#services.put(id, (mark) => ({ id, facts: null, ...nobodys, ...mark }))
  }

  #takeOutCheck(id: string, serviceId: string): void {
    if (this.#checks.has(id)) return
    const nothing = { definition: null, token: '', output: '', criticalSinceMs: undefined } as const
    this.#putCheck(itemKey(id), { id, serviceId, origin: 'api', status: 'critical', ...nothing })
  }

  #putCheck(key: string, check: Omit<CheckEntry, keyof SyncMark | 'outputDeferred'>): void {
    const before = this.#checks.get(key)
    if (before !== undefined) this.#checksOf.delete(before.serviceId, key)
    this.#checksOf.add(check.serviceId, key)
    this.#checks.put(key, (mark) => ({ ...check, outputDeferred: false, ...mark }))
  }

  #deleteCheck({ key, serviceId }: CheckEntry): void {
    this.#checksOf.delete(serviceId, key)
    this.#checks.delete(key)
  }

  #checkFacts(id: string): CheckFacts | undefined {
    const check = this.check(id)
    if (check === undefined) return undefined
    const { definition, status, output } = check
    const service = this.service(definition.serviceId)?.facts
    return {
      node: this.#node.facts.node,
      checkId: definition.checkId,
      name: definition.name,
      status,
      notes: definition.notes,
      output,
      serviceId: service?.id ?? definition.serviceId,
      serviceName: service?.service ?? '',
      serviceTags: service?.tags ?? [],
      definition: null,
    }
  }

  #touchCheck(entry: CheckEntry | undefined): void {
    if (entry === undefined) return
    entry.outputDeferred = false
    this.#checks.touch(entry)
  }
}

const nobodys = { token: '', sidecarOf: '', managed: undefined, origin: 'api', declared: false } as const
