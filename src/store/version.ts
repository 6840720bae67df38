import sortedBTree from 'sorted-btree'
import { compareText } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'
import { type ModifyIndex, noChange } from '../model/log-position.ts'
import { emptySum, type RowSum } from './digest.ts'
import type { Departures, ReadTransaction, Row, TableDefinition } from './types.ts'

const BTree = sortedBTree.default

/**
 * An ordered map from byte strings, in byte order. `clone` costs next to nothing: the copies share nodes until one of
 * them changes. Only an open transaction may change one.
 */
export type Tree<V> = InstanceType<typeof BTree<string, V>>

function emptyTree<V>(): Tree<V> {
  return new BTree<string, V>(undefined, compareText)
}

/** Values whose key begins with `prefix`, in key order. The tree must not change until the iteration is over. */
export function valuesUnder<V>(tree: Tree<V>, prefix: string): Iterable<V> {
  return { [Symbol.iterator]: () => iterateUnder(tree, prefix) }
}

function* iterateUnder<V>(tree: Tree<V>, prefix: string): Generator<V, void> {
  const pair: [string, V] = ['', undefined as V]
  for (const [key, value] of tree.entries(prefix, pair) as Iterable<[string, V]>) {
    if (!key.startsWith(prefix)) return
    yield value
  }
}

/**
 * Key of a row in an index: the index key, then the primary key, so that rows are found by the first and ordered by
 * both. A zero byte inside the index key is encoded as 0,1 and its end as 0,0: no index key is then a prefix of
 * another, and their order is kept.
 */
export function indexEntryKey(indexKey: string, primaryKey: string): string {
  return indexEntryPrefix(indexKey) + primaryKey
}

/** The common prefix of all entries with exactly this index key. */
export function indexEntryPrefix(indexKey: string): string {
  return `${indexKey.includes('\0') ? indexKey.replaceAll('\0', '\0\x01') : indexKey}\0\0`
}

/** Every departure that a table declares, at these indexes. */
export function departuresOf({ departures = {} }: TableDefinition<Row>, at: (name: string) => ModifyIndex): Departures {
  return new Map(Object.keys(departures).map((name) => [name, at(name)]))
}

export function departureOf({ definition, departures }: DepartedTable, name: string): ModifyIndex {
  const index = departures.get(name)
  invariant(index !== undefined, 'a departure that the table does not declare', { table: definition.name, name })
  return index
}

/** One table at one index. Immutable. */
export interface TableState<R extends Row = Row> {
  readonly definition: TableDefinition<R>
  readonly rows: Tree<R>
  readonly indexes: ReadonlyMap<string, Tree<R>>
  readonly lastChange: ModifyIndex
  /** The index of each departure that the table declares. */
  readonly departures: Departures
  /** Kept only by a store with digests. */
  readonly sum: RowSum | undefined
}

/** The tables of one version by name, in order of name. A map of them is one. */
export interface Tables extends Iterable<readonly [name: string, state: TableState]> {
  get(name: string): TableState | undefined
  values(): Iterable<TableState>
}

/** The whole state at one index. Immutable: a transaction makes the next one, which shares the unchanged parts. */
export interface Version {
  readonly index: ModifyIndex
  /** By name, in order of name. */
  readonly tables: Tables
}

type DepartedTable = Pick<TableState, 'definition' | 'departures'>

export function emptyTable(definition: TableDefinition<Row>, withSum: boolean): TableState {
  const names = Object.keys(definition.indexes ?? {})
  return {
    definition,
    rows: emptyTree<Row>(),
    indexes: new Map(names.map((name) => [name, emptyTree<Row>()])),
    lastChange: noChange,
    departures: departuresOf(definition, () => noChange),
    sum: withSum ? emptySum : undefined,
  }
}

/**
 * The table of this definition. A cast, because a map holds tables of many kinds of rows: its name belongs to one
 * definition alone, by which all rows in it were put there.
 */
export function tableOf<R extends Row>(tables: Tables, table: TableDefinition<R>): TableState<R> {
  const state = tables.get(table.name)
  invariant(state !== undefined, 'a table that the store was not told of', { table: table.name })
  return state as TableState<R>
}

export function indexOf<R extends Row>(state: Pick<TableState<R>, 'definition' | 'indexes'>, index: string): Tree<R> {
  const tree = state.indexes.get(index)
  invariant(tree !== undefined, 'an index that the table does not have', { table: state.definition.name, index })
  return tree
}

/** Reads a version for any length of time: later commands make others. */
export class VersionReader implements ReadTransaction {
  readonly #version: Version

  constructor(version: Version) {
    this.#version = version
  }

  get index(): ModifyIndex {
    return this.#version.index
  }

  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    return this.#table(table).rows.get(key)
  }

  all<R extends Row>(table: TableDefinition<R>): Iterable<R> {
    return this.prefix(table, '')
  }

  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R> {
    return valuesUnder(this.#table(table).rows, prefix)
  }

  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R> {
    return valuesUnder(indexOf(this.#table(table), index), indexEntryPrefix(key))
  }

  inIndexOrder<R extends Row>(table: TableDefinition<R>, index: string): Iterable<R> {
    return valuesUnder(indexOf(this.#table(table), index), '')
  }

  count<R extends Row>(table: TableDefinition<R>): number {
    return this.#table(table).rows.size
  }

  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    return this.#table(table).lastChange
  }

  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    return departureOf(this.#table(table), departure)
  }

  covered<T>(read: (tx: ReadTransaction) => T): T {
    return read(this)
  }

  /** This reader records nothing. */
  watch(): void {}

  #table<R extends Row>(table: TableDefinition<R>): TableState<R> {
    return tableOf(this.#version.tables, table)
  }
}
