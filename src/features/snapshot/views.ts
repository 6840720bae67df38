import type { ReadTransaction } from '../../store/types.ts'
import { type ComingRow, comingTable, onlyKey, type ReplacedRow, replacedTable } from './tables.ts'

export function comingState(tx: ReadTransaction): ComingRow | undefined {
  return tx.get(comingTable, onlyKey)
}

/** Undefined: never. */
export function lastReplaced(tx: ReadTransaction): ReplacedRow | undefined {
  return tx.get(replacedTable, onlyKey)
}
