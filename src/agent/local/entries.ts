import { compareText } from '../../base/bytes.ts'
import { itemKey } from './item-key.ts'

/** One thing that the catalog is to know. `version` changes with it, so that a sync under way does not pass for a later one. */
export interface SyncMark {
  synced: boolean
  version: number
}

/** Things by `itemKey`, and of them those that the catalog is not known to have: to find these, nothing else is looked at. */
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

  /** In the order in which they came; each may be deleted on the way. */
  all(): Iterable<readonly [key: string, entry: Entry]> {
    return this.#all
  }

  /** In order. */
  keys(): readonly string[] {
    return [...this.#all.keys()].sort(compareText)
  }

  /** Of those that are due, in order. */
  dueKeys(): readonly string[] {
    return [...this.#due].sort(compareText)
  }

  /** Takes it up, in the place of one of the same ID; it is due. */
  put(id: string, make: (mark: SyncMark) => Entry): void {
    const key = itemKey(id)
    this.#versions++
    this.#all.set(key, make({ synced: false, version: this.#versions }))
    this.#due.add(key)
  }

  /** It has changed, and is due. */
  touch(id: string, entry: Entry): void {
    this.#versions++
    entry.synced = false
    entry.version = this.#versions
    this.#due.add(itemKey(id))
  }

  setSynced(id: string, entry: Entry, synced: boolean): void {
    entry.synced = synced
    const key = itemKey(id)
    if (synced) this.#due.delete(key)
    else this.#due.add(key)
  }

  delete(id: string): void {
    const key = itemKey(id)
    this.#all.delete(key)
    this.#due.delete(key)
  }
}

/** Which checks each service has, both by `itemKey`; those of the node under the empty one. */
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

  /** In order. */
  of(serviceId: string): readonly string[] {
    const keys = this.#keys.get(itemKey(serviceId))
    return keys === undefined ? [] : [...keys].sort(compareText)
  }
}
