import { Heap } from '../../base/heap.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import { failureText } from '../../model/failure.ts'
import type { LeaderDuty, RunningDuty } from '../contract/duty.ts'
import type { WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import { sessionDestroy } from './commands.ts'
import type { SessionRow } from './model.ts'
import { allSessions, sessionById, sessionCount } from './views.ts'

/** The server as far as this duty uses it. */
type SessionServer = WithEnv & WithState & WithProposals

/** A session ends when it has not been renewed for this multiple of its TTL. Reference: keys.md#end-of-a-session. */
const graceFactor = 2
/**
 * Maximum number of sessions that one command ends: a few milliseconds of work for every server, unless they hold many
 * keys.
 */
const expiredMax = 64
/** Pause before a refused end of sessions is retried. */
const retryMs = 1_000
/** Maximum number of alarms of sessions that have already ended, in addition to one for each session. */
const idleAlarmsMax = 1024

type Tracked = Pick<SessionRow, 'id' | 'ttlMs'>

interface Alarm {
  readonly id: string
  readonly atMs: number
}

/**
 * Ends sessions that are not renewed. Only the leader knows renewals, so a session lives for at least its TTL after the
 * last one; a leader change extends that and never shortens it (invariant S2):
 * 1. A leader gives every existing session a full span of twice its TTL, by its own monotonic clock.
 * 2. A renewal is answered only after its server has confirmed that no other one leads yet: the next leader starts its
 *    spans later than that.
 * 3. A renewal that arrives while the end of its session is being replicated waits for the outcome.
 * 4. If the outcome is unknown, the end may take effect at any later time (it waits in the log for space on the disk):
 *    from then on no renewal is answered with success.
 */
export const sessionExpiry: LeaderDuty<SessionExpiry, SessionServer> = {
  name: 'session.expiry',
  start: (server) => new SessionExpiry(server),
}

export class SessionExpiry implements RunningDuty {
  readonly #server: SessionServer
  /** By session: when it ends unless it is renewed. */
  readonly #deadlines = new Map<string, number>()
  /** One alarm for each session, at its deadline or before: a renewal does not move the alarm. */
  #alarms = emptyAlarms()
  /** Sessions whose end is being replicated, and the callers that wait for the outcome. */
  readonly #ending = new Map<string, Deferred<void>>()
  /** Sessions whose end may still take effect, although its outcome could not be learned. */
  readonly #unsure = new Set<string>()
  /**
   * The TTL of sessions whose creation may still take effect, although its outcome could not be learned. Bounded by the
   * entries of the log that are not committed.
   */
  readonly #expected = new Map<string, number>()
  #timer: Closable | undefined
  #timerAtMs = Number.POSITIVE_INFINITY
  #closed = false

  constructor(server: SessionServer) {
    this.#server = server
    for (const session of allSessions(server.read())) this.extend(session)
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
    for (const waiting of this.#ending.values()) waiting.resolve()
    this.#ending.clear()
  }

  /** Gives a new or renewed session its full span. */
  extend({ id, ttlMs }: Tracked): void {
    if (ttlMs === 0 || this.#closed) return
    this.#expected.delete(id)
    const atMs = this.#server.env.clock.monoMs() + graceFactor * ttlMs
    const isNew = !this.#deadlines.has(id)
    this.#deadlines.set(id, atMs)
    if (isNew) this.#alarm({ id, atMs })
    this.measure()
  }

  /** A session may come to be at any later time. It has its full span from when it is first seen to be there. */
  expect(session: Tracked): void {
    this.extend(session)
    if (this.#deadlines.has(session.id)) this.#expected.set(session.id, session.ttlMs)
  }

  /** Number of alarms, for a test of their limit. */
  get alarmCount(): number {
    return this.#alarms.size
  }

  isEnding(id: string): boolean {
    return this.#ending.has(id)
  }

  /** Whether the end of this session was proposed, and may still take effect. */
  isUnsure(id: string): boolean {
    return this.#unsure.has(id)
  }

  /** Settles when the end of this session, if one is under way, has succeeded or failed. */
  async settled(id: string): Promise<void> {
    await this.#ending.get(id)?.promise
  }

  /** Sets the gauge of tracked sessions. */
  measure(): void {
    this.#server.env.metrics.gauge('session_ttl.active', this.#deadlines.size)
  }

  #alarm(alarm: Alarm): void {
    this.#alarms.push(alarm)
    if (this.#alarms.size > 2 * sessionCount(this.#server.read()) + idleAlarmsMax) this.#dropIdle()
    this.#arm()
  }

  /** Drops alarms of sessions that were destroyed, or ended with a check. */
  #dropIdle(): void {
    const tx = this.#server.read()
    this.#alarms = emptyAlarms()
    for (const [id, atMs] of this.#deadlines) {
      if (sessionById(tx, id) === undefined && !this.#expected.has(id)) this.#forget(id)
      else this.#alarms.push({ id, atMs })
    }
  }

  #forget(id: string): void {
    this.#deadlines.delete(id)
    this.#unsure.delete(id)
  }

  #arm(): void {
    const next = this.#alarms.peek()
    if (this.#closed || next === undefined || next.atMs >= this.#timerAtMs) return
    this.#timer?.close()
    this.#timerAtMs = next.atMs
    const { clock, timers, detach } = this.#server.env
    this.#timer = timers.after(Math.max(0, next.atMs - clock.monoMs()), () => {
      // Counts as armed during the round, so that no second one starts.
      this.#timerAtMs = Number.NEGATIVE_INFINITY
      detach(this.#round())
    })
  }

  async #round(): Promise<void> {
    for (let due = this.#due(); due.length > 0 && !this.#closed; due = this.#due()) await this.#end(due)
    this.#timerAtMs = Number.POSITIVE_INFINITY
    this.#arm()
  }

  #due(): readonly string[] {
    const now = this.#server.env.clock.monoMs()
    const tx = this.#server.read()
    const due: string[] = []
    for (let top = this.#alarms.peek(); top !== undefined && top.atMs <= now; top = this.#alarms.peek()) {
      if (due.length === expiredMax) break
      this.#alarms.pop()
      const { id } = top
      const deadlineMs = this.#deadlines.get(id)
      if (deadlineMs === undefined) continue
      const isThere = sessionById(tx, id) !== undefined
      const expectedMs = this.#expected.get(id)
      if (expectedMs !== undefined) this.#waitOn(id, expectedMs, isThere)
      else if (!isThere) this.#forget(id)
      else if (deadlineMs > now) this.#alarms.push({ id, atMs: deadlineMs })
      else due.push(id)
    }
    return due
  }

  #waitOn(id: string, ttlMs: number, isThere: boolean): void {
    const atMs = this.#server.env.clock.monoMs() + graceFactor * ttlMs
    if (isThere) this.#expected.delete(id)
    this.#deadlines.set(id, atMs)
    this.#alarms.push({ id, atMs })
  }

  async #end(ids: readonly string[]): Promise<void> {
    const { env } = this.#server
    const outcome = env.deferred<void>()
    for (const id of ids) this.#ending.set(id, outcome)
    const done = await measured(this.#server, 'session_ttl.invalidate', () =>
      this.#server.propose(sessionDestroy, { ids }),
    )
    for (const id of ids) this.#ending.delete(id)
    if (!done.ok && done.error.kind === 'outcome-unknown') for (const id of ids) this.#unsure.add(id)
    outcome.resolve()
    for (const id of ids) this.#deadlines.delete(id)
    if (done.ok) for (const id of ids) this.#unsure.delete(id)
    this.measure()
    if (done.ok) return env.log.write('info', 'session', 'ended sessions that were not renewed', { count: ids.length })
    env.log.write('warn', 'session', 'could not end sessions that were not renewed', { why: failureText(done.error) })
    const atMs = env.clock.monoMs() + retryMs
    for (const id of ids) {
      this.#deadlines.set(id, atMs)
      this.#alarms.push({ id, atMs })
    }
  }
}

function emptyAlarms(): Heap<Alarm> {
  return new Heap((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.id < b.id))
}
