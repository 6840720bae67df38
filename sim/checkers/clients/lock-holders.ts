import { appliedIn, checker, eventIn, type Judge } from '../checker.ts'
import type { Hold, LockFacts, SessionFacts } from './lock-facts.ts'

/** The leader's clock, which measures the lock delay, may be faster than true time by this share. */
const clockAllowance = 0.06

/** Until when no session may lock a key, and why. */
interface Closed {
  readonly untilUs: number
  readonly session: string
  /** Event in which the session ended, in the trace; 0: the trace is not recorded. */
  readonly event: number
}

/**
 * S1. At most one session holds a key, and that session exists. After a session ends, no other session locks the keys
 * that it held until its lock delay has passed by true time, whichever server leads.
 */
export class LockHolders {
  readonly #judge: Judge<{ S1: 'restored' }>
  #holds: ReadonlyMap<string, Hold> = new Map()
  #sessions: ReadonlyMap<string, SessionFacts> = new Map()
  readonly #closed = new Map<string, Closed>()
  /** The session of each moment at which a key was locked, by `key@index`. */
  readonly #fences = new Map<string, string>()

  constructor(judge: Judge<{ S1: 'restored' }>) {
    this.#judge = judge
  }

  command(facts: LockFacts): void {
    for (const [key, before] of this.#holds) this.#heldBefore(key, before, facts)
    for (const [key, hold] of facts.holds) this.#holdsNow(key, hold, facts)
    this.#holds = facts.holds
    this.#sessions = facts.sessions
  }

  /** An operator restored another state: locks are held as that state says, and earlier ones do not count. */
  replaced({ holds, sessions }: LockFacts): void {
    this.#judge.excused('S1', 'restored', holds.size + this.#closed.size)
    for (const [key, { session, fence }] of holds) this.#fences.set(`${key}@${fence}`, session)
    this.#holds = holds
    this.#sessions = sessions
    this.#closed.clear()
  }

  /** Keys that the command released because their session ended. */
  freedBy(facts: LockFacts): readonly string[] {
    return [...this.#holds].flatMap(([key, { session }]) => (facts.sessions.has(session) ? [] : [key]))
  }

  /** A client was told that it holds the key, and with which fencing number. */
  answered(key: string, session: string, fence: number): void {
    this.#judge.judged('S1')
    if (this.#fences.get(`${key}@${fence}`) === session) return
    const told = `session ${session} was told that it holds '${key}' with fencing number ${fence}`
    this.#judge.report('S1', `${told}, which it never did`, appliedIn(this.#judge, fence))
  }

  #heldBefore(key: string, before: Hold, facts: LockFacts): void {
    const ended = !facts.sessions.has(before.session)
    if (!ended) return
    const delayUs = (this.#sessions.get(before.session)?.lockDelayMs ?? 0) * 1000
    const untilUs = facts.atUs + delayUs * (1 - clockAllowance)
    this.#closed.set(key, { untilUs, session: before.session, event: eventIn(this.#judge) })
  }

  #holdsNow(key: string, hold: Hold, facts: LockFacts): void {
    if (!facts.sessions.has(hold.session)) {
      this.#judge.judged('S1')
      this.#judge.report(
        'S1',
        `'${key}' is held by session ${hold.session}, which has ended (entry ${facts.index})`,
        appliedIn(this.#judge, hold.fence),
      )
    }
    const before = this.#holds.get(key)
    if (before?.session === hold.session && before.fence === hold.fence) return
    this.#judge.judged('S1')
    this.#fences.set(`${key}@${hold.fence}`, hold.session)
    // A transaction may delete a key, which releases it, and lock the new key of the same name.
    const isMadeAnew = facts.createIndexOf(key) === facts.index
    const isAnothers = before !== undefined && before.session !== hold.session && facts.sessions.has(before.session)
    if (isAnothers && !isMadeAnew) {
      const held = `while session ${before.session} held it since entry ${before.fence}`
      this.#judge.report(
        'S1',
        `entry ${facts.index} gave '${key}' to session ${hold.session} ${held}`,
        appliedIn(this.#judge, before.fence),
      )
    }
    const closed = this.#closed.get(key)
    if (closed === undefined) return
    if (facts.atUs >= closed.untilUs) {
      this.#closed.delete(key)
      return
    }
    const early = `${((closed.untilUs - facts.atUs) / 1e6).toFixed(3)} s before the lock delay of ${closed.session} was over`
    this.#judge.report('S1', `entry ${facts.index} gave '${key}' to session ${hold.session} ${early}`, [closed.event])
  }
}

export const lockHolders = checker({
  codes: {
    S1: {
      text: 'mutual exclusion: a key has one holder, and a new one only after the lock delay of the last',
      sources: ['docs/reference/keys.md#lock-delay'],
      evidence: ['locks', 'requests', 'forwards', 'elections'],
      judges: ['lock taken or told', 'locks taken or told'],
      excuses: {
        restored:
          'Locks are held as a restored snapshot says, and lock delays from before it do not count; until the next that takes the lock.',
      },
    },
  },
  make: (judge) => new LockHolders(judge),
  takes: {
    'locks changed': (it, facts) => it.command(facts),
    'locks replaced': (it, facts) => it.replaced(facts),
    'lock answered': (it, { key, session, fence }) => it.answered(key, session, fence),
  },
})
