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
 * 16 hex digits. A table that was never used counts as absent: servers of a release that lacks it agree with those that
 * have it.
 */
export function stateDigest(tables: Iterable<SummedTable>): string {
  const hasher = new RowHasher()
  for (const { definition, rows, lastChange, departures, sum } of tables) {
    if (rows.size === 0 && lastChange === 0) continue
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
  }
  const { high, low } = hasher.finished()
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
