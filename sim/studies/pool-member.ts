import type { RandomStream } from '../../src/env/random.ts'
import type { GossipAddress } from '../../src/gossip/core/messages.ts'
import type { GossipCore } from '../../src/gossip/core/state.ts'
import type { GossipTimer } from '../../src/gossip/core/types.ts'

/** Timers of the loops that send. The others are alarms, which fire on time even if their member is blocked. */
const loops: ReadonlySet<GossipTimer> = new Set(['probe', 'gossip', 'push-pull', 'reconnect'])

/** One member of a pool: its core, its timers, and what its process leaves undone while it is blocked. */
export class PoolMember {
  readonly number: number
  readonly address: GossipAddress
  readonly core: GossipCore
  /** Running timers, with the number of their setting. */
  readonly timers = new Map<GossipTimer, number>()
  #isBlocked = false
  /** The member's loops that are blocked in a send. */
  readonly #stuck = new Set<GossipTimer>()
  /** Pending sends, the next actions of its loops, and received messages; bounded by how long it is blocked. */
  readonly #outgoing: (() => void)[] = []
  readonly #next: (() => void)[] = []
  readonly #inbox: (() => void)[] = []

  constructor(number: number, address: GossipAddress, core: GossipCore) {
    this.number = number
    this.address = address
    this.core = core
  }

  /** Sends block, nothing is read, and timers fire: a starved process (Lifeguard, section 5). */
  block(): void {
    this.#isBlocked = true
  }

  /**
   * Blocked sends complete, the loops continue in random order, because their timers have expired, and received
   * messages are read.
   */
  unblock(draws: RandomStream): void {
    this.#isBlocked = false
    this.#stuck.clear()
    for (const run of this.#outgoing.splice(0)) run()
    while (this.#next.length > 0) this.#next.splice(draws.below(this.#next.length), 1)[0]?.()
    for (const run of this.#inbox.splice(0)) run()
  }

  /** Sends at once, or queues the message while the member is blocked. */
  say(run: () => void): void {
    if (this.#isBlocked) this.#outgoing.push(run)
    else run()
  }

  /** Reads a message at once, or queues it while the member is blocked. */
  read(run: () => void): void {
    if (this.#isBlocked) this.#inbox.push(run)
    else run()
  }

  /** A timer is due. A loop continues to its next send, where it blocks. */
  due(timer: GossipTimer, fire: () => void): void {
    if (this.#isBlocked && this.#stuck.has(timer)) {
      this.#next.push(fire)
      return
    }
    const waiting = this.#outgoing.length
    fire()
    if (this.#outgoing.length > waiting && loops.has(timer)) this.#stuck.add(timer)
  }
}
