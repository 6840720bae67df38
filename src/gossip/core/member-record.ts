import type { GossipAddress, Versions } from './messages.ts'
import type { MemberFacts } from './options.ts'
import type { MemberStatus } from './types.ts'

/**
 * Twelve days before the clock began, which is before any time that the core asks about. It is a small whole number,
 * because V8 stores any other number in an object of its own, and most records keep this value for good.
 */
const longAgoMs = -0x4000_0000

/**
 * This agent's knowledge of one member, including itself. Kept until the member is reaped. There may be many of these
 * (each member knows every other one), so rarely needed parts are stored separately in `GossipCore`.
 */
export class MemberRecord {
  facts: MemberFacts
  /**
   * Invariant: never falls while the record lives. Thus a message of an earlier life that is replayed late changes
   * nothing.
   */
  incarnation: number
  /** The state in the lower layer (memberlist). */
  state: 'alive' | 'suspect' | 'dead' = 'dead'
  /** While the member is dead: when it failed or left. */
  stateChangedMs: number = longAgoMs
  /** The status that operators see. Invariant: `failed` or `left` if and only if `state` is `dead`. */
  status: MemberStatus = 'failed'
  /** Lamport time of the newest intent to join or leave. */
  statusTime = 0

  /** Not alive yet: the caller that learned of the member marks it alive next. */
  constructor(facts: MemberFacts, incarnation: number) {
    this.facts = facts
    this.incarnation = incarnation
  }

  get name(): string {
    return this.facts.name
  }

  get address(): GossipAddress {
    return this.facts.address
  }

  get meta(): Uint8Array {
    return this.facts.meta
  }

  get versions(): Versions {
    return this.facts.versions
  }
}
