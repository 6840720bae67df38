import { invariant } from '../../src/base/invariant.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Timers } from '../../src/env/clock.ts'
import type { Boot } from '../world/boot.ts'
import { TimerEvent, type TimerOwner } from '../world/timer-event.ts'
import type { Machine } from './machine.ts'

/** Thirty years: a timer that is due later never fires in a run. */
const neverUs = 1e15

export class SimTimers implements Timers {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #owner: TimerOwner

  constructor(machine: Machine, boot: Boot, owner: TimerOwner) {
    this.#machine = machine
    this.#boot = boot
    this.#owner = owner
  }

  after(delayMs: number, fire: () => void, waits?: string): Closable {
    invariant(!Number.isNaN(delayMs), 'a timer needs a delay', { delayMs })
    const { kernel, clock } = this.#machine
    const delayUs = delayMs > 0 ? Math.ceil(delayMs * 1000) : 0
    const dueMonoUs = clock.monoUs() + delayUs
    const timer = new TimerEvent(kernel, this.#boot, dueMonoUs, fire, waits, this.#owner)
    if (kernel.enter(this.#boot) && delayUs < neverUs) kernel.queue.push(timer, clock.trueTimeOf(dueMonoUs))
    return timer
  }
}
