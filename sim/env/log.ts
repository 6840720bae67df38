import type { Timers } from '../../src/env/clock.ts'
import type { Fields, FollowedLog, Log, LogLevel, LogParts, Sampling } from '../../src/env/observe.ts'
import { SampledLines } from '../../src/model/sampled-lines.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from './machine.ts'

/** Number of lines that a new follower of the log gets; earlier ones are in the trace. */
const recentMax = 16

const levels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']

/**
 * Log lines are part of the trace, whether or not there is a reader: from `debug` on they are in its hash. Lines of
 * `trace` are only for readers, and are made only if there is one.
 */
export class SimLog implements Log {
  readonly #recent: { readonly level: LogLevel; readonly line: string }[] = []
  readonly #followers = new Set<(line: string, parts: LogParts) => void>()
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #sampled: SampledLines

  constructor(machine: Machine, boot: Boot, timers: Timers) {
    this.#machine = machine
    this.#boot = boot
    this.#sampled = new SampledLines(timers, (...line) => this.write(...line))
  }

  write(level: LogLevel, topic: string, text: string, fields?: Fields, sampling?: Sampling): void {
    const { kernel, host } = this.#machine
    if (!kernel.enter(this.#boot) || !this.enabled(level)) return
    if (sampling !== undefined) return this.#sampled.write(level, topic, text, fields ?? {}, sampling)
    const said = saidText(topic, text, fields)
    const line = `[${level.toUpperCase()}] ${said}`
    if (this.#recent.push({ level, line }) > recentMax) this.#recent.shift()
    for (const use of this.#followers)
      use(line, { level, said, wallMs: Math.floor(this.#machine.clock.wallUs() / 1000) })
    kernel.onSaid?.(this.#boot.name, 'log', () => line)
    if (level !== 'trace' && level !== 'debug') kernel.onTold?.(this.#boot.name, `${topic}: ${text}`)
    if (level === 'trace') kernel.trace.remark(host.number, line)
    else kernel.trace.addText(traceKinds.log, host.number, 0, 0, 0, line)
  }

  enabled(level: LogLevel): boolean {
    return level !== 'trace' || this.#machine.kernel.trace.isRead
  }

  follow(level: LogLevel, use: (line: string, parts: LogParts) => void): FollowedLog {
    const follower = (line: string, parts: LogParts): void => {
      if (levels.indexOf(parts.level) >= levels.indexOf(level)) use(line, parts)
    }
    this.#followers.add(follower)
    const recent = this.#recent.filter((each) => levels.indexOf(each.level) >= levels.indexOf(level))
    return { recent: recent.map(({ line }) => line), close: () => void this.#followers.delete(follower) }
  }
}

function saidText(topic: string, text: string, fields: Fields | undefined): string {
  let line = `${topic}: ${text}`
  if (fields === undefined) return line
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    if (value !== undefined) line += ` ${key}=${String(value)}`
  }
  return line
}
