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
  readonly #waits: string | undefined

  constructor(kernel: Kernel, boot: Boot, dueMonoUs: number, fire: () => void, waits?: string) {
    super(boot, boot.tie)
    this.boot = boot
    this.dueMonoUs = dueMonoUs
    this.#kernel = kernel
    this.#fire = fire
    this.#setInTurn = kernel.turns
    this.#waits = waits
  }

  holder(): Boot | undefined {
    return this.boot
  }

  deliver(): void {
    if (this.#waits !== undefined) {
      this.#kernel.trace.teller?.timeout(this, this.boot.name, this.#waits, { waits: this.#waits })
    }
    this.#kernel.trace.add(traceKinds.timer, this.boot.node, this.#setInTurn)
    this.#fire?.()
  }

  close(): void {
    // A cancelled event may stay in the queue until it is due; it must not keep its closure alive.
    this.#fire = undefined
    this.#kernel.queue.cancel(this)
  }
}
