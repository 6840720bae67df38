import { utf8 } from '../base/bytes.ts'
import { storedBytes } from './row-codec.ts'
import type { Row, TableDefinition } from './types.ts'

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
  const hash = hash64(storedBytes(table, row))
  return { high: (sum.high + hash.high) >>> 0, low: (sum.low + hash.low) >>> 0 }
}

export function withoutRow(sum: RowSum, table: TableDefinition<Row>, row: Row): RowSum {
  const hash = hash64(storedBytes(table, row))
  return { high: (sum.high - hash.high) >>> 0, low: (sum.low - hash.low) >>> 0 }
}

/** One table's part in the digest of the whole state. */
export interface TableSum {
  readonly name: string
  readonly rows: number
  readonly lastChange: number
  readonly sum: RowSum
}

/** 16 hex digits. A table that was never used counts as absent: servers of a release that lacks it agree with those that have it. */
export function stateDigest(tables: Iterable<TableSum>): string {
  let text = ''
  for (const { name, rows, lastChange, sum } of tables) {
    if (rows > 0 || lastChange > 0) text += `${name} ${rows} ${lastChange} ${sum.high} ${sum.low}\n`
  }
  const { high, low } = hash64(utf8(text))
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}

/** Two multiplicative hashes with different constants, mixed at the end. Not against an adversary: it compares states of one program. */
function hash64(bytes: Uint8Array): RowSum {
  let high = 0x9e3779b9 ^ bytes.length
  let low = 0x41c6ce57
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    high = Math.imul(high ^ byte, 0x9e3779b1)
    low = Math.imul(low ^ byte, 0x5f356495)
    low = (low << 13) | (low >>> 19)
  }
  return { high: finished(high ^ (low >>> 7)), low: finished(low ^ (high >>> 11)) }
}

/** Source: MurmurHash3, finalizer of the 32-bit variant. */
function finished(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
