import type { Closable } from '../env/async.ts'
import type { Change, Draft } from './draft.ts'
import type { TableTouches, Touched } from './recording.ts'
import type { Row, TableDefinition } from './types.ts'

/**
 * Waiters by prefix. Looking up one key takes a time that grows with its length, however many prefixes are watched: the
 * hash of each of its prefixes is computed from the previous one.
 */
class PrefixWatches<W> {
  readonly #byHash = new Map<number, Map<string, Set<W>>>()

  add(prefix: string, waiter: W): void {
    const hash = hashOf(prefix)
    const bucket = this.#byHash.get(hash) ?? new Map<string, Set<W>>()
    this.#byHash.set(hash, bucket)
    const waiters = bucket.get(prefix) ?? new Set<W>()
    bucket.set(prefix, waiters)
    waiters.add(waiter)
  }

  remove(prefix: string, waiter: W): void {
    const hash = hashOf(prefix)
    const bucket = this.#byHash.get(hash)
    const waiters = bucket?.get(prefix)
    if (bucket === undefined || waiters === undefined) return
    waiters.delete(waiter)
    if (waiters.size === 0) bucket.delete(prefix)
    if (bucket.size === 0) this.#byHash.delete(hash)
  }

  /** Calls `use` for every waiter of a prefix of the key; `use` may remove the waiter that it is called with. */
  matching(key: string, use: (waiter: W) => void): void {
    if (this.#byHash.size === 0) return
    let hash = start
    for (let length = 1; length <= key.length; length++) {
      hash = stepped(hash, key.charCodeAt(length - 1))
      const bucket = this.#byHash.get(hash)
      if (bucket === undefined) continue
      for (const [prefix, waiters] of bucket) {
        if (key.startsWith(prefix)) for (const waiter of waiters) use(waiter)
      }
    }
  }
}

/** FNV-1a, 32 bits. */
const start = 0x811c9dc5 | 0

function stepped(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function hashOf(prefix: string): number {
  let hash = start
  for (let i = 0; i < prefix.length; i++) hash = stepped(hash, prefix.charCodeAt(i))
  return hash
}

/** `due`: something that it read has changed, and it is called at the end of the batch. */
interface Waiter {
  readonly order: number
  readonly touched: Touched
  readonly use: () => void
  state: 'parked' | 'due' | 'over'
}

/** A parked query. */
interface Watch extends Closable {
  /** Whether nothing that it read has changed. False from the change on, and once it is over. */
  readonly unchanged: boolean
}

/** A class, because each parked query makes one: an object literal with an accessor takes forty times as long to make. */
class WaiterWatch implements Watch {
  readonly #waiter: Waiter
  readonly #close: (waiter: Waiter) => void

  constructor(waiter: Waiter, close: (waiter: Waiter) => void) {
    this.#waiter = waiter
    this.#close = close
  }

  get unchanged(): boolean {
    return this.#waiter.state === 'parked'
  }

  close(): void {
    this.#close(this.#waiter)
  }
}

/** Waiters for one table, by what they wait for. */
interface TableWatches {
  readonly whole: Set<Waiter>
  readonly keys: Map<string, Set<Waiter>>
  readonly prefixes: PrefixWatches<Waiter>
  readonly indexKeys: Map<string, Map<string, Set<Waiter>>>
}

/**
 * Parked queries, by what they read. A change makes the queries that it concerns due, and removes them from every
 * register at once, so that a batch costs each of them one wake-up; `wake` calls them in order of their arrival.
 */
export class Watches {
  readonly #tables = new Map<string, TableWatches>()
  readonly #parked = new Set<Waiter>()
  #due: Waiter[] = []
  #order = 0
  #waiting = 0

  /** Number of queries that are parked or due. */
  get waiting(): number {
    return this.#waiting
  }

  add(touched: Touched, use: () => void): Watch {
    const waiter: Waiter = { order: this.#order++, touched, use, state: 'parked' }
    this.#waiting++
    this.#parked.add(waiter)
    for (const [table, touches] of touched.tables) register(this.#watchesOf(table), touches, waiter)
    return new WaiterWatch(waiter, this.#close)
  }

  readonly #close = (waiter: Waiter): void => {
    if (waiter.state === 'over') return
    if (waiter.state === 'parked') this.#unregister(waiter)
    this.#end(waiter)
  }

  changed(draft: Draft): void {
    const watches = this.#tables.get(draft.definition.name)
    if (watches === undefined || draft.changes.length === 0) return
    const due = (waiter: Waiter): void => this.#makeDue(waiter)
    for (const waiter of watches.whole) due(waiter)
    for (const change of draft.changes) matchChange(watches, draft.definition, change, due)
  }

  /** Everything may have changed. */
  changedAll(): void {
    for (const waiter of this.#parked) this.#makeDue(waiter)
  }

  wake(): void {
    if (this.#due.length === 0) return
    const due = this.#due.sort((a, b) => a.order - b.order)
    this.#due = []
    for (const waiter of due) {
      // A called waiter may close others.
      if (waiter.state !== 'due') continue
      this.#end(waiter)
      waiter.use()
    }
  }

  #makeDue(waiter: Waiter): void {
    this.#unregister(waiter)
    waiter.state = 'due'
    this.#due.push(waiter)
  }

  #end(waiter: Waiter): void {
    waiter.state = 'over'
    this.#waiting--
  }

  #unregister(waiter: Waiter): void {
    this.#parked.delete(waiter)
    for (const [table, touches] of waiter.touched.tables) unregister(this.#watchesOf(table), touches, waiter)
  }

  #watchesOf(table: string): TableWatches {
    let watches = this.#tables.get(table)
    if (watches === undefined) {
      watches = { whole: new Set(), keys: new Map(), prefixes: new PrefixWatches(), indexKeys: new Map() }
      this.#tables.set(table, watches)
    }
    return watches
  }
}

function matchChange(
  watches: TableWatches,
  table: TableDefinition<Row>,
  change: Change,
  due: (waiter: Waiter) => void,
): void {
  for (const waiter of watches.keys.get(change.key) ?? []) due(waiter)
  watches.prefixes.matching(change.key, due)
  for (const [name, byKey] of watches.indexKeys) {
    if (byKey.size === 0) continue
    const index = table.indexes?.[name]
    // The row leaves one index key and enters another: waiters of both see a change.
    for (const row of [change.before, change.after]) {
      const key = row === undefined ? undefined : index?.key(row)
      if (key !== undefined) for (const waiter of byKey.get(key) ?? []) due(waiter)
    }
  }
}

function register(watches: TableWatches, touches: TableTouches, waiter: Waiter): void {
  if (touches.whole) watches.whole.add(waiter)
  for (const key of touches.keys) addTo(watches.keys, key, waiter)
  for (const prefix of touches.prefixes) watches.prefixes.add(prefix, waiter)
  for (const [index, keys] of touches.indexKeys) {
    const byKey = watches.indexKeys.get(index) ?? new Map<string, Set<Waiter>>()
    watches.indexKeys.set(index, byKey)
    for (const key of keys) addTo(byKey, key, waiter)
  }
}

function unregister(watches: TableWatches, touches: TableTouches, waiter: Waiter): void {
  if (touches.whole) watches.whole.delete(waiter)
  for (const key of touches.keys) removeFrom(watches.keys, key, waiter)
  for (const prefix of touches.prefixes) watches.prefixes.remove(prefix, waiter)
  for (const [index, keys] of touches.indexKeys) {
    const byKey = watches.indexKeys.get(index)
    if (byKey !== undefined) for (const key of keys) removeFrom(byKey, key, waiter)
  }
}

function addTo(map: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const waiters = map.get(key)
  if (waiters === undefined) map.set(key, new Set([waiter]))
  else waiters.add(waiter)
}

function removeFrom(map: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const waiters = map.get(key)
  waiters?.delete(waiter)
  if (waiters?.size === 0) map.delete(key)
}
