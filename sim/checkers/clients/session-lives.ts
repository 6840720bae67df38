import { checker, eventIn, type Judge } from '../checker.ts'
import type { LockFacts } from './lock-facts.ts'

/** Leaders measure by clocks that differ from true time by at most this share. */
const clockAllowance = 0.06
/** A session that was not renewed must end after at most this many times its time to live. */
const longest = 2
/** Time in which the end of a session is replicated, retried after a refusal, and applied. */
const slackUs = 15_000_000

interface Life {
  readonly ttlUs: number
  /** Earliest moment from which its time to live may be counted: the call of the last answered renewal. */
  renewedUs: number
  /** Latest moment from which it may be counted: the answer to that renewal, or to its creation. */
  countedUs: number
  /** The last renewal was not answered. */
  isOpen: boolean
  /** The trace event of its creation or of its last renewal; 0: no trace is recorded. */
  event: number
}

/**
 * S2. A session that no command ended, and whose node and checks are healthy, lives for at least its time to live after
 * its last renewal. It lives for at most twice that after the later of its last renewal and its leader's election: a
 * change of leader extends a session, and never shortens it.
 */
export class SessionLives {
  readonly #judge: Judge<{ S2: 'restored' | 'renewal unanswered' }>
  readonly #lives = new Map<string, Life>()
  /** When each session expired. */
  readonly #expired = new Map<string, { readonly atUs: number; readonly ttlUs: number; readonly event: number }>()
  #leaderSinceUs = 0
  #leaderIn = 0

  constructor(judge: Judge<{ S2: 'restored' | 'renewal unanswered' }>) {
    this.#judge = judge
  }

  leaderElected(atUs: number): void {
    this.#leaderSinceUs = atUs
    this.#leaderIn = eventIn(this.#judge)
  }

  /** An operator restored another state: sessions that it lacks are gone, and those that it has live on. */
  replaced(facts: LockFacts): void {
    for (const id of this.#lives.keys()) if (!facts.sessions.has(id)) this.#judge.excused('S2', 'restored')
    this.command(facts)
  }

  command({ sessions, atUs, expiry }: LockFacts): void {
    for (const [id, life] of this.#lives) {
      if (sessions.has(id)) continue
      this.#lives.delete(id)
      if (!expiry) continue
      this.#expired.set(id, { atUs, ttlUs: life.ttlUs, event: eventIn(this.#judge) })
      this.#judge.judged('S2')
      this.#tooEarly(id, atUs, life.renewedUs, life)
      this.#tooLate(id, atUs, life, 'ended')
    }
    for (const [id, { ttlMs }] of sessions) {
      if (ttlMs > 0 && !this.#lives.has(id)) {
        this.#lives.set(id, {
          ttlUs: ttlMs * 1000,
          renewedUs: atUs,
          countedUs: atUs,
          isOpen: false,
          event: eventIn(this.#judge),
        })
      }
    }
  }

  /** A client called for a renewal at one time, and the answer at another time confirmed the session. */
  renewed(id: string, calledUs: number, answeredUs: number): void {
    const expired = this.#expired.get(id)
    if (expired !== undefined) this.#judge.judged('S2')
    if (expired !== undefined) this.#tooEarly(id, expired.atUs, calledUs, expired)
    const life = this.#lives.get(id)
    if (life === undefined) return
    life.renewedUs = Math.max(life.renewedUs, calledUs)
    life.countedUs = Math.max(life.countedUs, answeredUs)
    life.isOpen = false
    life.event = eventIn(this.#judge)
  }

  /** A renewal without an answer may have taken effect up to now. */
  attempted(id: string, untilUs: number): void {
    const life = this.#lives.get(id)
    if (life === undefined) return
    life.countedUs = Math.max(life.countedUs, untilUs)
    life.isOpen = true
  }

  /** The run is over, and the cluster has been healthy for a while. */
  finish(atUs: number): void {
    this.#judge.judged('S2', this.#lives.size)
    for (const [id, life] of this.#lives) this.#tooLate(id, atUs, life, 'still lives')
  }

  /** `event`: that of the end or of the renewal, whichever is not the present one. */
  #tooEarly(id: string, endedUs: number, renewedUs: number, { ttlUs, event }: Pick<Life, 'ttlUs' | 'event'>): void {
    const livedUs = endedUs - renewedUs
    if (livedUs >= ttlUs * (1 - clockAllowance)) return
    this.#judge.report(
      'S2',
      `session ${id} expired ${seconds(livedUs)} after a renewal, although its TTL is ${seconds(ttlUs)}`,
      [event],
    )
  }

  #tooLate(id: string, atUs: number, { countedUs, ttlUs, isOpen, event }: Life, what: string): void {
    if (isOpen) this.#judge.excused('S2', 'renewal unanswered')
    const sinceUs = Math.max(countedUs, this.#leaderSinceUs)
    const livedUs = atUs - sinceUs
    if (livedUs <= longest * ttlUs * (1 + clockAllowance) + slackUs) return
    const counted = countedUs >= this.#leaderSinceUs ? 'its last renewal' : 'the last change of leader'
    this.#judge.report(
      'S2',
      `session ${id} ${what} ${seconds(livedUs)} after ${counted}, and its TTL is ${seconds(ttlUs)}`,
      [event, this.#leaderIn],
    )
  }
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(3)} s`
}

export const sessionLives = checker({
  codes: {
    S2: {
      text: 'sessions: a session lives for at least its TTL after a renewal, and for at most twice the TTL',
      sources: ['docs/reference/keys.md#end-of-a-session'],
      evidence: ['locks', 'requests', 'forwards', 'elections'],
      judges: ['session', 'sessions'],
      excuses: {
        restored:
          'Sessions that a restored snapshot does not have are gone without an end of their own; those that it has are judged.',
        'renewal unanswered':
          'A renewal without an answer may have been served: the longest life counts from it; until the next that is answered.',
      },
    },
  },
  make: (judge) => new SessionLives(judge),
  takes: {
    'leader began': (it, { atUs }) => it.leaderElected(atUs),
    'locks changed': (it, facts) => it.command(facts),
    'locks replaced': (it, facts) => it.replaced(facts),
    'session renewed': (it, { id, calledUs, answeredUs }) => it.renewed(id, calledUs, answeredUs),
    'renewal attempted': (it, { id, untilUs }) => it.attempted(id, untilUs),
  },
  ends: (it, atUs) => it.finish(atUs),
})
