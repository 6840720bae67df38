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
  /** Messages go on to a dead node for this long, so that it learns what is said of it. */
  readonly gossipToDeadMs: number
  readonly reconnectIntervalMs: number
  readonly reapIntervalMs: number
  /** A failed member is forgotten after this. */
  readonly reconnectTimeoutMs: number
  /** A member that left is forgotten after this. */
  readonly tombstoneTimeoutMs: number
  /** How long a leaving member waits for its words to spread. */
  readonly leavePropagateDelayMs: number
}

export interface GossipOptions {
  /** Unique in the pool; 1 to `nameBytesMax` bytes. */
  readonly name: string
  /** The advertised address. */
  readonly address: GossipAddress
  /** The own tags as the upper layer encodes them; at most `metaBytesMax`. */
  readonly meta: Uint8Array
  readonly versions: Versions
  readonly timing: GossipTiming
  /**
   * Bytes of this message in a packet, its type byte (and the wrapper of the upper layer's messages) included; pure.
   */
  readonly sizeOf: (message: Message) => number
  /**
   * Maximum size of a packet's content, without the overhead of encryption; memberlist's UDP buffer is
   * `packetBytesDefault`.
   */
  readonly packetBytesMax: number
  /** Encodes coordinates in acknowledgements; pure. Absent: there are no coordinates. */
  readonly coordinates?: CoordinateForm | undefined
  /** The value of one of this agent's tags, for filters of queries; pure. Absent: it has no tags. */
  readonly tagOf?: (meta: Uint8Array, tag: string) => string | undefined
  /**
   * Why these members may not be in this pool; undefined: they may. Called for the living members of the state of a
   * joining member, and for each member that is new or has new metadata. Pure; absent: all may.
   */
  readonly refuse?: ((members: readonly Claimant[]) => string | undefined) | undefined
  /**
   * Lets cores of one process share equal facts: returns an equal object that is known already, or this one. Absent:
   * each core keeps its own.
   */
  readonly share?: ((facts: MemberFacts) => MemberFacts) | undefined
  /** Parts of the protocol that a study lays aside; absent: all are at work. */
  readonly without?: WithoutParts | undefined
  /** The incarnation to begin with; 0 where nothing else is said, and the first `alive` then says 1. */
  readonly incarnation: number
}

/** Parts that a study can turn off, to measure their worth (Lifeguard, section 4). Agents never do. */
export interface WithoutParts {
  /** An agent's doubt of itself: with bad local health it waits longer for answers (4.A). */
  readonly localHealth?: boolean
  /** Suspicions that are long and shrink with confirmations (4.B). Without it they take their shortest time. */
  readonly shrinkingSuspicion?: boolean
  /** A suspect learns of it by the very ping (4.C). */
  readonly buddy?: boolean
  /** Nobody is blamed by one that has been asleep: our own addition. */
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
