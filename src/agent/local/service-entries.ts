import { compareText } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import type { ManagedProxy, ShownService } from '../../features/contract/local-services.ts'
import type { OfferedService, ServiceFacts } from '../../model/catalog.ts'
import type { ManagedFacts } from '../../model/mesh-service.ts'
import { type Due, Entries, itemKey, type Origin, type Presence, type SyncMark } from './entries.ts'

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
  /** Its definition has no weights. */
  weightless: boolean
  origin: Origin
  /**
   * The service was registered while this agent ran: its tags win over overridden tags of the catalog until the first
   * sync.
   */
  declared: boolean
}

export interface LocalService {
  readonly facts: ServiceFacts
  readonly origin: Origin
  readonly declared: boolean
}

/** The services of this agent, and removed ones for as long as the catalog may have them. */
export class ServiceEntries {
  readonly #all = new Entries<ServiceEntry>()
  /**
   * Keys of those that are sidecars of others, removed ones included: most agents have none, and each change of a service
   * asks for those that are run as processes.
   */
  readonly #sidecars = new Set<string>()

  /** In order of ID. */
  facts(): readonly ServiceFacts[] {
    return this.#all.keys().flatMap((id) => this.find(id)?.facts ?? [])
  }

  /** The same as the agent shows them. */
  shown(): readonly ShownService[] {
    return this.#all.keys().flatMap((id) => this.shownOne(id) ?? [])
  }

  shownOne(id: string): ShownService | undefined {
    const entry = this.#all.get(id)
    if (entry?.facts == null) return undefined
    return entry.weightless ? { ...entry.facts, weightless: true } : entry.facts
  }

  find(id: string): LocalService | undefined {
    const entry = this.#all.get(id)
    return entry?.facts == null ? undefined : { ...entry, facts: entry.facts }
  }

  /** IDs of the sidecars of a service. */
  sidecarsOf(serviceId: string): readonly string[] {
    const key = itemKey(serviceId)
    const isIts = (id: string): boolean => {
      const entry = this.#all.get(id)
      return entry?.facts != null && entry.sidecarOf !== '' && itemKey(entry.sidecarOf) === key
    }
    return this.#sidecarKeys().filter(isIts)
  }

  /** Proxies that the agent runs as processes, in order of ID, each with the token of its service. */
  managedProxies(): readonly ManagedProxy[] {
    return this.#sidecarKeys().flatMap((id) => {
      const entry = this.#all.get(id)
      if (entry?.facts == null || entry.managed === undefined) return []
      const { facts, managed, token } = entry
      return [{ proxy: facts, target: this.find(entry.sidecarOf)?.facts, managed, token }]
    })
  }

  /** Whether there are at least `count`; counts only if that is possible. */
  has(count: number): boolean {
    return this.#all.size >= count && this.count >= count
  }

  get count(): number {
    let count = 0
    for (const { facts } of this.#all.values()) if (facts !== null) count++
    return count
  }

  /** `declared`: registered now, and not restored from an earlier process. */
  put(offered: OfferedService, origin: Origin, declared: boolean): void {
    const { token = '', sidecarOf = '', managed, weightless = false, ...facts } = offered
    this.#all.put(facts.id, (mark) => ({
      id: facts.id,
      facts,
      token,
      sidecarOf,
      managed,
      weightless,
      origin,
      declared,
      ...mark,
    }))
    const key = itemKey(facts.id)
    if (sidecarOf === '' && managed === undefined) this.#sidecars.delete(key)
    else this.#sidecars.add(key)
  }

  /** In sorted order. */
  #sidecarKeys(): readonly string[] {
    return [...this.#sidecars].sort(compareText)
  }

  #forget(key: string): void {
    this.#all.delete(key)
    this.#sidecars.delete(key)
  }

  /** Returns whether the service was known. */
  remove(id: string): boolean {
    const entry = this.#all.get(id)
    if (entry === undefined) return false
    entry.facts = null
    this.#all.touch(entry)
    return true
  }

  /** The catalog may keep other tags of this service. */
  overrideTags(id: string, tags: readonly string[]): void {
    const entry = this.#all.get(id)
    invariant(entry?.facts != null, 'only tags of a service that is here are taken over', { id })
    entry.facts = { ...entry.facts, tags }
  }

  /** IDs of those to be synced, in sorted order. */
  dueIds(): readonly string[] {
    return this.#all.dueKeys()
  }

  due(id: string): Due<ServiceFacts> | undefined {
    const entry = this.#all.get(id)
    return entry === undefined || entry.synced
      ? undefined
      : { id: entry.id, key: entry.key, version: entry.version, facts: entry.facts, token: entry.token }
  }

  /** The catalog has this version; returns whether it is that of a removed service, which is forgotten now. */
  synced(due: Due<unknown>): boolean {
    const entry = this.#all.get(due.key)
    if (entry?.version !== due.version) return false
    if (entry.facts === null) {
      this.#forget(due.key)
      return true
    }
    this.#all.setSynced(entry, true)
    entry.declared = false
    return false
  }

  /** Takes over which services the catalog has. */
  compared({ equal, present, unseen, isWhole }: Presence): void {
    for (const [key, entry] of this.#all.all()) {
      const gone = entry.facts === null
      if (gone && isWhole && !present.has(key)) this.#forget(key)
      else if (!unseen.has(key)) this.#all.setSynced(entry, !gone && equal.has(key))
    }
  }

  /** The catalog has a service that is unknown here: it is to be removed from there. */
  putStrange(id: string): void {
    if (this.#all.has(id)) return
    this.#all.put(id, (mark) => ({ id, facts: null, ...nobodys, ...mark }))
  }
}

const nobodys = {
  token: '',
  sidecarOf: '',
  managed: undefined,
  weightless: false,
  origin: 'api',
  declared: false,
} as const
