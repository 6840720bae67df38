import { kvLock } from '../../../src/features/kv/commands.ts'
import { checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates } from '../rare-states.ts'
import type { Hold, LockFacts } from './lock-facts.ts'
import { lockedIn } from './lock-steps.ts'

export const lockMarks = rareStates({
  'lock delay refused an acquire': 'a session was refused a lock, because the delay after the last holder was not over',
  'lock refused for its holder': 'a session was refused a lock that another one held',
  'lock refused without a session': 'a lock was refused to a session that had ended',
  'session ended with a lock held': 'a session ended while it held a lock',
  'session expired': 'the leader ended a session that was not renewed in time',
  'session ended by the catalog': 'a session ended with its node or a check, by a command of the catalog',
  'lock passed on': 'a key was locked by another session after the session that held it had ended',
  'lock passed on within a transaction':
    'a transaction released or deleted a locked key, and locked it for another session',
  'locks restored': 'a restore brought back locks that were held when the snapshot was taken',
})

type LockMark = keyof typeof lockMarks.marks

const refusals: Readonly<Record<string, LockMark>> = {
  delayed: 'lock delay refused an acquire',
  'held-by-another': 'lock refused for its holder',
  'no-session': 'lock refused without a session',
}

/** Observes rare states of sessions and locks. */
class LockMarks {
  readonly #reach: Reach<LockMark>
  #holds: ReadonlyMap<string, Hold> = new Map()
  #sessions: LockFacts['sessions'] = new Map()
  /** By key: the session that held it when it ended. */
  readonly #freed = new Map<string, string>()
  /** The command that last ended a session. */
  #endedAt = -1

  constructor(reach: Reach<LockMark>) {
    this.#reach = reach
  }

  tookEffect({ command: { kind }, index, outcome }: Facts['command took effect']): void {
    if (kind === kvLock.kind) {
      const refused = refusals[(outcome as { readonly kind: string }).kind]
      if (refused !== undefined) this.#reach(refused)
    }
    if (index === this.#endedAt && kind.startsWith('catalog.')) this.#reach('session ended by the catalog')
  }

  changed({ index, expiry, sessions, holds, operations }: LockFacts): void {
    for (const id of this.#sessions.keys()) {
      if (sessions.has(id)) continue
      this.#endedAt = index
      if (expiry) this.#reach('session expired')
    }
    for (const [key, { session }] of this.#holds) {
      if (sessions.has(session)) continue
      this.#reach('session ended with a lock held')
      this.#freed.set(key, session)
    }
    for (const [key, { session }] of holds) {
      const before = this.#freed.get(key)
      if (before !== undefined && before !== session) this.#reach('lock passed on')
      this.#freed.delete(key)
    }
    for (const key of lockedIn(operations)) {
      const [before, now] = [this.#holds.get(key)?.session, holds.get(key)?.session]
      if (before !== undefined && now !== undefined && before !== now)
        this.#reach('lock passed on within a transaction')
    }
    this.#keep({ sessions, holds })
  }

  replaced(facts: LockFacts): void {
    if (facts.holds.size > 0) this.#reach('locks restored')
    this.#freed.clear()
    this.#keep(facts)
  }

  #keep({ sessions, holds }: Pick<LockFacts, 'sessions' | 'holds'>): void {
    this.#sessions = sessions
    this.#holds = holds
  }
}

export const markedLocks = checker({
  codes: {},
  make: ({ of }) => new LockMarks(of(lockMarks)),
  takes: {
    'locks changed': (it, facts) => it.changed(facts),
    'locks replaced': (it, facts) => it.replaced(facts),
    'command took effect': (it, fact) => it.tookEffect(fact),
  },
})
