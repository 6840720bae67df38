import { hasFailed, type SeedRecord } from '../report/seed-record.ts'

/** The progress of a campaign. */
export class Progress {
  readonly #total: number
  readonly #wallMs: () => number
  readonly #startedMs: number
  readonly #timeMs: number
  #done = 0
  #failed = 0
  #undecided = 0

  /** `total`: number of seeds; infinite if only time limits them. `timeMs`: the time limit. */
  constructor(total: number, wallMs: () => number, timeMs = Number.POSITIVE_INFINITY) {
    this.#total = total
    this.#wallMs = wallMs
    this.#timeMs = timeMs
    this.#startedMs = wallMs()
  }

  judged(record: SeedRecord): void {
    this.#done++
    if (hasFailed(record)) this.#failed++
    else if (record.verdict === 'undecided') this.#undecided++
  }

  get elapsedMs(): number {
    return this.#wallMs() - this.#startedMs
  }

  /** `120 of 1000 seeds, 8.3 a second, 2 failed, 1 min 46 s left`. */
  text(): string {
    const perSecond = this.#done / (this.elapsedMs / 1000)
    const seconds = Math.min((this.#total - this.#done) / perSecond, (this.#timeMs - this.elapsedMs) / 1000)
    // Neither a number of seeds nor a time limits a guided campaign in advance.
    const isKnown = this.#done > 0 && Number.isFinite(seconds)
    const left = isKnown ? [`${spanText(Math.max(0, seconds))} left`] : []
    return [
      Number.isFinite(this.#total) ? `${this.#done} of ${this.#total} seeds` : `${this.#done} seeds`,
      ...(this.#done === 0 ? [] : [rateText(perSecond)]),
      `${this.#failed} failed`,
      ...(this.#undecided === 0 ? [] : [`${this.#undecided} undecided`]),
      ...left,
    ].join(', ')
  }
}

/** `120.5 virtual s in 8.1 s, 15 virtual s a second`: the progress of a single run. */
export function runText(virtualUs: number, wallMs: number): string {
  const [virtual, wall] = [virtualUs / 1_000_000, wallMs / 1000]
  return `${virtual.toFixed(1)} virtual s in ${wall.toFixed(1)} s, ${(virtual / wall).toFixed(0)} virtual s a second`
}

/** `120 a second`, `8.3 a second`, `7.5 a minute`: always a number that tells something. */
function rateText(perSecond: number): string {
  if (perSecond < 1) return `${(perSecond * 60).toFixed(1)} a minute`
  return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} a second`
}

/** `1 h 5 min`, `1 min 46 s`, `9 s`. */
function spanText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
