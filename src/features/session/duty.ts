import { Heap } from '../../base/heap.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import { failureText } from '../../model/failure.ts'
import { measured } from '../contract/measured.ts'
import type { LeaderDuty, RunningDuty, ServerContext } from '../contract/server-context.ts'
import { sessionDestroy } from './commands.ts'
import type { SessionRow } from './model.ts'
import { allSessions, sessionById, sessionCount } from './views.ts'

/**
 * A session ends when it has not been renewed for this many times its time to live. Reference: keys.md#end-of-a-session.
 */
const graceFactor = 2
/** Sessions ended by one command: a few milliseconds of work for every server, unless they hold many keys. */
const expiredMax = 64
/** Pause before sessions whose end was refused are tried again. */
const retryMs = 1_000
/** Alarms kept for sessions that have ended by themselves, beyond as many as there are sessions. */
const idleAlarmsMax = 1024

interface Alarm {
  readonly id: string
  readonly atMs: number
}

/**
 * Ends sessions that are not renewed. Renewals are known to the leader alone, so a session lives for at least its time to
 * live after the last one, and a leader change extends that and never shortens it (invariant S2):
 * 1. A leader begins with a full span of twice the time to live for every session there is, by its own monotonic clock.
 * 2. A renewal is answered only after its server has made sure that no other one leads yet: whoever leads next begins its
 *    spans later than that.
 * 3. A renewal that comes while the end of its session is being replicated waits for how that comes out.
 */
export const sessionExpiry: LeaderDuty<SessionExpiry> = {
  name: 'session.expiry',
  start: (server) => new SessionExpiry(server),
}

export class SessionExpiry implements RunningDuty {
  readonly #server: ServerContext
  /** By session: when it ends unless it is renewed. */
  readonly #deadlines = new Map<string, number>()
  /** One alarm for each of them, at its deadline or before: a renewal leaves the alarm where it is. */
  #alarms = emptyAlarms()
  /** Sessions whose end is being replicated, and the callers that wait for the outcome. */
  readonly #ending = new Map<string, Deferred<void>>()
  #timer: Closable | undefined
  #timerAtMs = Number.POSITIVE_INFINITY
  #closed = false

  constructor(server: ServerContext) {
    this.#server = server
    for (const session of allSessions(server.read())) this.extend(session)
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
    for (const waiting of this.#ending.values()) waiting.resolve()
    this.#ending.clear()
  }

  /** Gives a session, new or renewed, its whole span again. */
  extend({ id, ttlMs }: SessionRow): void {
    if (ttlMs === 0 || this.#closed) return
    const atMs = this.#server.env.clock.monoMs() + graceFactor * ttlMs
    const isNew = !this.#deadlines.has(id)
    this.#deadlines.set(id, atMs)
    if (isNew) this.#alarm({ id, atMs })
    this.measure()
  }

  /** Alarms kept, for a test of their bound. */
  get alarmCount(): number {
    return this.#alarms.size
  }

  isEnding(id: string): boolean {
    return this.#ending.has(id)
  }

  /** Once the end of this session, if it is under way, has come about or has failed. */
  async settled(id: string): Promise<void> {
    await this.#ending.get(id)?.promise
  }

  /** Sessions whose time is kept. */
  measure(): void {
    this.#server.env.metrics.gauge('session_ttl.active', this.#deadlines.size)
  }

  #alarm(alarm: Alarm): void {
    this.#alarms.push(alarm)
    if (this.#alarms.size > 2 * sessionCount(this.#server.read()) + idleAlarmsMax) this.#dropIdle()
    this.#arm()
  }

  /** Sessions that were destroyed, or ended with a check, leave their alarms behind. */
  #dropIdle(): void {
    const tx = this.#server.read()
    this.#alarms = emptyAlarms()
    for (const [id, atMs] of this.#deadlines) {
      if (sessionById(tx, id) === undefined) this.#deadlines.delete(id)
      else this.#alarms.push({ id, atMs })
    }
  }

  #arm(): void {
    const next = this.#alarms.peek()
    if (this.#closed || next === undefined || next.atMs >= this.#timerAtMs) return
    this.#timer?.close()
    this.#timerAtMs = next.atMs
    const { clock, timers, detach } = this.#server.env
    this.#timer = timers.after(Math.max(0, next.atMs - clock.monoMs()), () => {
      // Stays armed in name while it works, so that nothing starts a second round beside it.
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
      if (sessionById(tx, id) === undefined) this.#deadlines.delete(id)
      else if (deadlineMs > now) this.#alarms.push({ id, atMs: deadlineMs })
      else due.push(id)
    }
    return due
  }

  async #end(ids: readonly string[]): Promise<void> {
    const { env } = this.#server
    const outcome = env.deferred<void>()
    for (const id of ids) this.#ending.set(id, outcome)
    const done = await measured(this.#server, 'session_ttl.invalidate', () =>
      this.#server.propose(sessionDestroy, { ids }),
    )
    for (const id of ids) this.#ending.delete(id)
    outcome.resolve()
    for (const id of ids) this.#deadlines.delete(id)
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
