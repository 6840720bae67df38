import type { CheckDefinition, CheckStatus } from '../../model/catalog.ts'
import { ChecksByService, type Due, Entries, itemKey, type Origin, type Presence, type SyncMark } from './entries.ts'

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

export interface LocalCheck {
  readonly definition: CheckDefinition
  readonly origin: Origin
  readonly status: CheckStatus
  readonly output: string
  readonly criticalSinceMs: number | undefined
}

export type CheckChange = 'none' | 'output' | 'status'

/** The checks of this agent with their results, and removed ones for as long as the catalog may have them. */
export class CheckEntries {
  readonly #all = new Entries<CheckEntry>()
  readonly #ofService = new ChecksByService()

  /** In order of check ID. */
  list(): readonly LocalCheck[] {
    return this.#all.keys().flatMap((id) => this.find(id) ?? [])
  }

  find(id: string): LocalCheck | undefined {
    const entry = this.#all.get(id)
    return entry?.definition == null ? undefined : { ...entry, definition: entry.definition }
  }

  /** In order of check ID. */
  of(serviceId: string): readonly LocalCheck[] {
    return this.idsOf(serviceId).flatMap((id) => this.find(id) ?? [])
  }

  /** IDs of a service's checks, with removed ones, in sorted order. */
  idsOf(serviceId: string): readonly string[] {
    return this.#ofService.of(serviceId)
  }

  /** Whether there are at least `count`; counts only if that is possible. */
  has(count: number): boolean {
    return this.#all.size >= count && this.count >= count
  }

  get count(): number {
    let count = 0
    for (const { definition } of this.#all.values()) if (definition !== null) count++
    return count
  }

  /**
   * An existing check keeps its status and output. Since when it is critical counts from now: a service that registers
   * itself again has come back, and its check has not run since.
   */
  put(definition: CheckDefinition, origin: Origin, nowMs: number): void {
    const key = itemKey(definition.checkId)
    const before = this.find(key)
    const status = before?.status ?? definition.status
    this.#put(key, {
      id: definition.checkId,
      definition,
      token: definition.token ?? '',
      serviceId: definition.serviceId,
      origin,
      status,
      output: before?.output ?? '',
      criticalSinceMs: status === 'critical' ? nowMs : undefined,
    })
  }

  /** Returns the service of the check; undefined if the check is not known. */
  remove(id: string): string | undefined {
    const entry = this.#all.get(id)
    if (entry === undefined) return undefined
    entry.definition = null
    this.#touch(entry)
    return entry.serviceId
  }

  /** The service of the checks has changed, whose name and tags they carry. */
  serviceChanged(serviceId: string): void {
    for (const key of this.idsOf(serviceId)) {
      const entry = this.#all.get(key)
      if (entry !== undefined) this.#touch(entry)
    }
  }

  /** The result of a run or a report. `defer`: a change of the output alone is not synced until `outputDue`. */
  update(id: string, status: CheckStatus, output: string, nowMs: number, defer: boolean): CheckChange {
    const entry = this.#all.get(id)
    if (entry?.definition == null) return 'none'
    entry.criticalSinceMs = status === 'critical' ? (entry.criticalSinceMs ?? nowMs) : undefined
    if (entry.status === status && entry.output === output) return 'none'
    const change = entry.status === status ? 'output' : 'status'
    entry.status = status
    entry.output = output
    if (change === 'output' && defer && entry.synced) entry.outputDeferred = true
    else this.#touch(entry)
    return change
  }

  isOutputDeferred(id: string): boolean {
    return this.#all.get(id)?.outputDeferred === true
  }

  /** A deferred output is to be synced now; returns whether there is anything to sync. */
  outputDue(id: string): boolean {
    const entry = this.#all.get(id)
    if (entry?.outputDeferred !== true) return false
    this.#touch(entry)
    return true
  }

  /** IDs of those to be synced, in sorted order. */
  dueIds(): readonly string[] {
    return this.#all.dueKeys()
  }

  due(id: string): Due<LocalCheck> | undefined {
    const entry = this.#all.get(id)
    if (entry === undefined || entry.synced) return undefined
    const { key, version, token } = entry
    return { id: entry.id, key, version, facts: this.find(key) ?? null, token }
  }

  /** The catalog has this version; a removed check is forgotten now. */
  synced(due: Due<unknown>): void {
    const entry = this.#all.get(due.key)
    if (entry?.version !== due.version) return
    entry.outputDeferred = false
    if (entry.definition === null) this.#delete(entry)
    else this.#all.setSynced(entry, true)
  }

  /** The catalog has removed a service, together with its checks. */
  serviceRemoved(serviceId: string): void {
    for (const key of this.idsOf(serviceId)) {
      const entry = this.#all.get(key)
      if (entry?.definition === null) this.#delete(entry)
    }
  }

  /** Takes over which checks the catalog has. */
  compared({ equal, present, unseen, isWhole }: Presence): void {
    for (const [key, entry] of this.#all.all()) {
      const gone = entry.definition === null
      if (gone && isWhole && !present.has(key)) this.#delete(entry)
      else if (!unseen.has(key)) this.#all.setSynced(entry, !gone && equal.has(key))
    }
  }

  /** The catalog has a check that is unknown here: it is to be removed from there. */
  putStrange(id: string, serviceId: string): void {
    if (this.#all.has(id)) return
    const nothing = { definition: null, token: '', output: '', criticalSinceMs: undefined } as const
    this.#put(itemKey(id), { id, serviceId, origin: 'api', status: 'critical', ...nothing })
  }

  #put(key: string, check: Omit<CheckEntry, keyof SyncMark | 'outputDeferred'>): void {
    const before = this.#all.get(key)
    if (before !== undefined) this.#ofService.delete(before.serviceId, key)
    this.#ofService.add(check.serviceId, key)
    this.#all.put(key, (mark) => ({ ...check, outputDeferred: false, ...mark }))
  }

  #delete({ key, serviceId }: CheckEntry): void {
    this.#ofService.delete(serviceId, key)
    this.#all.delete(key)
  }

  #touch(entry: CheckEntry): void {
    entry.outputDeferred = false
    this.#all.touch(entry)
  }
}
