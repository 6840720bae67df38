import { invariant } from '../../src/base/invariant.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Kernel } from './kernel.ts'
import { microseconds } from './time-range.ts'
import { TimerEvent } from './timer-event.ts'

const million = 1_000_000
/** A clock runs at least at half and at most at one and a half times the speed of true time. */
const driftPpmMax = 500_000

/**
 * A clock as a view of true time: `local = anchor + elapsed + drift × elapsed`, in integers of microseconds. Setting
 * the rate moves the anchor, so that the reading continues from where it was.
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

export interface ClockOptions {
  /** Offset of the wall clock from true time at the start. */
  readonly wallOffsetMs?: number
  /** Reading of the monotonic clock at the start; drawn by default. */
  readonly monoStartMs?: number
  /** Rate of both clocks: 1.0001 gains 0.1 ms in a second. */
  readonly rate?: number
}

/** A monotonic clock starts anywhere within the first hour of its machine. */
const monoStartUsMax = 3_600_000_000

/** The two clocks of one machine, which have one crystal and so one rate; only the wall clock can be set. */
export class NodeClock {
  readonly #kernel: Kernel
  readonly #node: number
  readonly #mono: ClockView
  readonly #wall: ClockView
  readonly #startWallUs: number

  constructor(kernel: Kernel, node: number, name: string, startWallMs: number, options: ClockOptions) {
    this.#kernel = kernel
    this.#node = node
    this.#startWallUs = microseconds(startWallMs)
    const monoUs =
      options.monoStartMs === undefined
        ? kernel.decisions.draws('clock start', name).below(monoStartUsMax)
        : microseconds(options.monoStartMs)
    this.#mono = new ClockView(kernel.nowUs, monoUs)
    this.#wall = new ClockView(kernel.nowUs, this.#startWallUs + kernel.nowUs + microseconds(options.wallOffsetMs ?? 0))
    if (options.rate !== undefined) this.setRate(options.rate)
  }

  monoUs(): number {
    return this.#mono.at(this.#kernel.nowUs)
  }

  wallUs(): number {
    return this.#wall.at(this.#kernel.nowUs)
  }

  /** When, in true time, the monotonic clock will show this. */
  trueTimeOf(monoUs: number): number {
    return this.#mono.trueTimeOf(monoUs, this.#kernel.nowUs)
  }

  /** From now on both clocks run at this rate; waiting timers are due by the clock, not by true time. */
  setRate(rate: number): void {
    const { nowUs, queue } = this.#kernel
    this.#mono.setRate(rate, nowUs)
    this.#wall.setRate(rate, nowUs)
    this.#trace('rate, parts per million', Math.round((rate - 1) * 1_000_000))
    queue.keep((event) => {
      if (event instanceof TimerEvent && event.boot.node === this.#node) event.timeUs = this.trueTimeOf(event.dueMonoUs)
      return true
    })
  }

  /** Moves the wall clock. */
  stepWall(byMs: number): void {
    this.#wall.step(microseconds(byMs))
    this.#trace('wall clock stepped, ms', Math.round(byMs))
  }

  /** Sets the offset of the wall clock from true time. */
  setWallOffset(offsetMs: number): void {
    const trueWallUs = this.#startWallUs + this.#kernel.nowUs
    this.#wall.step(trueWallUs + microseconds(offsetMs) - this.wallUs())
    this.#trace('wall clock set, ms off', Math.round(offsetMs))
  }

  #trace(text: string, value: number): void {
    this.#kernel.trace.addText(traceKinds.clock, this.#node, value, 0, 0, text)
  }
}
