import type { Closable } from '../../src/env/async.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from './boot.ts'
import type { Kernel } from './kernel.ts'
import { SimEvent } from './sim-event.ts'

/** A timer of a process, due by the monotonic clock of its machine. */
export class TimerEvent extends SimEvent implements Closable {
  readonly boot: Boot
  readonly dueMonoUs: number
  readonly #kernel: Kernel
  #fire: (() => void) | undefined
  readonly #setInTurn: number

  constructor(kernel: Kernel, boot: Boot, dueMonoUs: number, fire: () => void) {
    super(boot, boot.tie)
    this.boot = boot
    this.dueMonoUs = dueMonoUs
    this.#kernel = kernel
    this.#fire = fire
    this.#setInTurn = kernel.turns
  }

  holder(): Boot | undefined {
    return this.boot
  }

  deliver(): void {
    this.#kernel.trace.add(traceKinds.timer, this.boot.node, this.#setInTurn)
    this.#fire?.()
  }

  close(): void {
    // It may stay in the queue until it is due, and should not keep what it would have done.
    this.#fire = undefined
    this.#kernel.queue.cancel(this)
  }
}
