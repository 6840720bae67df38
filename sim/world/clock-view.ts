import { invariant } from '../../src/base/invariant.ts'

const million = 1_000_000
/** A clock runs at least at half and at most at one and a half times the speed of true time. */
const driftPpmMax = 500_000

/**
 * A clock as a view of true time: `local = anchor + elapsed + drift × elapsed`, in integers of microseconds. Setting the
 * rate moves the anchor, so that the reading goes on from where it was.
 */
export class ClockView {
  #anchorTrueUs: number
  #anchorLocalUs: number
  #driftPpm = 0

  constructor(trueUs: number, localUs: number) {
    this.#anchorTrueUs = trueUs
    this.#anchorLocalUs = localUs
  }

  at(trueUs: number): number {
    const elapsed = trueUs - this.#anchorTrueUs
    if (this.#driftPpm === 0) return this.#anchorLocalUs + elapsed
    return this.#anchorLocalUs + elapsed + Math.floor((elapsed * this.#driftPpm) / million)
  }

  /** The first instant of true time, from `nowUs` on, at which this clock shows `localUs` or more. */
  trueTimeOf(localUs: number, nowUs: number): number {
    if (this.#driftPpm === 0) return Math.max(nowUs, this.#anchorTrueUs + localUs - this.#anchorLocalUs)
    const elapsed = Math.floor(((localUs - this.#anchorLocalUs) * million) / (million + this.#driftPpm))
    let at = Math.max(nowUs, this.#anchorTrueUs + elapsed)
    while (at > nowUs && this.at(at - 1) >= localUs) at--
    while (this.at(at) < localUs) at++
    return at
  }

  setRate(rate: number, nowUs: number): void {
    const driftPpm = Math.round((rate - 1) * million)
    invariant(Math.abs(driftPpm) <= driftPpmMax, 'a clock runs at 0.5 to 1.5 of true time', { rate })
    this.#anchorLocalUs = this.at(nowUs)
    this.#anchorTrueUs = nowUs
    this.#driftPpm = driftPpm
  }

  /** Moves the reading, forward or back. */
  step(byUs: number): void {
    this.#anchorLocalUs += byUs
  }
}
