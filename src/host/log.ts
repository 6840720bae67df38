import type { Clock, Timers } from '../env/clock.ts'
import type { Fields, FollowedLog, Log, LogLevel, LogParts, Sampling } from '../env/observe.ts'
import { SampledLines } from '../model/sampled-lines.ts'
import { type LogRecord, logLevels, logLine, saidText } from './log-line.ts'

/**
 * Maximum number of lines kept before the sink is opened, and of lines kept for new followers; the oldest are dropped
 * first.
 */
export const keptLinesMax = 512

interface Line {
  readonly level: LogLevel
  readonly line: string
}

interface Held extends Line {
  readonly record: LogRecord
}

interface Follower {
  readonly least: number
  readonly use: (line: string, parts: LogParts) => void
}

/** The clock of a log. */
export interface LogTime {
  readonly clock: Clock
  readonly timers: Timers
}

/** Receives one line in the field's format, without indent and line feed, and its record, for other formats. */
export type LogSink = (line: string, record: LogRecord) => void

/** The log of one agent: lines of the chosen level and above are passed to the sink. */
export class HostLog implements Log {
  readonly #clock: Clock
  readonly #sampled: SampledLines
  #sink: LogSink
  #least: number
  #held: Held[] | undefined
  /** A ring: the next line is stored at `#nextRecent`. */
  readonly #recent: Line[] = []
  #nextRecent = 0
  readonly #followers = new Set<Follower>()
  /** The lowest level that a follower wants. */
  #leastFollowed = Number.POSITIVE_INFINITY

  /** `held`: lines wait until `release`, so that they follow the banner. */
  constructor({ clock, timers }: LogTime, sink: LogSink, level: LogLevel, held = false) {
    this.#clock = clock
    this.#sampled = new SampledLines(timers, (...line) => this.write(...line))
    this.#sink = sink
    this.#least = logLevels.indexOf(level)
    this.#held = held ? [] : undefined
  }

  write(level: LogLevel, topic: string, text: string, fields?: Fields, sampling?: Sampling): void {
    if (!this.enabled(level)) return
    if (sampling !== undefined) return this.#sampled.write(level, topic, text, fields ?? {}, sampling)
    const wallMs = this.#clock.wallMs()
    const said = saidText(topic, text, fields)
    const line = logLine(wallMs, level, said)
    const rank = logLevels.indexOf(level)
    for (const { least, use } of this.#followers) if (rank >= least) use(line, { level, said, wallMs })
    if (rank < this.#least) return
    this.#recent[this.#nextRecent] = { level, line }
    this.#nextRecent = (this.#nextRecent + 1) % keptLinesMax
    const record = { wallMs, level, topic, text, fields }
    if (this.#held === undefined) return this.#sink(line, record)
    if (this.#held.length === keptLinesMax) this.#held.shift()
    this.#held.push({ level, line, record })
  }

  enabled(level: LogLevel): boolean {
    const rank = logLevels.indexOf(level)
    return rank >= this.#least || rank >= this.#leastFollowed
  }

  follow(level: LogLevel, use: Follower['use']): FollowedLog {
    const follower = { least: logLevels.indexOf(level), use }
    const inOrder = [...this.#recent.slice(this.#nextRecent), ...this.#recent.slice(0, this.#nextRecent)]
    const recent = inOrder.filter((each) => logLevels.indexOf(each.level) >= follower.least).map(({ line }) => line)
    this.#followers.add(follower)
    this.#countFollowers()
    const close = (): void => {
      this.#followers.delete(follower)
      this.#countFollowers()
    }
    return { recent, close }
  }

  #countFollowers(): void {
    this.#leastFollowed = Math.min(...[...this.#followers].map(({ least }) => least))
  }

  setLevel(level: LogLevel): void {
    this.#least = logLevels.indexOf(level)
  }

  /** Replaces the present sink; lines that are held back also go there. */
  useSink(sink: LogSink): void {
    this.#sink = sink
  }

  /**
   * Passes on the lines that were held back, in order, if they have the level chosen by now; from here on, no line is
   * held.
   */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const { level, line, record } of held) if (this.enabled(level)) this.#sink(line, record)
  }
}

/** Formats lines for the agent's terminal: indented, one per line. */
export function terminalSink(out: (text: string) => void): (line: string) => void {
  return (line) => out(`    ${line}\n`)
}
