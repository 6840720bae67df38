import type { Coordinate } from '../../model/coordinate.ts'
import type { GossipAddress, Message, Versions } from './messages.ts'

/** A stream of random numbers: `RandomStream` of `env` is one. */
export interface GossipRandom {
  /** An integer from 0 to `bound - 1`. */
  below(bound: number): number
  /** A number in [0, 1). */
  fraction(): number
}

/** All times in milliseconds. Reference: configuration.md#gossip-timing, configuration.md#fixed-gossip-values. */
export interface GossipTiming {
  readonly gossipIntervalMs: number
  readonly gossipNodes: number
  readonly probeIntervalMs: number
  readonly probeTimeoutMs: number
  readonly suspicionMult: number
  readonly retransmitMult: number
  readonly pushPullIntervalMs: number
  /** Timeout of one exchange over a stream. */
  readonly streamTimeoutMs: number
  /** For how long gossip still goes to a dead member, so that it learns of its death and can refute it. */
  readonly gossipToDeadMs: number
  readonly reconnectIntervalMs: number
  readonly reapIntervalMs: number
  /** A failed member is forgotten after this. */
  readonly reconnectTimeoutMs: number
  /** A member that left is forgotten after this. */
  readonly tombstoneTimeoutMs: number
  /** How long a leaving member waits for its messages to spread. */
  readonly leavePropagateDelayMs: number
}

export interface GossipOptions {
  /** Unique in the pool; 1 to `nameBytesMax` bytes. */
  readonly name: string
  /** The advertised address. */
  readonly address: GossipAddress
  /** This agent's tags, as the upper layer encodes them; at most `metaBytesMax`. */
  readonly meta: Uint8Array
  readonly versions: Versions
  readonly timing: GossipTiming
  /**
   * Size of this message in a packet in bytes, including its type byte (and the wrapper of the upper layer's messages).
   * Pure.
   */
  readonly sizeOf: (message: Message) => number
  /**
   * Maximum size of a packet's content, without the overhead of encryption; memberlist's UDP buffer is
   * `packetBytesDefault`.
   */
  readonly packetBytesMax: number
  /** Encodes coordinates in acknowledgements. Pure. Absent: there are no coordinates. */
  readonly coordinates?: CoordinateForm | undefined
  /** The value of one of this agent's tags, for filters of queries. Pure. Absent: the agent has no tags. */
  readonly tagOf?: (meta: Uint8Array, tag: string) => string | undefined
  /**
   * Why these members may not be in this pool; undefined if they may. Called for the living members in the state of a
   * joining member, and for each member that is new or has new metadata. Pure. Absent: every member may.
   */
  readonly refuse?: ((members: readonly Claimant[]) => string | undefined) | undefined
  /**
   * Lets cores of one process share equal facts: returns an equal object if one is known, or the argument. Absent: each
   * core keeps its own objects.
   */
  readonly share?: ((facts: MemberFacts) => MemberFacts) | undefined
  /** Parts of the protocol that a study turns off; absent: all are on. */
  readonly without?: WithoutParts | undefined
  /** Absent, or of one: `gossipLimits`. */
  readonly limits?: Partial<GossipLimits> | undefined
  /** The incarnation to begin with. The first `alive` message has the next number. */
  readonly incarnation: number
}

/** How much of the upper layer's messages a member remembers. */
export interface GossipLimits {
  /** Lamport times whose user events, and those whose queries, are remembered; older ones are dropped. */
  readonly timesMax: number
  /**
   * Maximum number of user events and queries that wait to be broadcast; a further one displaces the one sent most
   * often.
   */
  readonly newsMax: number
}

/** serf: `EventBuffer` and `QueryBuffer` have 512 places each. */
export const gossipLimits: GossipLimits = { timesMax: 512, newsMax: 1_024 }

/** Parts that a study can turn off, to measure their effect (Lifeguard, section 4). Agents never turn one off. */
export interface WithoutParts {
  /** An agent's doubt of itself: with bad local health it waits longer for answers (4.A). */
  readonly localHealth?: boolean
  /** Suspicions that are long and shrink with confirmations (4.B). Without this, they take their shortest time. */
  readonly shrinkingSuspicion?: boolean
  /** A suspect learns of the suspicion from the next ping (4.C). */
  readonly buddy?: boolean
  /** An agent that has been asleep accuses no member: our own addition. */
  readonly sleepExcuse?: boolean
}

/** A member's claims about itself. Immutable, including its bytes: a change makes a new object. */
export interface MemberFacts {
  readonly name: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
  readonly versions: Versions
}

export interface CoordinateForm {
  encode(coordinate: Coordinate): Uint8Array
  /** Undefined if the bytes are not a coordinate. */
  decode(bytes: Uint8Array): Coordinate | undefined
}

/** An agent that a message claims to be alive. */
export interface Claimant {
  readonly name: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
}
