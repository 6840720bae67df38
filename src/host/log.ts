import type { Clock } from '../env/clock.ts'
import type { Fields, Log, LogLevel } from '../env/observe.ts'
import { logLevels, logLine } from './log-line.ts'

/** Lines kept back before the sink is opened; the oldest go first. */
export const keptLinesMax = 512

/** Takes one line, without indent and line feed. */
export type LogSink = (line: string) => void

/** The log of one agent: lines of the chosen level and above go to the sink. */
export class HostLog implements Log {
  readonly #clock: Clock
  readonly #sink: LogSink
  #least: number
  #held: { readonly level: LogLevel; readonly line: string }[] | undefined

  /** `held`: lines wait until `release`, so that they follow the banner. */
  constructor(clock: Clock, sink: LogSink, level: LogLevel, held = false) {
    this.#clock = clock
    this.#sink = sink
    this.#least = logLevels.indexOf(level)
    this.#held = held ? [] : undefined
  }

  write(level: LogLevel, topic: string, text: string, fields?: Fields): void {
    if (!this.enabled(level)) return
    const line = logLine(this.#clock.wallMs(), level, topic, text, fields)
    if (this.#held === undefined) return this.#sink(line)
    if (this.#held.length === keptLinesMax) this.#held.shift()
    this.#held.push({ level, line })
  }

  enabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= this.#least
  }

  setLevel(level: LogLevel): void {
    this.#least = logLevels.indexOf(level)
  }

  /** Lets out what was held back and is of the level chosen by now, in order; holds nothing from here on. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const { level, line } of held) if (this.enabled(level)) this.#sink(line)
  }
}

/** Lines as the agent's terminal shows them: indented, one per line. */
export function terminalSink(out: (text: string) => void): LogSink {
  return (line) => out(`    ${line}\n`)
}
