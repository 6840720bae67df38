import { Heap } from '../../src/base/heap.ts'
import type { GossipAddress, Message } from '../../src/gossip/core/messages.ts'
import type { GossipTimer } from '../../src/gossip/core/types.ts'
import type { PoolMember } from './pool-member.ts'

/** What is due in a pool at a time. */
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
  /** How many were queued before it: of two at one time the earlier one comes first. */
  readonly order: number
  readonly happening: Happening
}

/** Virtual time of a pool, and what is to happen in it. */
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
