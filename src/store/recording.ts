import type { ModifyIndex } from '../model/log-position.ts'
import type { ReadTransaction, Row, TableDefinition, WatchedPart } from './types.ts'
import { tableOf, type Version, VersionReader } from './version.ts'

/**
 * Beyond this number, the parts of a table that a query read count as the whole table: it is woken more often, never
 * less.
 */
export const touchesMax = 1024

/** The parts of one table that a query read. A miss counts: the row's creation changes the result. */
export interface TableTouches {
  whole: boolean
  readonly keys: Set<string>
  readonly prefixes: Set<string>
  /** Index keys by the name of the index. */
  readonly indexKeys: Map<string, Set<string>>
}

/**
 * Everything that a query read, and as of which index. A change of any of it may change the result; no other change can.
 * It does not hold the version that was read: a parked query would keep every row alive that was replaced since.
 */
export interface Touched {
  readonly at: ModifyIndex
  readonly tables: ReadonlyMap<string, TableTouches>
  /** The `lastChange` of tables for which it asked, or that make no watch: the result may depend on them. */
  readonly lastChanges: ReadonlyMap<string, number>
  /** It read the index of the version: another version need not give the same result. */
  readonly index: boolean
}

/**
 * Whether the query, evaluated on `version`, would find the same value in each `lastChange`, given that none of its
 * rows have changed, and that the state was not replaced by another one.
 */
export function sameLastChanges(touched: Touched, version: Version): boolean {
  if (version.index === touched.at) return true
  if (touched.index) return false
  for (const [name, lastChange] of touched.lastChanges) {
    if (version.tables.get(name)?.lastChange !== lastChange) return false
  }
  return true
}

/** Reads like the reader of the version, and records what is read. */
export class RecordingReader implements ReadTransaction {
  readonly #version: Version
  readonly #reader: VersionReader
  readonly #tables = new Map<string, TableTouches>()
  readonly #lastChanges = new Map<string, number>()
  #index = false

  constructor(version: Version) {
    this.#version = version
    this.#reader = new VersionReader(version)
  }

  get index(): ModifyIndex {
    this.#index = true
    return this.#reader.index
  }

  touched(): Touched {
    return { at: this.#version.index, tables: this.#tables, lastChanges: this.#lastChanges, index: this.#index }
  }

  covered<T>(read: (tx: ReadTransaction) => T): T {
    return read(this.#reader)
  }

  watch<R extends Row>(table: TableDefinition<R>, part?: WatchedPart): void {
    if (part === undefined) this.#noteWhole(table)
    else if (part.index === undefined) this.#noteKey(table, part.key)
    else this.#noteIndexKey(table, part.index, part.key)
  }

  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    this.#noteKey(table, key)
    return this.#reader.get(table, key)
  }

  all<R extends Row>(table: TableDefinition<R>): Iterable<R> {
    this.#noteWhole(table)
    return this.#reader.all(table)
  }

  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R> {
    if (prefix === '') return this.all(table)
    this.#note(table, (touches) => touches.prefixes.add(prefix))
    return this.#reader.prefix(table, prefix)
  }

  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R> {
    this.#noteIndexKey(table, index, key)
    return this.#reader.byIndex(table, index, key)
  }

  inIndexOrder<R extends Row>(table: TableDefinition<R>, index: string): Iterable<R> {
    this.#noteWhole(table)
    return this.#reader.inIndexOrder(table, index)
  }

  count<R extends Row>(table: TableDefinition<R>): number {
    this.#noteWhole(table)
    return this.#reader.count(table)
  }

  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    const lastChange = this.#reader.lastChange(table)
    this.#lastChanges.set(table.name, lastChange)
    return lastChange
  }

  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    this.lastChange(table)
    return this.#reader.lastDeparture(table, departure)
  }

  #noteKey<R extends Row>(table: TableDefinition<R>, key: string): void {
    this.#note(table, (touches) => touches.keys.add(key))
  }

  #noteIndexKey<R extends Row>(table: TableDefinition<R>, index: string, key: string): void {
    this.#note(table, (touches) => {
      const keys = touches.indexKeys.get(index)
      if (keys === undefined) touches.indexKeys.set(index, new Set([key]))
      else keys.add(key)
    })
  }

  #noteWhole<R extends Row>(table: TableDefinition<R>): void {
    this.#note(table, (touches) => {
      touches.whole = true
    })
  }

  #note<R extends Row>(table: TableDefinition<R>, add: (touches: TableTouches) => void): void {
    const state = tableOf(this.#version.tables, table)
    if (state.definition.unwatched === true) {
      this.#lastChanges.set(table.name, state.lastChange)
      return
    }
    let touches = this.#tables.get(table.name)
    if (touches === undefined) {
      touches = { whole: false, keys: new Set(), prefixes: new Set(), indexKeys: new Map() }
      this.#tables.set(table.name, touches)
    }
    if (touches.whole) return
    add(touches)
    if (sizeOf(touches) > touchesMax) touches.whole = true
    if (!touches.whole) return
    touches.keys.clear()
    touches.prefixes.clear()
    touches.indexKeys.clear()
  }
}

function sizeOf(touches: TableTouches): number {
  let size = touches.keys.size + touches.prefixes.size
  for (const keys of touches.indexKeys.values()) size += keys.size
  return size
}
