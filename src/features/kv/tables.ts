import { z } from 'zod'
import { orderedKey } from '../../store/ordered-key.ts'
import type { TableDefinition } from '../../store/types.ts'
import { bytes, byteText, count, uint64 } from '../fields.ts'
import type { KvRow } from './model.ts'

const kvRow = z.object({
  key: byteText,
  value: bytes,
  flags: uint64,
  lockIndex: count,
  session: z.string(),
  createIndex: count,
  modifyIndex: count,
})

export const kvTable: TableDefinition<KvRow> = {
  name: 'kv',
  key: (row) => row.key,
  decode: (stored) => kvRow.parse(stored),
}

/** A key, or every key under a prefix, was deleted at this index. */
export interface TombstoneRow {
  readonly key: string
  readonly index: number
}

const tombstoneRow = z.object({ key: byteText, index: count })

/**
 * Keeps the index of prefix results from falling when the newest key under the prefix is deleted. Unwatched: a tombstone
 * is born only when a key under it dies, which wakes whoever looked there.
 */
export const tombstoneTable: TableDefinition<TombstoneRow> = {
  name: 'kv-tombstones',
  key: (row) => row.key,
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => tombstoneRow.parse(stored),
  unwatched: true,
}

/** Has no rows. Its last change is the greatest index of a tombstone that was reaped: no prefix result goes below it. */
export const reapedFloor: TableDefinition<never> = {
  name: 'kv-reaped',
  key: () => '',
  decode: () => {
    throw new Error('the table has no rows')
  },
  unwatched: true,
}
