import { holdsTable, kvTable } from '../../../src/features/kv/tables.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'

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
  /** LockIndex of a key; undefined: there is no such key. */
  lockIndexOf(key: string): number | undefined
  /** CreateIndex of a key; undefined: there is no such key. */
  createIndexOf(key: string): number | undefined
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
  command: Pick<LockFacts, 'index' | 'atUs' | 'expiry'>,
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
  const rowOf = (key: string) => tx.get(kvTable, key)
  const counts = {
    lockIndexOf: (key: string) => rowOf(key)?.lockIndex,
    createIndexOf: (key: string) => rowOf(key)?.createIndex,
  }
  return { ...command, sessions, holds, ...counts }
}
