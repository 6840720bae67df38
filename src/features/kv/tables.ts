import { z } from 'zod'
import { isCount, isModifyIndex, type ModifyIndex } from '../../model/log-position.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { TableDefinition } from '../../store/types.ts'
import { byteText, isByteText, stateIndex, uint64Of } from '../contract/fields.ts'
import { type KvEntry, type KvRow, kvValue, packedValue } from './model.ts'

/** Written by hand: a restarting server parses every key this way, and a schema takes three times as long. */
function kvRowOf(stored: unknown): KvRow {
  const members: Partial<Record<keyof KvRow, unknown>> = typeof stored === 'object' && stored !== null ? stored : {}
  const { key, value, flags, lockIndex, session, createIndex, modifyIndex } = members
  const bits = uint64Of(flags)
  const isRow =
    isByteText(key) &&
    value instanceof Uint8Array &&
    bits !== undefined &&
    typeof session === 'string' &&
    isCount(lockIndex) &&
    isModifyIndex(createIndex) &&
    isModifyIndex(modifyIndex)
  if (!isRow) throw new Error('a key with members that cannot be')
  return { key, value: kvValue(value), flags: bits, lockIndex, session, createIndex, modifyIndex }
}

/** The form in snapshots, hashes and messages, with members in the order of names. */
export function packedRow({
  createIndex,
  flags,
  key,
  lockIndex,
  modifyIndex,
  session,
  value,
}: KvRow | KvEntry): object {
  const bits = flags <= Number.MAX_SAFE_INTEGER ? Number(flags) : flags
  return { createIndex, flags: bits, key, lockIndex, modifyIndex, session, value: packedValue(value) }
}

export const kvTable: TableDefinition<KvRow> = {
  name: 'kv',
  key: (row) => row.key,
  departures: { tree: {} },
  decode: kvRowOf,
  encode: packedRow,
}

/** A key, or every key under a prefix, was deleted at this index. */
export interface TombstoneRow {
  readonly key: string
  readonly index: ModifyIndex
}

const tombstoneRow = z.object({ key: byteText, index: stateIndex })

/**
 * Keeps the index of prefix results from falling when the newest key under the prefix is deleted. Unwatched: a
 * tombstone is created only when a key under it is deleted, which wakes all reads of that prefix.
 */
export const tombstoneTable: TableDefinition<TombstoneRow> = {
  name: 'kv-tombstones',
  key: (row) => row.key,
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => tombstoneRow.parse(stored),
  stamps: ['index'],
  unwatched: true,
}

/** Has no rows. Its last change is the greatest index of a reaped tombstone: no prefix result goes below it. */
export const reapedFloor: TableDefinition<never> = {
  name: 'kv-reaped',
  key: () => '',
  decode: () => {
    throw new Error('the table has no rows')
  },
  unwatched: true,
}

/** A key that a session holds. The key's own row names the session, too: both change together. */
export interface HoldRow {
  readonly session: string
  readonly key: string
  /** Index at which the session acquired the lock. */
  readonly since: ModifyIndex
}

const holdRow = z.object({ session: z.string(), key: byteText, since: stateIndex })

/** Finds the keys of a session when it ends. Unwatched: it changes only together with the key's own row. */
export const holdsTable: TableDefinition<HoldRow> = {
  name: 'kv-holds',
  key: (row) => holdKey(row.session, row.key),
  decode: (stored) => holdRow.parse(stored),
  stamps: ['since'],
  unwatched: true,
}

export function holdsPrefix(session: string): string {
  return `${session}/`
}

export function holdKey(session: string, key: string): string {
  return `${holdsPrefix(session)}${key}`
}

/** A key whose holder's session ended at this index: it cannot be locked before the delay is over. */
export interface LockDelayRow {
  readonly key: string
  readonly index: ModifyIndex
  readonly delayMs: number
}

const lockDelayRow = z.object({ key: byteText, index: stateIndex, delayMs: z.number().positive() })

export const lockDelaysTable: TableDefinition<LockDelayRow> = {
  name: 'kv-lock-delays',
  key: (row) => row.key,
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => lockDelayRow.parse(stored),
  stamps: ['index'],
}
