import type { JudgedOperation } from '../../../src/features/kv/operations.ts'

/** An operation of a transaction, as far as it can concern locks. */
export type LockOperation = Pick<JudgedOperation, 'verb' | 'key' | 'session'>

/** A key between two operations. */
export interface Lockable {
  /** Empty: no session holds it. */
  readonly session: string
  readonly lockIndex: number
}

/** What the operations of one transaction did to one key, one after the other. */
export interface LockWalk extends Lockable {
  /** Sessions that came to hold the key when it was free, in order. */
  readonly taken: readonly string[]
  /** Operations that the key's holder forbids. */
  readonly broken: readonly string[]
}

const free: Lockable = { session: '', lockIndex: 0 }

/**
 * Walks through a transaction that took effect. What lies between two of its operations is in no state that a checker
 * is told: a key can be deleted, made anew, and locked and unlocked several times within one entry of the log.
 */
export function walkOf(key: string, before: Lockable, operations: readonly LockOperation[]): LockWalk {
  let now = before
  const taken: string[] = []
  const broken: string[] = []
  for (const { verb, key: named, session } of operations) {
    if (
      verb === 'delete-tree' ? key.startsWith(named) : key === named && (verb === 'delete' || verb === 'delete-cas')
    ) {
      now = free
    } else if (named === key && verb === 'lock' && now.session !== session) {
      if (now.session !== '') broken.push(`gave it to session ${session} while session ${now.session} held it`)
      taken.push(session)
      now = { session, lockIndex: now.lockIndex + 1 }
    } else if (named === key && verb === 'unlock') {
      if (now.session !== session) broken.push(`released it for session ${session}, which did not hold it`)
      now = { ...now, session: '' }
    }
  }
  return { ...now, taken, broken }
}

/** Keys whose lock a transaction takes or releases. */
export function lockedIn(operations: readonly LockOperation[]): readonly string[] {
  return operations.flatMap(({ verb, key }) => (verb === 'lock' || verb === 'unlock' ? [key] : []))
}
