import type { ModifyIndex } from '../model/log-position.ts'
/** Tables, rows and transactions of the replicated state, as features see them. The store knows no feature. */

/** A row is frozen plain data that MessagePack can encode; it is never changed, only replaced. */
export type Row = object

export interface TableDefinition<R extends Row> {
  /** Unique among all features: `kv`, `kv-tombstones`. Also its name in snapshots. */
  readonly name: string
  /** The row's primary key, a byte string (see base/bytes): iteration is in its order. */
  key(row: R): string
  /** Further indexes by which rows are found; several rows may share an index key. */
  readonly indexes?: Readonly<Record<string, TableIndex<R>>>
  /**
   * Checks and completes a row read from a snapshot; throws if it is invalid. Byte arrays in it are parts of a larger
   * buffer: the row must keep copies.
   */
  decode(stored: unknown): R
  /**
   * The form of the row in snapshots and hashes; the row itself by default. Maps with keys from outside become lists of
   * pairs: a key such as `__proto__` does not survive as a member.
   */
  encode?(row: R): unknown
  /**
   * Reading it makes no watch, and changing it wakes no read: it only records how far the indexes of other results have
   * moved (tombstones, whose creation always coincides with the removal of a watched row).
   */
  readonly unwatched?: true
  /**
   * Members of a row that are indexes of the state, `createIndex` and `modifyIndex` if absent: none of them can exceed
   * the index of a snapshot that contains the row.
   */
  readonly stamps?: readonly string[]
  /**
   * Departures, by name, for each of which the store keeps the index of the last one. It stands for removed rows in
   * answers to callers that may not see every row (`features/contract/visible-index.ts`).
   */
  readonly departures?: Readonly<Record<string, Departure<R>>>
  /** Data of the cluster about itself: not part of archives of the state, and kept when the state is replaced. */
  readonly ofCluster?: true
  /** Snapshots name it only once it was written: until then, builds that do not know it can read them. */
  readonly fromFirstWrite?: true
}

export interface Departure<R extends Row> {
  /**
   * Whether the row that replaces another is found and seen by the same names; if not, or if a row is deleted, it has
   * departed. Absent: rows do not show the departure, and the command reports it (`WriteTransaction.depart`).
   */
  stays?(before: R, after: R): boolean
}

/** The index of each departure that a table declares, not beyond its `lastChange`. */
export type Departures = ReadonlyMap<string, ModifyIndex>

export interface TableIndex<R extends Row> {
  /** `undefined`: the row is not in this index. */
  key(row: R): string | undefined
}

/** Reads one consistent version of the state. Iteration is always in key order. */
export interface ReadTransaction {
  /** Index of the last command applied in this version. */
  readonly index: ModifyIndex
  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined
  all<R extends Row>(table: TableDefinition<R>): Iterable<R>
  /** Rows whose primary key begins with `prefix`; every row for the empty one. */
  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R>
  /** Rows with exactly this index key, in order of primary key. */
  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R>
  /** Every row of the index, in order of index key and then of primary key: the first is the least. */
  inIndexOrder<R extends Row>(table: TableDefinition<R>, index: string): Iterable<R>
  count<R extends Row>(table: TableDefinition<R>): number
  /**
   * Index of the last command that changed the table; 0 before any. Never falls, except by a restore. Makes no watch: a
   * query is woken by changes of the rows that it read.
   */
  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex
  /**
   * Index of the last command that made this departure, one that the table declares; 0 before any. Never falls, except
   * by a restore, and makes no watch, like `lastChange`, which it never exceeds.
   */
  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex
  /**
   * Reads that make no watch of their own, for a query that has read a row which every command that changes anything
   * read here also changes. Each caller states why that is so; a read that is not covered loses a wake-up.
   */
  covered<T>(read: (tx: ReadTransaction) => T): T
  /**
   * Watches a part of a table without reading it. By default the whole table; `key`: the row with this primary key;
   * `index` and `key`: the rows with this index key.
   */
  watch<R extends Row>(table: TableDefinition<R>, part?: WatchedPart): void
}

export interface WatchedPart {
  readonly index?: string
  readonly key: string
}

export interface WriteTransaction extends ReadTransaction {
  /** Index of the command being applied, which becomes CreateIndex and ModifyIndex. */
  readonly index: ModifyIndex
  put<R extends Row>(table: TableDefinition<R>, row: R): void
  /** False if there was no such row. */
  delete<R extends Row>(table: TableDefinition<R>, key: string): boolean
  /**
   * Raises `lastChange` of the table to this index, or to the given earlier one, without changing a row (a reaped
   * tombstone leaves such a floor). Wakes no read.
   */
  touch<R extends Row>(table: TableDefinition<R>, index?: ModifyIndex): void
  /** Records a departure that rows do not show. */
  depart<R extends Row>(table: TableDefinition<R>, departure: string): void
  /** Runs a part of the command. Its changes are kept only if it returns true, and are undone otherwise. */
  attempt(part: () => boolean): boolean
  /** Runs the hooks of this event, in the order in which the store got them, before it returns. */
  raise<Payload>(event: StateEvent<Payload>, payload: Payload): void
}

/**
 * An event in one feature's tables that others must follow in the same transaction (a node is removed, so its sessions
 * end). Declared once, beside the model of the feature that raises it.
 */
export interface StateEvent<Payload> {
  /** `catalog.node-removed`. */
  readonly name: string
  /** Only carries the type of the payload; never set. */
  readonly payload?: Payload
}

/** Runs when an event is raised. Pure, like commands. Made by `onEvent`. */
export interface StateHook {
  readonly event: string
  run(tx: WriteTransaction, payload: unknown): void
}

export function onEvent<Payload>(
  event: StateEvent<Payload>,
  run: (tx: WriteTransaction, payload: Payload) => void,
): StateHook {
  return { event: event.name, run: run as StateHook['run'] }
}
