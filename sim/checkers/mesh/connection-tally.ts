import { formatDuration } from '../../../src/base/duration.ts'

/** A time in which some pair of proxies could not connect. True time, in microseconds. */
interface Failing {
  readonly sinceUs: number
  readonly untilUs: number
}

/**
 * The results of pairs that connect again and again. A pair fails from a failed attempt to the next successful one.
 * Some pair fails from the beginning of the first of overlapping failures to the end of the last. So the longest of
 * these times is at no moment shorter than what any observer has seen. Before its first success, nothing is expected of
 * a pair.
 */
export class ConnectionTally {
  readonly #nowUs: () => number
  readonly #known = new Set<string>()
  readonly #failing = new Set<string>()
  #sinceUs = 0
  #longest: Failing = { sinceUs: 0, untilUs: 0 }
  #made = 0
  #failed = 0
  #broken = 0
  #lastWhy = ''

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
  }

  get made(): number {
    return this.#made
  }

  /** Number of failed attempts. */
  get failed(): number {
    return this.#failed
  }

  /** Number of open connections that broke. */
  get broken(): number {
    return this.#broken
  }

  /** Why the last one failed or broke. */
  get lastWhy(): string {
    return this.#lastWhy
  }

  /** The longest time in which some pair failed, including the present one. */
  get longestMs(): number {
    const { sinceUs, untilUs } = this.#longest
    const lastsUs = this.#failing.size === 0 ? 0 : this.#nowUs() - this.#sinceUs
    return Math.max(untilUs - sinceUs, lastsUs) / 1000
  }

  /** As text for the report of a run. */
  get text(): string {
    const failing = `${this.#failed} failed, within ${formatDuration(this.longestMs)} at the longest`
    return `tunnels: ${this.#made} connections made, ${failing}; ${this.#broken} broken`
  }

  attempted(pair: string, why: string | undefined): void {
    if (why === undefined) {
      this.#known.add(pair)
      this.#made++
      if (this.#failing.delete(pair) && this.#failing.size === 0) this.#over()
      return
    }
    if (!this.#known.has(pair)) return
    this.#failed++
    this.#lastWhy = `${pair}: ${why}`
    if (this.#failing.size === 0) this.#sinceUs = this.#nowUs()
    this.#failing.add(pair)
  }

  broke(pair: string, why: string): void {
    this.#broken++
    this.#lastWhy = `${pair}: ${why}`
  }

  #over(): void {
    const untilUs = this.#nowUs()
    if (untilUs - this.#sinceUs > this.#longest.untilUs - this.#longest.sinceUs) {
      this.#longest = { sinceUs: this.#sinceUs, untilUs }
    }
  }
}
