import type { ReadTransaction } from '../../store/types.ts'
import { type ComingRow, comingTable, onlyKey, piecesTable, type ReplacedRow, replacedTable } from './tables.ts'

export function comingState(tx: ReadTransaction): ComingRow | undefined {
  return tx.get(comingTable, onlyKey)
}

/** Of that state, in order. */
export function* comingPieces(tx: ReadTransaction): Generator<Uint8Array, void> {
  for (const { bytes } of tx.all(piecesTable)) yield bytes
}

/** Another whenever `lastReplaced` may be. */
export function replacedChange(tx: ReadTransaction): number {
  return tx.lastChange(replacedTable)
}

/** Undefined: never. */
export function lastReplaced(tx: ReadTransaction): ReplacedRow | undefined {
  return tx.get(replacedTable, onlyKey)
}
