import type { Timers } from '../env/clock.ts'
import type { Fields, Log, LogLevel, Sampling } from '../env/observe.ts'

/** Interval in which a kind of line is written at most once. */
const sampledEveryMs = 1_000
/**
 * Maximum number of kinds that are distinguished; further ones share one kind. Texts are constant, so that few logs get
 * near it.
 */
const kindsMax = 256
/** Maximum number of characters shown of a text from outside. */
const shownMax = 256

interface Kind {
  /** Lines written in this second. */
  written: number
  /** Lines left out since the last one written, and the newest of them. */
  suppressed: number
  newest: (() => void) | undefined
}

/**
 * Lines that an outside party can cause as often as it likes: the first of a kind is written at once (or the first few,
 * see `Sampling`), then one a second, the newest, with the number of dropped ones. So a flood costs the log one line a
 * second, and its size is shown.
 */
export class SampledLines {
  readonly #timers: Timers
  readonly #write: Log['write']
  readonly #kinds = new Map<string, Kind>()

  constructor(timers: Timers, write: Log['write']) {
    this.#timers = timers
    this.#write = write
  }

  write(level: LogLevel, topic: string, text: string, fields: Fields, sampling: Sampling): void {
    const { by = '', burst = 1 } = sampling === 'sampled' ? {} : sampling
    const own = `${level} ${topic} ${text} ${by}`
    const isOneOfMany = !this.#kinds.has(own) && this.#kinds.size >= kindsMax
    const name = isOneOfMany ? manyKinds : own
    const kind = this.#kinds.get(name) ?? this.#begin(name)
    if (kind.written < (isOneOfMany ? 1 : burst)) {
      kind.written++
      return this.#write(level, topic, text, bounded(fields))
    }
    kind.suppressed++
    kind.newest = () => {
      // The present line is one of them.
      const suppressed = kind.suppressed - 1
      this.#write(level, topic, text, suppressed === 0 ? bounded(fields) : { ...bounded(fields), suppressed })
    }
  }

  #begin(name: string, written = 0): Kind {
    this.#timers.after(sampledEveryMs, () => this.#over(name))
    const kind: Kind = { written, suppressed: 0, newest: undefined }
    this.#kinds.set(name, kind)
    return kind
  }

  #over(name: string): void {
    const kind = this.#kinds.get(name)
    this.#kinds.delete(name)
    if (kind?.newest === undefined) return
    this.#begin(name, 1)
    kind.newest()
  }
}

/** The kind that is shared by lines whose own kind has no room. */
const manyKinds = 'many kinds'

function bounded(fields: Fields): Fields {
  const out: Record<string, Fields[string]> = {}
  for (const [key, value] of Object.entries(fields)) {
    out[key] = typeof value === 'string' && value.length > shownMax ? `${value.slice(0, shownMax)}…` : value
  }
  return out
}
