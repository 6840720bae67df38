/** Tables, rows and transactions of the replicated state, as features see them. The store knows no feature. */

/** A row is frozen plain data that MessagePack can say; it is never changed, only replaced. */
export type Row = object

export interface TableDefinition<R extends Row> {
  /** Unique among all features: `kv`, `kv-tombstones`. Also its name in snapshots. */
  readonly name: string
  /** The row's primary key, a byte string (see base/bytes): iteration is in its order. */
  key(row: R): string
  /** Further orders in which rows are found; several rows may share an index key. */
  readonly indexes?: Readonly<Record<string, TableIndex<R>>>
  /** Checks and completes a row read from a snapshot; throws on one that cannot be. */
  decode(stored: unknown): R
  /** What of the row goes into snapshots and hashes; the row itself by default. */
  encode?(row: R): unknown
}

export interface TableIndex<R extends Row> {
  /** `undefined`: the row is not in this index. */
  key(row: R): string | undefined
}

/** Reads one consistent version of the state. Iteration is always in key order. */
export interface ReadTransaction {
  /** Index of the last command applied in this version. */
  readonly index: number
  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined
  all<R extends Row>(table: TableDefinition<R>): Iterable<R>
  /** Rows whose primary key begins with `prefix`; every row for the empty one. */
  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R>
  /** Rows with exactly this index key, in order of primary key. */
  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R>
  count<R extends Row>(table: TableDefinition<R>): number
  /** Index of the last command that changed the table; 0 before any. Never falls, except by a restore. */
  lastChange<R extends Row>(table: TableDefinition<R>): number
}

export interface WriteTransaction extends ReadTransaction {
  /** Index of the command being applied: what CreateIndex and ModifyIndex are stamped with. */
  readonly index: number
  put<R extends Row>(table: TableDefinition<R>, row: R): void
  /** False if there was no such row. */
  delete<R extends Row>(table: TableDefinition<R>, key: string): boolean
  /** Moves `lastChange` of the table to this index though no row changes (a reaped tombstone leaves such a floor). */
  touch<R extends Row>(table: TableDefinition<R>): void
}
