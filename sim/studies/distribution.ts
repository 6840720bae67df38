import { invariant } from '../../src/base/invariant.ts'

/** Measured values, sorted. Percentiles by nearest rank: always a measured value, never one between two. */
export class Distribution {
  readonly #sorted: readonly number[]

  constructor(values: readonly number[]) {
    invariant(values.length > 0, 'something was measured')
    this.#sorted = values.toSorted((a, b) => a - b)
  }

  get count(): number {
    return this.#sorted.length
  }

  get min(): number {
    return this.percentile(0)
  }

  get median(): number {
    return this.percentile(50)
  }

  get max(): number {
    return this.percentile(100)
  }

  get mean(): number {
    return this.#sorted.reduce((sum, value) => sum + value, 0) / this.count
  }

  /** The least value that at least `percent` of all do not exceed; `percent` from 0 to 100. */
  percentile(percent: number): number {
    const rank = Math.max(1, Math.ceil((percent * this.count) / 100))
    return this.#sorted[rank - 1] as number
  }

  /** Number of greater values. */
  countAbove(limit: number): number {
    return this.#sorted.filter((value) => value > limit).length
  }
}
