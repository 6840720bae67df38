import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { FollowedLog, LogLevel, LogParts } from '../../env/observe.ts'
import type { SyslogSettings } from '../settings/log-settings.ts'
import { type Carrier, openCarrier } from './carriers.ts'
import { type SyslogLine, syslogLine } from './syslog-line.ts'

/** Maximum number of waiting lines; further ones are dropped and counted. */
const waitingLinesMax = 4_096
const waitingBytesMax = 2 << 20
/** Maximum number of lines in one batch. */
const carriedMax = 256
/**
 * Pause before a failed batch is sent again, and the number of attempts, after which its lines are dropped. Reference:
 * configuration.md#key-enable_syslog.
 */
const retryMs = 5_000
const triesMax = 12
/** Minimum interval between reports of dropped lines. */
const tellMs = 1_000
/** Time limit for the last lines when the agent ends. */
const lastLinesMs = 2_000

/**
 * Sends the log of an agent to a syslog daemon. It never blocks the agent: lines wait in a bounded queue, an
 * unreachable daemon is retried, and lost lines are counted. A line may arrive twice if a run of `logger` failed
 * half-way.
 */
export class Syslog {
  readonly #env: Env
  readonly #facility: number
  readonly #carrier: Carrier
  readonly #waiting = new WaitingLines(waitingLinesMax, waitingBytesMax)
  #followed: FollowedLog
  #timer: Closable | undefined
  #carrying: Promise<void> | undefined
  #failures = 0
  /** A failure was logged, without a success since. */
  #troubled = false
  #dropped = 0
  #tellTimer: Closable | undefined
  /** A line about drops is being written: it must not count as one, or each would cause the next. */
  #telling = false
  #closed = false

  constructor(env: Env, { facility, to, tag }: SyslogSettings, level: LogLevel) {
    this.#env = env
    this.#facility = facility
    this.#carrier = openCarrier(env, { to, tag })
    this.#followed = this.#follow(level)
  }

  /** Sends lines of this level and above from here on. */
  setLevel(level: LogLevel): void {
    if (this.#closed) return
    this.#followed.close()
    this.#followed = this.#follow(level)
  }

  /**
   * Settles when the last lines were sent, or their time limit has passed. Those that are logged meanwhile, of requests
   * that the end of the agent ends, are among them.
   */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#timer?.close()
    this.#tellTimer?.close()
    const over = this.#env.deferred<void>()
    const limit = this.#env.timers.after(lastLinesMs, () => over.resolve())
    this.#env.detach(this.#carryLast().then(() => over.resolve()))
    await over.promise
    this.#followed.close()
    limit.close()
    this.#carrier.close()
  }

  #follow(level: LogLevel): FollowedLog {
    return this.#env.log.follow(level, (_line, parts) => this.#take(parts))
  }

  #take(parts: LogParts): void {
    if (this.#waiting.add(syslogLine(this.#facility, parts))) this.#carryLater()
    else if (!this.#telling) this.#drop(1)
  }

  #carryLater(): void {
    if (this.#closed || this.#timer !== undefined || this.#carrying !== undefined) return
    const ms = this.#failures > 0 ? retryMs : this.#carrier.gatherMs
    this.#timer = this.#env.timers.after(ms, () => {
      this.#timer = undefined
      this.#carrying = this.#carry()
      this.#env.detach(this.#carrying)
    })
  }

  async #carry(): Promise<void> {
    const lines = this.#waiting.first(carriedMax)
    const carried = await this.#carrier.carry(lines)
    this.#carrying = undefined
    if (carried.ok) {
      this.#waiting.removeFirst(lines.length)
      this.#well()
    } else this.#failed(lines.length, carried.error)
    if (this.#waiting.length > 0) this.#carryLater()
  }

  async #carryLast(): Promise<void> {
    await this.#carrying
    while (this.#waiting.length > 0 && this.#failures === 0) await this.#carry()
    this.#followed.close()
  }

  #well(): void {
    this.#failures = 0
    if (!this.#troubled) return
    this.#troubled = false
    this.#env.log.write('info', 'syslog', 'log lines reach syslog again', { to: this.#carrier.to })
  }

  #failed(lines: number, reason: string): void {
    this.#failures++
    this.#env.metrics.count('syslog.failed')
    if (this.#failures % triesMax === 0) {
      this.#waiting.removeFirst(lines)
      this.#drop(lines)
    }
    if (this.#troubled) return
    this.#troubled = true
    const fields = { to: this.#carrier.to, reason, retryMs }
    this.#env.log.write('warn', 'syslog', 'log lines do not reach syslog: the agent goes on and tries again', fields)
  }

  #drop(lines: number): void {
    this.#env.metrics.count('syslog.dropped', lines)
    this.#dropped += lines
    if (this.#closed) return
    this.#tellTimer ??= this.#env.timers.after(tellMs, () => this.#tellDropped())
  }

  #tellDropped(): void {
    const lines = this.#dropped
    this.#tellTimer = undefined
    this.#dropped = 0
    this.#telling = true
    this.#env.log.write('warn', 'syslog', 'log lines were dropped on their way to syslog', { lines })
    this.#telling = false
  }
}

/**
 * A queue of lines, bounded in lines and in bytes; when it is full, new lines are dropped, because the first ones show
 * how the trouble began.
 */
class WaitingLines {
  readonly #linesMax: number
  readonly #bytesMax: number
  #lines: SyslogLine[] = []
  #bytes = 0

  constructor(linesMax: number, bytesMax: number) {
    this.#linesMax = linesMax
    this.#bytesMax = bytesMax
  }

  get length(): number {
    return this.#lines.length
  }

  /** Returns whether there was room for it. */
  add(line: SyslogLine): boolean {
    const bytes = bytesOf(line)
    if (this.#lines.length >= this.#linesMax || this.#bytes + bytes > this.#bytesMax) return false
    this.#lines.push(line)
    this.#bytes += bytes
    return true
  }

  /** The oldest lines; they stay in the queue. */
  first(count: number): readonly SyslogLine[] {
    return this.#lines.slice(0, count)
  }

  removeFirst(count: number): void {
    const gone = this.#lines.slice(0, count)
    this.#lines = this.#lines.slice(count)
    for (const line of gone) this.#bytes -= bytesOf(line)
  }
}

/** Two bytes for each UTF-16 unit: the memory that it may take. */
function bytesOf({ message }: SyslogLine): number {
  return message.length * 2
}
