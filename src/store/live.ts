import type { ModifyIndex } from '../model/log-position.ts'
import type { ReadTransaction, Row, TableDefinition } from './types.ts'

interface LiveState {
  readonly index: ModifyIndex
  read(): ReadTransaction
  row<R extends Row>(table: TableDefinition<R>, key: string): R | undefined
  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex
  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex
}

/**
 * The state at the time of each read, for callers that read within one turn, mostly only when a table last changed, or
 * one row. Unlike a reader it makes no version until rows are listed, so commands between its reads continue to share
 * their drafts.
 */
export class LiveReader implements ReadTransaction {
  readonly #state: LiveState

  constructor(state: LiveState) {
    this.#state = state
  }

  get index(): ModifyIndex {
    return this.#state.index
  }

  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    return this.#state.row(table, key)
  }

  all<R extends Row>(table: TableDefinition<R>): Iterable<R> {
    return this.#state.read().all(table)
  }

  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R> {
    return this.#state.read().prefix(table, prefix)
  }

  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R> {
    return this.#state.read().byIndex(table, index, key)
  }

  inIndexOrder<R extends Row>(table: TableDefinition<R>, index: string): Iterable<R> {
    return this.#state.read().inIndexOrder(table, index)
  }

  count<R extends Row>(table: TableDefinition<R>): number {
    return this.#state.read().count(table)
  }

  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    return this.#state.lastChange(table)
  }

  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    return this.#state.lastDeparture(table, departure)
  }

  covered<T>(read: (tx: ReadTransaction) => T): T {
    return read(this)
  }

  /** This reader records nothing. */
  watch(): void {}
}
