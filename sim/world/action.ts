import type { Closable } from '../../src/env/async.ts'
import type { Trace } from '../report/trace.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from './boot.ts'
import type { Lane } from './decisions/identity.ts'
import type { EventQueue } from './event-queue.ts'
import { SimEvent } from './sim-event.ts'

/** The part of a world that an action is delivered in. */
export interface ActionWorld {
  readonly queue: EventQueue
  readonly trace: Trace
  /** Of an event without a lane: by its process and what it is called in the trace. */
  tieOf(owner: Boot | undefined, label: string): number
}

/** An event with an action of its own, for what is not frequent enough for a kind of its own. */
export class Action extends SimEvent implements Closable {
  readonly #world: ActionWorld
  readonly #owner: Boot | undefined
  readonly #label: string
  #act: (() => void) | undefined
  /** It ends the wait for something that did not come: what was lost of it is a cause, too. */
  awaits: string | undefined

  constructor(world: ActionWorld, owner: Boot | undefined, lane: Lane | undefined, label: string, act: () => void) {
    super(lane, lane?.tie ?? world.tieOf(owner, label))
    this.#world = world
    this.#owner = owner
    this.#label = label
    this.#act = act
  }

  holder(): Boot | undefined {
    return this.#owner
  }

  deliver(): void {
    if (this.awaits !== undefined) this.#world.trace.teller?.timeout(this, this.#owner?.name ?? '', this.awaits)
    this.#world.trace.addText(traceKinds.action, this.#owner?.node ?? 0, 0, 0, 0, this.#label)
    this.#act?.()
  }

  close(): void {
    // It may stay in the queue until it is due, and should not keep what it would have done.
    this.#act = undefined
    this.#world.queue.cancel(this)
  }
}
