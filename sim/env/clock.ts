import type { Clock } from '../../src/env/clock.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from './machine.ts'

export class SimClock implements Clock {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  wallMs(): number {
    this.#machine.kernel.enter(this.#boot)
    return Math.floor(this.#machine.clock.wallUs() / 1000)
  }

  monoMs(): number {
    this.#machine.kernel.enter(this.#boot)
    return this.#machine.clock.monoUs() / 1000
  }
}
