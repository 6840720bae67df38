import { compareText } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import type { CheckDefinition, CheckFacts, CheckStatus, NodeFacts, ServiceFacts } from '../../model/catalog.ts'
import { itemKey } from './item-key.ts'

/** Who told the agent of it: a configuration file, or a caller of the API. */
export type Origin = 'file' | 'api'

/** One thing that the catalog is to know. `version` changes with it, so that a sync under way does not pass for a later one. */
interface SyncMark {
  synced: boolean
  version: number
}

interface ServiceEntry extends SyncMark {
  readonly id: string
  /** Null: to be taken out of the catalog. */
  facts: ServiceFacts | null
  origin: Origin
  /** Somebody said so while this agent ran: its tags count even where the catalog's may, until it has been told. */
  declared: boolean
}

interface CheckEntry extends SyncMark {
  readonly id: string
  /** Null: to be taken out of the catalog. */
  definition: CheckDefinition | null
  /** Empty for a check of the node. */
  serviceId: string
  origin: Origin
  status: CheckStatus
  output: string
  /** Monotonic; undefined while it is not critical. */
  criticalSinceMs: number | undefined
  /** The catalog is told of a new output later. */
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

/** A thing to be told of, as it was at some version. */
export interface Due<T> {
  readonly id: string
  readonly version: number
  /** Null: it is gone. */
  readonly facts: T | null
}

/** Who wants to know of changes. */
export interface LocalChanges {
  /** After services came, went or changed. */
  services(): void
  /** After a check of this service, of the node where it is empty, came, went, or said something else. */
  checks(serviceId: string): void
}

/**
 * What this agent offers and checks, and how much of it the catalog has been told. Plain memory: who writes it to disk, runs
 * checks and talks to the catalog stands around it. What was taken out stays as a mark until the catalog has let it go.
 */
export class LocalState {
  /** Both by `itemKey`. */
  readonly #services = new Map<string, ServiceEntry>()
  readonly #checks = new Map<string, CheckEntry>()
  readonly #told: LocalChanges
  #node: SyncMark & { facts: NodeFacts }
  #versions = 0

  constructor(node: NodeFacts, told: LocalChanges) {
    this.#told = told
    this.#node = { facts: node, synced: false, version: 0 }
  }

  get node(): NodeFacts {
    return this.#node.facts
  }

  setNode(facts: NodeFacts): void {
    this.#node = { facts, synced: false, version: this.#nextVersion() }
  }

