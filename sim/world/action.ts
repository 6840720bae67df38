import type { Closable } from '../../src/env/async.ts'
import type { Trace } from '../report/trace.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from './boot.ts'
import type { Lane } from './decisions/identity.ts'
import type { EventQueue } from './event-queue.ts'
import { SimEvent } from './sim-event.ts'

/** The part of a world that an action needs. */
export interface ActionWorld {
  readonly queue: EventQueue
  readonly trace: Trace
  /** Identity of an event without a lane: its process, and its name in the trace. */
  tieOf(owner: Boot | undefined, label: string): number
}

/** An event with an action of its own, for events too rare to deserve a subclass. */
export class Action extends SimEvent implements Closable {
  readonly #world: ActionWorld
  readonly #owner: Boot | undefined
  readonly #label: string
  #act: (() => void) | undefined
  /** It ends a wait for a message that did not arrive, so the loss of that message is a cause, too. */
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
    // A cancelled event may stay in the queue until it is due; it must not keep its closure alive.
    this.#act = undefined
    this.#world.queue.cancel(this)
  }
}
