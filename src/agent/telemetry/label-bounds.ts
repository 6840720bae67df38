import type { Clock } from '../../env/clock.ts'
import type { Labels } from '../../env/observe.ts'

/** Maximum number of different labels of one metric; values with further ones are counted without labels. */
export const labelsOfOneMetricMax = 256
/** Labels that do not occur for one to two times this long make room for others. */
export const labelsKeptMs = 60_000

interface Known {
  sinceMs: number
  /** Labels that have occurred since then. */
  current: Map<string, Labels>
  /** Labels of the time before that have not occurred since. Their room stays reserved. */
  readonly previous: Map<string, Labels>
}

/**
 * Bounds how many series the labels of each metric make, because callers choose the names of services and tags: without
 * a bound, requests for ever new names would fill the memory of this agent and of all receivers. Sums over all series
 * of a metric stay right.
 */
export class LabelBounds {
  readonly #clock: Pick<Clock, 'monoMs'>
  /** By the name of the metric, which the code writes. */
  readonly #known = new Map<string, Known>()

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.#clock = clock
  }

  /** The labels, always as the same object; undefined: the metric has too many, and this value has none. */
  admitted(metric: string, labels: Labels): Labels | undefined {
    let known = this.#known.get(metric)
    if (known === undefined) {
      known = { sinceMs: this.#clock.monoMs(), current: new Map(), previous: new Map() }
      this.#known.set(metric, known)
    }
    return known.current.get(labels.key) ?? this.#renewed(known, labels)
  }

  #renewed(known: Known, labels: Labels): Labels | undefined {
    const { current, previous } = known
    const before = previous.get(labels.key)
    if (before !== undefined) {
      previous.delete(labels.key)
      current.set(before.key, before)
      return before
    }
    if (current.size + previous.size >= labelsOfOneMetricMax && !this.#turn(known)) return undefined
    known.current.set(labels.key, labels)
    return labels
  }

  /** Forgets labels of the time before, once it is over; returns whether there is room now. */
  #turn(known: Known): boolean {
    const nowMs = this.#clock.monoMs()
    if (nowMs - known.sinceMs < labelsKeptMs) return false
    known.sinceMs = nowMs
    known.previous.clear()
    for (const [key, labels] of known.current) known.previous.set(key, labels)
    known.current = new Map()
    return known.previous.size < labelsOfOneMetricMax
  }
}
