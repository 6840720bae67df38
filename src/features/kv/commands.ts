import { z } from 'zod'
import type { Release } from '../../model/release.ts'
import type { WriteTransaction } from '../../store/types.ts'
import { byteText, count, isByteText, membersOf, readWith, uint64, uint64Of } from '../fields.ts'
import type { CommandDefinition } from '../manifest.ts'
import { kvTable, reapedFloor, tombstoneTable } from './tables.ts'

const first: Release = { major: 0, minor: 1, patch: 0 }
const withTombstones: Release = { major: 0, minor: 5, patch: 0 }

interface PutBody {
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
}

const putBody = readWith((body): PutBody | undefined => {
  const members = membersOf(body, 3)
  const flags = uint64Of(members?.['flags'])
  if (members === undefined || flags === undefined) return undefined
  const { key, value } = members
  return isByteText(key) && value instanceof Uint8Array ? { key, value, flags } : undefined
})

/** Always takes effect, and raises ModifyIndex even if nothing differs. */
export const kvPut: CommandDefinition<PutBody, boolean> = {
  kind: 'kv.put',
  since: first,
  body: putBody,
  apply: (tx, body) => {
    put(tx, body)
    return true
  },
}

interface PutCasBody extends PutBody {
  readonly index: bigint
}

const putCasBody = readWith((body): PutCasBody | undefined => {
  const members = membersOf(body, 4)
  const [flags, index] = [uint64Of(members?.['flags']), uint64Of(members?.['index'])]
  if (members === undefined || flags === undefined || index === undefined) return undefined
  const { key, value } = members
  return isByteText(key) && value instanceof Uint8Array ? { key, value, flags, index } : undefined
})

/** Takes effect if the key's ModifyIndex is `index`; with 0, if there is no such key. */
export const kvPutCas: CommandDefinition<PutCasBody, boolean> = {
  kind: 'kv.put-cas',
  since: first,
  body: putCasBody,
  apply: (tx, body) => {
    const before = tx.get(kvTable, body.key)
    if (BigInt(before?.modifyIndex ?? 0) !== body.index) return false
    put(tx, body)
    return true
  },
}

const deleteBody = readWith((body): { readonly key: string } | undefined => {
  const key = membersOf(body, 1)?.['key']
  return isByteText(key) ? { key } : undefined
})

export const kvDelete: CommandDefinition<z.infer<typeof deleteBody>, boolean> = {
  kind: 'kv.delete',
  since: first,
  body: deleteBody,
  apply: (tx, { key }) => {
    if (tx.delete(kvTable, key)) tx.put(tombstoneTable, { key, index: tx.index })
    return true
  },
}

const deleteCasBody = z.strictObject({ key: byteText, index: uint64 })

/** True if the key was at `index` and is gone, or was not there in the first place. */
export const kvDeleteCas: CommandDefinition<z.infer<typeof deleteCasBody>, boolean> = {
  kind: 'kv.delete-cas',
  since: first,
  body: deleteCasBody,
  apply: (tx, { key, index }) => {
    const before = tx.get(kvTable, key)
    if (before === undefined) return true
    if (BigInt(before.modifyIndex) !== index) return false
    tx.delete(kvTable, key)
    tx.put(tombstoneTable, { key, index: tx.index })
    return true
  },
}

const deleteTreeBody = z.strictObject({ prefix: byteText })

/**
 * Deletes every key under a prefix. One tombstone, at the prefix itself, is enough for all of them: a result under a
 * shorter prefix, or the same, has it among its own; one under a longer prefix has no key left, and needs none.
 */
export const kvDeleteTree: CommandDefinition<z.infer<typeof deleteTreeBody>, boolean> = {
  kind: 'kv.delete-tree',
  since: first,
  body: deleteTreeBody,
  apply: (tx, { prefix }) => {
    let any = false
    for (const row of tx.prefix(kvTable, prefix)) any = tx.delete(kvTable, row.key) || any
    if (any) tx.put(tombstoneTable, { key: prefix, index: tx.index })
    return true
  },
}

const reapBody = z.strictObject({ through: count, limit: count })

/** Forgets the oldest tombstones up to an index, at most `limit` of them. Returns how many; their greatest index stays as a floor. */
export const kvReapTombstones: CommandDefinition<z.infer<typeof reapBody>, number> = {
  kind: 'kv.reap-tombstones',
  since: withTombstones,
  body: reapBody,
  apply: (tx, { through, limit }) => {
    let reaped = 0
    for (const { key, index } of tx.inIndexOrder(tombstoneTable, 'age')) {
      if (index > through || reaped === limit) break
      tx.delete(tombstoneTable, key)
      tx.touch(reapedFloor, index)
      reaped++
    }
    return reaped
  },
}

/** A plain write keeps the session that holds the key, but takes its LockIndex back to 0. Reference: HTTP API 5. */
function put(tx: WriteTransaction, { key, value, flags }: PutBody): void {
  const before = tx.get(kvTable, key)
  tx.put(kvTable, {
    key,
    // A copy: the body's bytes are those of the log entry.
    value: value.slice(),
    flags,
    lockIndex: 0,
    session: before?.session ?? '',
    createIndex: before?.createIndex ?? tx.index,
    modifyIndex: tx.index,
  })
}
