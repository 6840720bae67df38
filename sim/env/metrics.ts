import type { Metrics, MetricsInterval } from '../../src/env/observe.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from './machine.ts'

/** Different names; further ones are dropped. */
const namesMax = 4096

/** Sums of one process, which nobody but a test reads. */
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
    if (!this.#takes(this.counters, name)) return
    const before = this.counters.get(name)
    this.counters.set(name, (before ?? 0) + by)
    if (before === undefined) this.#machine.kernel.onTold?.(this.#boot.name, name)
  }

  gauge(name: string, value: number): void {
    if (this.#takes(this.gauges, name)) this.gauges.set(name, value)
  }

  sample(name: string, value: number): void {
    if (!this.#takes(this.samples, name)) return
    const sample = this.samples.get(name)
    if (sample === undefined) {
      this.samples.set(name, { count: 1, sum: value })
      return
    }
    sample.count++
    sample.sum += value
  }

  /** Sums since the start are not told by intervals. */
  snapshot(): readonly MetricsInterval[] {
    return []
  }

  #takes(named: ReadonlyMap<string, unknown>, name: string): boolean {
    return this.#machine.kernel.enter(this.#boot) && (named.size < namesMax || named.has(name))
  }
}
