import type { GossipAddress, Versions } from './messages.ts'
import type { MemberFacts } from './options.ts'
import type { MemberStatus } from './types.ts'

/**
 * Twelve days before the clock began: longer ago than anything is asked about. A small whole number, for one that is
 * not takes an object of its own in each of the many records that never see another.
 */
const longAgoMs = -0x4000_0000

/**
 * This agent's knowledge of one member, including itself. Kept until the member is reaped. There may be many of these
 * (each member knows every other one), so rarely needed parts are stored separately in `GossipCore`.
 */
export class MemberRecord {
  facts: MemberFacts
  /**
   * Invariant: never falls while the record lives. Thereby what is replayed late of an earlier life changes nothing.
   */
  incarnation: number
  /** As the lower layer sees it. */
  state: 'alive' | 'suspect' | 'dead' = 'dead'
  /** While it is dead: since when it has been failed or left. */
  stateChangedMs: number = longAgoMs
  /** As people see it. Invariant: `failed` or `left` if and only if `state` is `dead`. */
  status: MemberStatus = 'failed'
  /** Lamport time of the newest word on joining or leaving. */
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
