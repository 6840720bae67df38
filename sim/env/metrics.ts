import type { Metrics, MetricsInterval } from '../../src/env/observe.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from './machine.ts'

/** Maximum number of different names; further ones are dropped. */
const namesMax = 4096

/** Sums of one process over all labels, which only tests read. */
export class SimMetrics implements Metrics {
  readonly counters = new Map<string, number>()
  readonly gauges = new Map<string, number>()
  readonly samples = new Map<string, { count: number; sum: number }>()
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  count(name: string, by = 1): void {
    if (!this.#machine.kernel.enter(this.#boot)) return
    const before = this.counters.get(name)
    if (before === undefined && this.counters.size >= namesMax) return
    this.counters.set(name, (before ?? 0) + by)
    if (before === undefined) this.#machine.kernel.onTold?.(this.#boot.name, name)
  }

  gauge(name: string, value: number): void {
    if (!this.#machine.kernel.enter(this.#boot)) return
    if (this.gauges.size < namesMax || this.gauges.has(name)) this.gauges.set(name, value)
  }

  sample(name: string, value: number): void {
    if (!this.#machine.kernel.enter(this.#boot)) return
    const sample = this.samples.get(name)
    if (sample === undefined) {
      if (this.samples.size < namesMax) this.samples.set(name, { count: 1, sum: value })
      return
    }
    sample.count++
    sample.sum += value
  }

  /** Sums since the start have no intervals. */
  snapshot(): readonly MetricsInterval[] {
    return []
  }
}
