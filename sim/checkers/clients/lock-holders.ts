import { appliedIn, checker, eventIn, type Judge } from '../checker.ts'
import type { Hold, LockFacts, SessionFacts } from './lock-facts.ts'
import { lockedIn, walkOf } from './lock-steps.ts'

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
    const touched = new Set(lockedIn(facts.operations))
    for (const key of touched) this.#walked(key, facts)
    for (const [key, hold] of facts.holds) this.#holdsNow(key, hold, facts)
    for (const key of new Set([...touched, ...this.#holds.keys(), ...facts.holds.keys()])) this.#agrees(key, facts)
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

  /** Each operation of a transaction must respect the holder that those before it have left. */
  #walked(key: string, facts: LockFacts): void {
    const before = this.#holds.get(key)
    const walk = walkOf(key, { session: before?.session ?? '', lockIndex: 0 }, facts.operations)
    this.#judge.judged('S1')
    const causes = appliedIn(this.#judge, before?.fence ?? 0)
    for (const what of walk.broken)
      this.#judge.report('S1', `the transaction at ${facts.index} on '${key}' ${what}`, causes)
    for (const session of walk.taken) this.#takes(key, session, facts)
    const holder = facts.holds.get(key)?.session ?? ''
    if (holder === walk.session) return
    const [is, expected] = [holder, walk.session].map(sessionText)
    this.#judge.report(
      'S1',
      `after the transaction at ${facts.index} ${is} holds '${key}' instead of ${expected}`,
      causes,
    )
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
    this.#fences.set(`${key}@${hold.fence}`, hold.session)
    if (facts.operations.length > 0) return
    this.#judge.judged('S1')
    if (before !== undefined && before.session !== hold.session && facts.sessions.has(before.session)) {
      const held = `while session ${before.session} held it since entry ${before.fence}`
      this.#judge.report(
        'S1',
        `entry ${facts.index} gave '${key}' to session ${hold.session} ${held}`,
        appliedIn(this.#judge, before.fence),
      )
    }
    this.#takes(key, hold.session, facts)
  }

  /** What a key says of itself, which clients read, is what its lock is. */
  #agrees(key: string, { holds, index, lockableOf }: LockFacts): void {
    const hold = holds.get(key)
    const named = lockableOf(key)?.session ?? ''
    if (named === (hold?.session ?? '')) return
    const [names, holder] = [named, hold?.session ?? ''].map(sessionText)
    const causes = appliedIn(this.#judge, hold?.fence ?? 0)
    this.#judge.report('S1', `'${key}' names ${names} after entry ${index}, and ${holder} holds it`, causes)
  }

  /** A session locks a key that no other session holds. */
  #takes(key: string, session: string, facts: LockFacts): void {
    const closed = this.#closed.get(key)
    if (closed === undefined) return
    if (facts.atUs >= closed.untilUs) {
      this.#closed.delete(key)
      return
    }
    const early = `${((closed.untilUs - facts.atUs) / 1e6).toFixed(3)} s before the lock delay of ${closed.session} was over`
    this.#judge.report('S1', `entry ${facts.index} gave '${key}' to session ${session} ${early}`, [closed.event])
  }
}

function sessionText(session: string): string {
  return session === '' ? 'no session' : `session ${session}`
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
