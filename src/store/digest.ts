import type { ModifyIndex } from '../model/log-position.ts'
import { RowHasher } from './row-hash.ts'
import type { Departures, Row, TableDefinition } from './types.ts'

/**
 * Sum of the hashes of a table's rows, in two lanes modulo 2^32. It does not depend on their order, so a change costs the
 * hashing of one row, whatever the size of the table.
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
export interface TableSum {
  readonly name: string
  readonly rows: number
  readonly lastChange: ModifyIndex
  readonly departures: Departures
  readonly sum: RowSum
}

/** 16 hex digits. A table that was never used counts as absent: servers of a release that lacks it agree with those that have it. */
export function stateDigest(tables: Iterable<TableSum>): string {
  const hasher = new RowHasher()
  for (const { name, rows, lastChange, departures, sum } of tables) {
    if (rows === 0 && lastChange === 0) continue
    hasher.add(name)
    hasher.add(rows)
    hasher.add(lastChange)
    for (const [departure, index] of departures) {
      hasher.add(departure)
      hasher.add(index)
    }
    hasher.add(sum.high)
    hasher.add(sum.low)
  }
  const { high, low } = hasher.finished()
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
