import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { type ComingRow, comingTable, onlyKey, piecesTable, type ReplacedRow, replacedTable } from './tables.ts'

export function comingState(tx: ReadTransaction): ComingRow | undefined {
  return tx.get(comingTable, onlyKey)
}

/** The pieces of the uploaded state, in order. */
export function* comingPieces(tx: ReadTransaction): Generator<Uint8Array, void> {
  for (const { bytes } of tx.all(piecesTable)) yield bytes
}

/** Changes whenever `lastReplaced` may change. */
export function replacedChange(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(replacedTable)
}

/** Undefined: never replaced. */
export function lastReplaced(tx: ReadTransaction): ReplacedRow | undefined {
  return tx.get(replacedTable, onlyKey)
}
