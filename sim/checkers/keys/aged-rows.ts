import type { ReadTransaction, TableDefinition } from '../../../src/store/types.ts'
import { RemovedRows } from './removed-rows.ts'

/** A row that stays for a time: a tombstone, or a lock delay. */
export interface AgedRow {
  readonly index: number
}

/** A row that is missing from the index by age counts, too: the leader would never find it. */
function oldestIn<Row extends AgedRow>(tx: ReadTransaction, table: TableDefinition<Row>): number {
  const [first] = tx.inIndexOrder(table, 'age')
  return first?.index ?? Math.min(...[...tx.all(table)].map(({ index }) => index))
}

/** The rows of one table, and what is known about the times of their creation. */
export class AgedRows {
  readonly removed = new RemovedRows()
  /** When each command that wrote rows was applied, by index, in order of index. */
  readonly #cameUs = new Map<number, number>()
  /** Rows older than this come from a restored state: their age counts from this time. */
  #restoredUs = 0
  /** The table's last change when its oldest row was looked up, and that row's index; undefined: it had no row. */
  #lookedUpAt = -1
  #oldest: number | undefined

  /** Index of the table's oldest row, which is looked up anew only after the table has changed. */
  oldest<Row extends AgedRow>(tx: ReadTransaction, table: TableDefinition<Row>): number | undefined {
    const changedAt = tx.lastChange(table)
    if (changedAt === this.#lookedUpAt) return this.#oldest
    this.#lookedUpAt = changedAt
    this.#oldest = tx.count(table) === 0 ? undefined : oldestIn(tx, table)
    if (this.#oldest !== undefined) this.#forget(this.#oldest)
    return this.#oldest
  }

  /** Another state or another log has replaced the previous one. */
  changed(): void {
    this.#lookedUpAt = -1
    this.removed.replaced()
  }

  came(index: number, nowUs: number): void {
    this.#cameUs.set(index, nowUs)
  }

  restored(nowUs: number): void {
    this.changed()
    this.#cameUs.clear()
    this.#restoredUs = nowUs
  }

  /** When the row of this index was created, at the earliest; undefined: it comes from a restored state. */
  cameUs(index: number): number | undefined {
    return this.#cameUs.get(index)
  }

  countedUs(index: number): number {
    return this.#cameUs.get(index) ?? this.#restoredUs
  }

  /** No row up to this index exists any more. */
  #forget(index: number): void {
    for (const each of this.#cameUs.keys()) {
      if (each >= index) return
      this.#cameUs.delete(each)
    }
  }
}
