import type { ModifyIndex } from '../model/log-position.ts'
import { RowHasher } from './row-hash.ts'
import type { Departures, Row, TableDefinition } from './types.ts'

/**
 * Sum of the hashes of a table's rows, in two lanes modulo 2^32. It does not depend on their order, so a change costs
 * the hashing of one row, whatever the size of the table.
 */
export interface RowSum {
  readonly high: number
  readonly low: number
}

export const emptySum: RowSum = { high: 0, low: 0 }

export function withRow(sum: RowSum, table: TableDefinition<Row>, row: Row): RowSum {
  const { high, low } = hashOf(table, row)
  return { high: (sum.high + high) >>> 0, low: (sum.low + low) >>> 0 }
}

export function withoutRow(sum: RowSum, table: TableDefinition<Row>, row: Row): RowSum {
  const { high, low } = hashOf(table, row)
  return { high: (sum.high - high) >>> 0, low: (sum.low - low) >>> 0 }
}

function hashOf(table: TableDefinition<Row>, row: Row): RowSum {
  const hasher = new RowHasher()
  hasher.add(table.encode === undefined ? row : table.encode(row))
  return hasher.finished()
}

/** One table's part in the digest of the whole state. */
export interface SummedTable {
  readonly definition: { readonly name: string }
  readonly rows: { readonly size: number }
  readonly lastChange: ModifyIndex
  readonly departures: Departures
  readonly sum: RowSum | undefined
}

/**
 * Digest of the whole state: the sum of its tables' hashes, of which only those are recomputed that changed since the
 * last call. A table that was never used counts as absent: servers of a release that lacks it agree with those that
 * have it.
 */
export class StateDigest {
  readonly #changed: Set<string>
  readonly #parts = new Map<string, RowSum>()
  #sum = emptySum

  constructor(tables: Iterable<string>) {
    this.#changed = new Set(tables)
  }

  changed(table: string): void {
    this.#changed.add(table)
  }

  /** 16 hex digits. `now`: a table in its present state, by its name. */
  of(now: (table: string) => SummedTable): string {
    for (const name of this.#changed) {
      const part = partOf(now(name))
      const before = this.#parts.get(name) ?? emptySum
      this.#parts.set(name, part)
      this.#sum = {
        high: (this.#sum.high - before.high + part.high) >>> 0,
        low: (this.#sum.low - before.low + part.low) >>> 0,
      }
    }
    this.#changed.clear()
    return this.#sum.high.toString(16).padStart(8, '0') + this.#sum.low.toString(16).padStart(8, '0')
  }
}

function partOf({ definition, rows, lastChange, departures, sum }: SummedTable): RowSum {
  if (rows.size === 0 && lastChange === 0) return emptySum
  const hasher = new RowHasher()
  hasher.add(definition.name)
  hasher.add(rows.size)
  hasher.add(lastChange)
  for (const [departure, index] of departures) {
    hasher.add(departure)
    hasher.add(index)
  }
  const { high, low } = sum ?? emptySum
  hasher.add(high)
  hasher.add(low)
  return hasher.finished()
}