  /** In order of ID. */
  services(): readonly ServiceFacts[] {
    return sortedIds(this.#services).flatMap((id) => this.service(id)?.facts ?? [])
  }

  service(id: string): LocalService | undefined {
    const entry = this.#services.get(itemKey(id))
    return entry?.facts == null ? undefined : { ...entry, facts: entry.facts }
  }

  /** Whether there are at least so many. Counts only when there may be. */
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
    return sortedIds(this.#checks).flatMap((id) => this.#checkFacts(id) ?? [])
  }

  /** In order of check ID. */
  localChecks(): readonly LocalCheck[] {
    return sortedIds(this.#checks).flatMap((id) => this.check(id) ?? [])
  }

  check(id: string): LocalCheck | undefined {
    const entry = this.#checks.get(itemKey(id))
    return entry?.definition == null ? undefined : { ...entry, definition: entry.definition }
  }

  /** In order of check ID. */
  checksOf(serviceId: string): readonly LocalCheck[] {
    return this.localChecks().filter(({ definition }) => isSame(definition.serviceId, serviceId))
  }

  /** `declared`: now, and not taken up again from before. */
  putService(facts: ServiceFacts, origin: Origin, declared: boolean): void {
    const version = this.#nextVersion()
    this.#services.set(itemKey(facts.id), { id: facts.id, facts, origin, declared, synced: false, version })
    // They carry the tags and the name of their service.
    for (const entry of this.#checks.values()) if (isSame(entry.serviceId, facts.id)) this.#touch(entry)
    this.#told.services()
  }

  /** A check that was there keeps its status and output. */
  putCheck(definition: CheckDefinition, origin: Origin, nowMs: number): void {
    const before = this.check(definition.checkId)
    const status = before?.status ?? definition.status
    this.#checks.set(itemKey(definition.checkId), {
      id: definition.checkId,
      definition,
      serviceId: definition.serviceId,
      origin,
      status,
      output: before?.output ?? '',
      criticalSinceMs: status === 'critical' ? (before?.criticalSinceMs ?? nowMs) : undefined,
      outputDeferred: false,
      synced: false,
      version: this.#nextVersion(),
    })
    this.#told.checks(definition.serviceId)
  }

  removeService(id: string): void {
    const entry = this.#services.get(itemKey(id))
    if (entry === undefined) return
    entry.facts = null
    this.#touch(entry)
    this.#told.services()
  }

  removeCheck(id: string): void {
    const entry = this.#checks.get(itemKey(id))
    if (entry === undefined) return
    entry.definition = null
    this.#touch(entry)
    this.#told.checks(entry.serviceId)
  }

  /** What a run or a report says. `defer`: the catalog is not told of a new output alone until `outputDue`. */
  updateCheck(id: string, status: CheckStatus, output: string, nowMs: number, defer: boolean): CheckChange {
    const entry = this.#checks.get(itemKey(id))
    if (entry?.definition == null) return 'none'
    entry.criticalSinceMs = status === 'critical' ? (entry.criticalSinceMs ?? nowMs) : undefined
    if (entry.status === status && entry.output === output) return 'none'
    const change = entry.status === status ? 'output' : 'status'
    entry.status = status
    entry.output = output
    if (change === 'output' && defer && entry.synced) entry.outputDeferred = true
    else this.#touch(entry)
    this.#told.checks(entry.serviceId)
    return change
  }

  isOutputDeferred(id: string): boolean {
    return this.#checks.get(itemKey(id))?.outputDeferred === true
  }

  /** The time has come to tell of an output that was deferred; true if there is anything to tell. */
  outputDue(id: string): boolean {
    const entry = this.#checks.get(itemKey(id))
    if (entry?.outputDeferred !== true) return false
    this.#touch(entry)
    return true
  }

  /** What the catalog is not known to have; IDs are in order. */
  dueNode(): Due<NodeFacts> | undefined {
    const { synced, version, facts } = this.#node
    return synced ? undefined : { id: facts.node, version, facts }
  }

  dueServices(): readonly string[] {
    return dueIds(this.#services)
  }

  dueService(id: string): Due<ServiceFacts> | undefined {
    const entry = this.#services.get(itemKey(id))
    return entry === undefined || entry.synced
      ? undefined
      : { id: entry.id, version: entry.version, facts: entry.facts }
  }

  dueChecks(): readonly string[] {
    return dueIds(this.#checks)
  }

  /** Those of a service that are here. */
  dueChecksOf(serviceId: string): readonly Due<CheckFacts>[] {
    const ids: string[] = []
    for (const [id, entry] of this.#checks) {
      if (!entry.synced && isSame(entry.serviceId, serviceId) && entry.definition !== null) ids.push(id)
    }
    return ids.sort(compareText).flatMap((id) => this.dueCheck(id) ?? [])
  }

  dueCheck(id: string): Due<CheckFacts> | undefined {
    const entry = this.#checks.get(itemKey(id))
    if (entry === undefined || entry.synced) return undefined
    return { id: entry.id, version: entry.version, facts: this.#checkFacts(id) ?? null }
  }

  nodeSynced(due: Due<NodeFacts>): void {
    if (this.#node.version === due.version) this.#node.synced = true
  }

  serviceSynced(due: Due<ServiceFacts>): void {
    const entry = this.#services.get(itemKey(due.id))
    if (entry?.version !== due.version) return
    if (entry.facts !== null) {
      entry.synced = true
      entry.declared = false
    } else {
      this.#services.delete(itemKey(due.id))
      // The catalog takes an instance out with its checks.
      for (const [id, check] of this.#checks) {
        if (check.definition === null && isSame(check.serviceId, due.id)) this.#checks.delete(id)
      }
    }
  }

  checkSynced(due: Due<CheckFacts>): void {
    const entry = this.#checks.get(itemKey(due.id))
    if (entry?.version !== due.version) return
    entry.outputDeferred = false
    if (entry.definition === null) this.#checks.delete(itemKey(due.id))
    else entry.synced = true
  }

  /** What a comparison with the catalog found. */
  compared(found: Comparison): void {
    const { node, services, checks } = found
    this.#node.synced = node
    for (const [id, tags] of found.overriddenTags) this.#overrideTags(id, tags)
    for (const [id, entry] of this.#services) settle(this.#services, id, entry, entry.facts === null, services)
    for (const [id, entry] of this.#checks) settle(this.#checks, id, entry, entry.definition === null, checks)
    for (const id of found.strangeServices) this.#takeOutService(id)
    for (const { checkId, serviceId } of found.strangeChecks) this.#takeOutCheck(checkId, serviceId)
  }

  #overrideTags(id: string, tags: readonly string[]): void {
    const entry = this.#services.get(itemKey(id))
    invariant(entry?.facts != null, 'only tags of a service that is here are taken over', { id })
    entry.facts = { ...entry.facts, tags }
    this.#told.services()
  }

  #takeOutService(id: string): void {
    const key = itemKey(id)
    if (this.#services.has(key)) return
    const version = this.#nextVersion()
    this.#services.set(key, { id, facts: null, origin: 'api', declared: false, synced: false, version })
  }

  #takeOutCheck(id: string, serviceId: string): void {
    const key = itemKey(id)
    if (this.#checks.has(key)) return
    this.#checks.set(key, {
      id,
      definition: null,
      serviceId,
      origin: 'api',
      status: 'critical',
      output: '',
      criticalSinceMs: undefined,
      outputDeferred: false,
      synced: false,
      version: this.#nextVersion(),
    })
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

  #touch(entry: SyncMark & { outputDeferred?: boolean }): void {
    if (entry.outputDeferred === true) entry.outputDeferred = false
    entry.synced = false
    entry.version = this.#nextVersion()
  }

  #nextVersion(): number {
    this.#versions++
    return this.#versions
  }
}

/** How the catalog's picture of this node differs from the agent's. */
export interface Comparison {
  /** Whether the node's own data are as they should be. */
  readonly node: boolean
  /** Of what is here, by `itemKey`: what the catalog has exactly so, and what it has at all. */
  readonly services: Presence
  readonly checks: Presence
  /** Tags that the catalog may keep, by ID. */
  readonly overriddenTags: ReadonlyMap<string, readonly string[]>
  /** What the catalog has and this agent does not hold. */
  readonly strangeServices: readonly string[]
  readonly strangeChecks: readonly { readonly checkId: string; readonly serviceId: string }[]
}

export interface Presence {
  readonly equal: ReadonlySet<string>
  readonly present: ReadonlySet<string>
}

function settle<Entry extends SyncMark>(
  entries: Map<string, Entry>,
  id: string,
  entry: Entry,
  gone: boolean,
  { equal, present }: Presence,
): void {
  if (gone && !present.has(id)) entries.delete(id)
  else entry.synced = !gone && equal.has(id)
}

function isSame(id: string, other: string): boolean {
  return itemKey(id) === itemKey(other)
}

function dueIds(entries: ReadonlyMap<string, SyncMark>): readonly string[] {
  const ids: string[] = []
  for (const [id, { synced }] of entries) if (!synced) ids.push(id)
  return ids.sort(compareText)
}

function sortedIds(entries: ReadonlyMap<string, unknown>): readonly string[] {
  return [...entries.keys()].sort(compareText)
}
