import { Heap } from '../../src/base/heap.ts'
import type { GossipAddress, Message } from '../../src/gossip/core/messages.ts'
import type { GossipTimer } from '../../src/gossip/core/types.ts'
import type { PoolMember } from './pool-member.ts'

/** An event of a pool that is due at a certain time. */
export type Happening =
  | {
      readonly kind: 'packet'
      readonly to: PoolMember
      readonly from: GossipAddress
      readonly messages: readonly Message[]
    }
  | {
      readonly kind: 'timer'
      readonly of: PoolMember
      readonly timer: GossipTimer
      readonly setting: number
    }
  | { readonly kind: 'run'; readonly run: () => void }

interface Due {
  readonly atMs: number
  /** The number of events that were queued before this one: of two at the same time, the earlier one comes first. */
  readonly order: number
  readonly happening: Happening
}

/** The virtual time of a pool, and its future events. */
export class PoolQueue {
  readonly #due = new Heap<Due>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order))
  #nowMs = 0
  #order = 0

  get nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, happening: Happening): void {
    this.#due.push({ atMs: this.#nowMs + delayMs, order: this.#order++, happening })
  }

  runUntil(untilMs: number, happen: (happening: Happening) => void): void {
    for (let next = this.#due.peek(); next !== undefined && next.atMs <= untilMs; next = this.#due.peek()) {
      this.#due.pop()
      this.#nowMs = next.atMs
      happen(next.happening)
    }
    this.#nowMs = untilMs
  }
}
