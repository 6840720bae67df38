import { z } from 'zod'
import type { ModifyIndex } from '../../model/log-position.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { TableDefinition } from '../../store/types.ts'
import { bytes, count, stateIndex } from '../contract/fields.ts'

/** A state that is being uploaded to replace this one. At most one at a time. */
export interface ComingRow {
  /** Drawn by the server that restores the snapshot. */
  readonly id: string
  readonly sizeBytes: number
  readonly receivedBytes: number
}

const comingRow = z.object({ id: z.string(), sizeBytes: count, receivedBytes: count })

export const comingTable: TableDefinition<ComingRow> = {
  name: 'snapshot-coming',
  key: () => onlyKey,
  decode: (row) => comingRow.parse(row),
  unwatched: true,
  ofCluster: true,
}

/** A piece of the uploaded state. */
export interface PieceRow {
  readonly offset: number
  readonly bytes: Uint8Array
}

const pieceRow = z.object({ offset: count, bytes: bytes.transform((read) => read.slice()) })

export const piecesTable: TableDefinition<PieceRow> = {
  name: 'snapshot-pieces',
  key: (row) => orderedKey(row.offset),
  decode: (row) => pieceRow.parse(row),
  unwatched: true,
  ofCluster: true,
}

/** When the state was last replaced. The table belongs to the state machine, which depends on it. */
export interface ReplacedRow {
  /** The index since which this is the state. */
  readonly index: ModifyIndex
  /** How far the indexes of the state have been ahead of those of the log since then. */
  readonly ahead: number
}

const replacedRow = z.object({ index: stateIndex, ahead: count })

export const replacedTable: TableDefinition<ReplacedRow> = {
  name: 'snapshot-replaced',
  key: () => onlyKey,
  decode: (row) => replacedRow.parse(row),
  unwatched: true,
  ofCluster: true,
}

export const onlyKey = 'only'
