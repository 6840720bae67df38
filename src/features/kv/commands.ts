import { z } from 'zod'
import { type Release, releaseOf } from '../../model/release.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { bytes, byteText, count, isByteText, membersOf, readWith, uint64, uint64Of } from '../contract/fields.ts'
import { lockDelaysTable, reapedFloor, tombstoneTable } from './tables.ts'
import { deleteKey, deleteKeyAt, deleteTree, isAt, lockKey, setKey, unlockKey } from './writes.ts'

const first: Release = { major: 0, minor: 1, patch: 0 }
const withSessions: Release = { major: 0, minor: 4, patch: 0 }
const withTombstones = releaseOf('kv-tombstones')

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

/** Always takes effect, and raises ModifyIndex even if the value is the same. */
export const kvPut: CommandDefinition<PutBody, boolean> = {
  kind: 'kv.put',
  outcome: z.boolean(),
  since: first,
  body: putBody,
  apply: (tx, body) => {
    setKey(tx, body)
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

/** Takes effect if the key's ModifyIndex is `index`; with 0, if the key does not exist. */
export const kvPutCas: CommandDefinition<PutCasBody, boolean> = {
  kind: 'kv.put-cas',
  outcome: z.boolean(),
  since: first,
  body: putCasBody,
  apply: (tx, body) => {
    if (!isAt(tx, body.key, body.index)) return false
    setKey(tx, body)
    return true
  },
}

const deleteBody = readWith((body): { readonly key: string } | undefined => {
  const key = membersOf(body, 1)?.['key']
  return isByteText(key) ? { key } : undefined
})

export const kvDelete: CommandDefinition<z.infer<typeof deleteBody>, boolean> = {
  kind: 'kv.delete',
  outcome: z.boolean(),
  since: first,
  body: deleteBody,
  apply: (tx, { key }) => {
    deleteKey(tx, key)
    return true
  },
}

const deleteCasBody = z.strictObject({ key: byteText, index: uint64 })

/** True if the key was at `index` and is deleted, or did not exist. */
export const kvDeleteCas: CommandDefinition<z.infer<typeof deleteCasBody>, boolean> = {
  kind: 'kv.delete-cas',
  outcome: z.boolean(),
  since: first,
  body: deleteCasBody,
  apply: (tx, { key, index }) => deleteKeyAt(tx, key, index),
}

const deleteTreeBody = z.strictObject({ prefix: byteText })

export const kvDeleteTree: CommandDefinition<z.infer<typeof deleteTreeBody>, boolean> = {
  kind: 'kv.delete-tree',
  outcome: z.boolean(),
  since: first,
  body: deleteTreeBody,
  apply: (tx, { prefix }) => {
    deleteTree(tx, prefix)
    return true
  },
}

const lockBody = z.strictObject({ key: byteText, value: bytes, flags: uint64, session: z.string(), delayOver: count })

/** `fence`: see `LockOutcome`. */
export type LockAnswer =
  | { readonly kind: 'held'; readonly fence: number }
  | { readonly kind: 'no-session' | 'held-by-another' | 'delayed' }

export const lockAnswer = z.union([
  z.object({ kind: z.literal('held'), fence: count }).readonly(),
  z.object({ kind: z.enum(['no-session', 'held-by-another', 'delayed']) }).readonly(),
])

export const kvLock: CommandDefinition<z.infer<typeof lockBody>, LockAnswer> = {
  kind: 'kv.lock',
  outcome: lockAnswer,
  since: withSessions,
  body: lockBody,
  apply: (tx, body) => {
    const outcome = lockKey(tx, body)
    return outcome.kind === 'held' ? { kind: 'held', fence: outcome.fence } : outcome
  },
}

const unlockBody = z.strictObject({ key: byteText, value: bytes, flags: uint64, session: z.string() })

/** False: the session does not hold the lock. */
export const kvUnlock: CommandDefinition<z.infer<typeof unlockBody>, boolean> = {
  kind: 'kv.unlock',
  outcome: z.boolean(),
  since: withSessions,
  body: unlockBody,
  apply: (tx, body) => unlockKey(tx, body) !== undefined,
}

const delaysOverBody = z.strictObject({ through: count, limit: count })

/**
 * Forgets lock delays that began up to an index, at most `limit` of them, which the leader knows to be over. Returns
 * how many.
 */
export const kvForgetLockDelays: CommandDefinition<z.infer<typeof delaysOverBody>, number> = {
  kind: 'kv.forget-lock-delays',
  outcome: z.number(),
  since: withSessions,
  body: delaysOverBody,
  apply: (tx, { through, limit }) => {
    let forgotten = 0
    for (const { key, index } of tx.inIndexOrder(lockDelaysTable, 'age')) {
      if (index > through || forgotten === limit) break
      tx.delete(lockDelaysTable, key)
      forgotten++
    }
    return forgotten
  },
}

const reapBody = z.strictObject({ through: count, limit: count })

/**
 * Removes the oldest tombstones up to an index, at most `limit` of them. Returns how many; their greatest index remains
 * as a floor.
 */
export const kvReapTombstones: CommandDefinition<z.infer<typeof reapBody>, number> = {
  kind: 'kv.reap-tombstones',
  outcome: z.number(),
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
