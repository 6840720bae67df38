import { holdsTable, kvTable } from '../../../src/features/kv/tables.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import type { Lockable, LockOperation } from './lock-steps.ts'

/** Sessions and locks after one command. */
export interface LockFacts {
  /** Log index of the command. */
  readonly index: number
  /** True time at which the first server applied it, in microseconds. */
  readonly atUs: number
  /** The leader ended a session by this command, because the session was not renewed. */
  readonly expiry: boolean
  readonly sessions: ReadonlyMap<string, SessionFacts>
  /** The holder of each key. */
  readonly holds: ReadonlyMap<string, Hold>
  /** What a key itself says of its lock; undefined: there is no such key. */
  lockableOf(key: string): Lockable | undefined
  /** By key that is held or ever was since it was created: its LockIndex. */
  counted(): ReadonlyMap<string, number>
  /** Of a transaction that took effect, in its order; none: another command. */
  readonly operations: readonly LockOperation[]
}

export interface SessionFacts {
  /** 0: it does not expire. */
  readonly ttlMs: number
  readonly lockDelayMs: number
}

export interface Hold {
  readonly session: string
  readonly fence: number
}

/** Undefined: the command changed neither sessions nor keys that could be locked. */
export function lockFactsOf(
  tx: ReadTransaction,
  command: Pick<LockFacts, 'index' | 'atUs' | 'expiry' | 'operations'>,
): LockFacts | undefined {
  const touched = tx.lastChange(sessionsTable) === command.index || tx.lastChange(holdsTable) === command.index
  const keyTouched = tx.lastChange(kvTable) === command.index && tx.lastChange(holdsTable) > 0
  if (!touched && !keyTouched) return undefined
  const sessions = new Map<string, SessionFacts>()
  for (const { id, ttlMs, lockDelayNs } of tx.all(sessionsTable)) {
    sessions.set(id, { ttlMs, lockDelayMs: Math.min(lockDelayNs / 1e6, 60_000) })
  }
  const holds = new Map<string, Hold>()
  for (const { key, session, since } of tx.all(holdsTable)) holds.set(key, { session, fence: since })
  const lockableOf = (key: string) => tx.get(kvTable, key)
  return { ...command, sessions, holds, lockableOf, counted: () => countedIn(tx) }
}

function countedIn(tx: ReadTransaction): ReadonlyMap<string, number> {
  const counted = new Map<string, number>()
  for (const { key, lockIndex } of tx.all(kvTable)) if (lockIndex > 0) counted.set(key, lockIndex)
  return counted
}
