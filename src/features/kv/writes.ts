import { onEvent, type ReadTransaction, type StateHook, type WriteTransaction } from '../../store/types.ts'
import { type SessionBehaviour, sessionEnded } from '../session/model.ts'
import { sessionById } from '../session/views.ts'
import { type KvRow, kvValue } from './model.ts'
import { holdKey, holdsPrefix, holdsTable, kvTable, lockDelaysTable, tombstoneTable } from './tables.ts'

/** Changes of keys by commands. Pure functions, as commands are. */

interface NewValue {
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
}

/**
 * Always takes effect, and raises ModifyIndex even if the value is the same. A plain write leaves the lock of the key
 * as it is.
 */
export function setKey(tx: WriteTransaction, entry: NewValue): KvRow {
  const before = tx.get(kvTable, entry.key)
  return put(tx, entry, before, { session: before?.session ?? '', lockIndex: before?.lockIndex ?? 0 })
}

/** Whether the key's ModifyIndex is `index`; with 0, whether the key does not exist. */
export function isAt(tx: ReadTransaction, key: string, index: bigint): boolean {
  return BigInt(tx.get(kvTable, key)?.modifyIndex ?? 0) === index
}

export function deleteKey(tx: WriteTransaction, key: string): void {
  if (dropRow(tx, key)) tx.put(tombstoneTable, { key, index: tx.index })
}

/** True if the key was at `index` and is deleted, or did not exist. */
export function deleteKeyAt(tx: WriteTransaction, key: string, index: bigint): boolean {
  const before = tx.get(kvTable, key)
  if (before !== undefined && BigInt(before.modifyIndex) !== index) return false
  deleteKey(tx, key)
  return true
}

/**
 * Deletes every key under a prefix. One tombstone at the prefix itself is enough for all of them: a result under the
 * same or a shorter prefix includes it; one under a longer prefix has no key left, and needs none.
 */
export function deleteTree(tx: WriteTransaction, prefix: string): void {
  let any = false
  for (const row of tx.prefix(kvTable, prefix)) any = dropRow(tx, row.key) || any
  if (!any) return
  tx.put(tombstoneTable, { key: prefix, index: tx.index })
  // Keys that a caller may see may have been deleted, although the name of the tombstone is hidden.
  tx.depart(kvTable, 'tree')
}

interface LockRequest extends NewValue {
  readonly session: string
  /** The leader's decision: lock delays of this key that began at or before this index are over. */
  readonly delayOver: number
}

type LockOutcome =
  | {
      readonly kind: 'held'
      readonly row: KvRow
      /** Index at which this session acquired the lock: greater than that of any holder before it. */
      readonly fence: number
    }
  | { readonly kind: 'no-session' | 'held-by-another' | 'delayed' }

/**
 * Locks the key for the session, and writes this value. LockIndex counts the holders that the key has had since it was
 * created (invariant S3): a session that already holds the lock only writes the value.
 */
export function lockKey(tx: WriteTransaction, request: LockRequest): LockOutcome {
  const { key, session } = request
  if (sessionById(tx, session) === undefined) return { kind: 'no-session' }
  const before = tx.get(kvTable, key)
  const holder = before?.session ?? ''
  if (holder !== '' && holder !== session) return { kind: 'held-by-another' }
  if (holder === '') {
    if ((tx.get(lockDelaysTable, key)?.index ?? 0) > request.delayOver) return { kind: 'delayed' }
    tx.delete(lockDelaysTable, key)
    tx.put(holdsTable, { session, key, since: tx.index })
  }
  const lockIndex = (before?.lockIndex ?? 0) + (holder === '' ? 1 : 0)
  const row = put(tx, request, before, { session, lockIndex })
  return { kind: 'held', row, fence: tx.get(holdsTable, holdKey(session, key))?.since ?? tx.index }
}

/** Undefined: the session does not hold the lock. */
export function unlockKey(tx: WriteTransaction, entry: NewValue & { readonly session: string }): KvRow | undefined {
  const before = tx.get(kvTable, entry.key)
  if (before === undefined || before.session === '' || before.session !== entry.session) return undefined
  tx.delete(holdsTable, holdKey(before.session, before.key))
  return put(tx, entry, before, { session: '', lockIndex: before.lockIndex })
}

function put(
  tx: WriteTransaction,
  { key, value, flags }: NewValue,
  before: KvRow | undefined,
  lock: Pick<KvRow, 'session' | 'lockIndex'>,
): KvRow {
  const row: KvRow = {
    key,
    value: kvValue(value),
    flags,
    lockIndex: lock.lockIndex,
    session: lock.session,
    createIndex: before?.createIndex ?? tx.index,
    modifyIndex: tx.index,
  }
  tx.put(kvTable, row)
  return row
}

function dropRow(tx: WriteTransaction, key: string): boolean {
  const session = tx.get(kvTable, key)?.session ?? ''
  if (session !== '') tx.delete(holdsTable, holdKey(session, key))
  return tx.delete(kvTable, key)
}

/** When a session ends, its keys are released or deleted, and cannot be locked again before the lock delay is over. */
export const lockHooks: readonly StateHook[] = [
  onEvent(sessionEnded, (tx, { session, behaviour, lockDelayMs }) => {
    for (const { key } of tx.prefix(holdsTable, holdsPrefix(session))) {
      letGo(tx, key, behaviour)
      tx.delete(holdsTable, holdKey(session, key))
      if (lockDelayMs > 0) tx.put(lockDelaysTable, { key, index: tx.index, delayMs: lockDelayMs })
    }
  }),
]

function letGo(tx: WriteTransaction, key: string, behaviour: SessionBehaviour): void {
  const row = tx.get(kvTable, key)
  if (row === undefined) return
  if (behaviour === 'delete') deleteKey(tx, key)
  else tx.put(kvTable, { ...row, session: '', modifyIndex: tx.index })
}
