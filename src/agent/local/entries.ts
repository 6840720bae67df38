import { compareText } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'

/**
 * One item to sync to the catalog. `version` changes with the item, so that a sync under way does not count for a later
 * version.
 */
export interface SyncMark {
  /** `itemKey` of the item's ID. */
  readonly key: string
  synced: boolean
  version: number
}

/** Where a definition came from: a configuration file, or a caller of the API. */
export type Origin = 'file' | 'api'

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

/** Items by `itemKey`, and the set of those that the catalog is not known to have, so that a sync visits only these. */
export class Entries<Entry extends SyncMark> {
  readonly #all = new Map<string, Entry>()
  readonly #due = new Set<string>()
  #versions = 0

  get size(): number {
    return this.#all.size
  }

  get(id: string): Entry | undefined {
    return this.#all.get(itemKey(id))
  }

  has(id: string): boolean {
    return this.#all.has(itemKey(id))
  }

  values(): Iterable<Entry> {
    return this.#all.values()
  }

  /** In insertion order; each may be deleted during the iteration. */
  all(): Iterable<readonly [key: string, entry: Entry]> {
    return this.#all
  }

  /** In sorted order. */
  keys(): readonly string[] {
    return [...this.#all.keys()].sort(compareText)
  }

  /** Keys of items to sync, in sorted order. */
  dueKeys(): readonly string[] {
    return [...this.#due].sort(compareText)
  }

  /** Adds an item, or replaces the one with the same ID, and marks it to be synced. */
  put(id: string, make: (mark: SyncMark) => Entry): void {
    const key = itemKey(id)
    this.#versions++
    this.#all.set(key, make({ key, synced: false, version: this.#versions }))
    this.#due.add(key)
  }

  /** Marks a changed item to be synced. */
  touch(entry: Entry): void {
    this.#versions++
    entry.synced = false
    entry.version = this.#versions
    this.#due.add(entry.key)
  }

  setSynced(entry: Entry, synced: boolean): void {
    entry.synced = synced
    if (synced) this.#due.delete(entry.key)
    else this.#due.add(entry.key)
  }

  delete(id: string): void {
    const key = itemKey(id)
    this.#all.delete(key)
    this.#due.delete(key)
  }
}

/** Checks of each service, both by `itemKey`; the empty key holds those of the node. */
export class ChecksByService {
  readonly #keys = new Map<string, Set<string>>()

  add(serviceId: string, checkId: string): void {
    const service = itemKey(serviceId)
    const keys = this.#keys.get(service) ?? new Set()
    this.#keys.set(service, keys.add(itemKey(checkId)))
  }

  delete(serviceId: string, checkId: string): void {
    const service = itemKey(serviceId)
    const keys = this.#keys.get(service)
    keys?.delete(itemKey(checkId))
    if (keys?.size === 0) this.#keys.delete(service)
  }

  /** In sorted order. */
  of(serviceId: string): readonly string[] {
    const keys = this.#keys.get(itemKey(serviceId))
    return keys === undefined ? [] : [...keys].sort(compareText)
  }
}

/** How the catalog's picture of this node differs from the agent's. */
export interface Comparison {
  /** Whether the catalog's data about the node itself are right. */
  readonly node: boolean
  /** By `itemKey`: items that the catalog has exactly as they are here, and items that it has at all. */
  readonly services: Presence
  readonly checks: Presence
  /** Tags that the catalog may keep, by service ID. */
  readonly overriddenTags: ReadonlyMap<string, readonly string[]>
  /** Items that the catalog has and this agent does not. */
  readonly strangeServices: readonly string[]
  readonly strangeChecks: readonly { readonly checkId: string; readonly serviceId: string }[]
}

export interface Presence {
  readonly equal: ReadonlySet<string>
  readonly present: ReadonlySet<string>
  /** Items that the agent may not read, so that it cannot tell whether the catalog has them. */
  readonly unseen: ReadonlySet<string>
  /** Whether the agent may read all entries of its node, so that a removed item that is not present is gone. */
  readonly isWhole: boolean
}

/**
 * The key of a service or check by its ID. The catalog compares IDs without case, so two IDs that differ only in case
 * are one item here, too: otherwise the agent would deregister the one while it registers the other. The key of a key is
 * the key itself: where an ID is expected, its key may be passed, which spares the time to make it of a long ID again.
 */
export function itemKey(id: string): string {
  return lowerAscii(id)
}
