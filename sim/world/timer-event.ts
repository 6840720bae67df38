import type { Closable } from '../../src/env/async.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from './boot.ts'
import type { Kernel } from './kernel.ts'
import { SimEvent } from './sim-event.ts'

/** The agent's code, or a part of its Env that works on its own, such as the summary of sampled log lines. */
export type TimerOwner = 'agent' | 'environment'

/** A timer of a process, due by the monotonic clock of its machine. */
export class TimerEvent extends SimEvent implements Closable {
  readonly boot: Boot
  readonly dueMonoUs: number
  /** What it waits for; undefined if its owner does not say so. */
  readonly waitsFor: string | undefined
  /** `environment`: the agent cannot close it. */
  readonly setBy: TimerOwner
  readonly #kernel: Kernel
  #fire: (() => void) | undefined
  readonly #setInTurn: number

  constructor(
    kernel: Kernel,
    boot: Boot,
    dueMonoUs: number,
    fire: () => void,
    waits?: string,
    setBy: TimerOwner = 'agent',
  ) {
    super(boot, boot.tie)
    this.boot = boot
    this.dueMonoUs = dueMonoUs
    this.#kernel = kernel
    this.#fire = fire
    this.#setInTurn = kernel.turns
    this.waitsFor = waits
    this.setBy = setBy
  }

  holder(): Boot | undefined {
    return this.boot
  }

  deliver(): void {
    const { waitsFor: waits } = this
    if (waits !== undefined) this.#kernel.trace.teller?.timeout(this, this.boot.name, waits, { waits })
    this.#kernel.trace.add(traceKinds.timer, this.boot.node, this.#setInTurn)
    this.#fire?.()
  }

  close(): void {
    // A cancelled event may stay in the queue until it is due; it must not keep its closure alive.
    this.#fire = undefined
    this.#kernel.queue.cancel(this)
  }
}
