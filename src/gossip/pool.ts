import type { Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Endpoint } from '../env/net.ts'
import type { Coordinate } from '../model/coordinate.ts'
import type { QueryFilter, Versions } from './core/messages.ts'
import type { GossipLimits, GossipTiming } from './core/options.ts'
import type { GossipCore } from './core/state.ts'
import type { GossipEffect, GossipEvent, MemberStatus } from './core/types.ts'
import type { Keyring } from './keyring.ts'

export type { GossipTiming, MemberStatus }

export interface Member {
  readonly name: string
  /** The address and port of its gossip. */
  readonly endpoint: Endpoint
  readonly tags: Readonly<Record<string, string>>
  readonly status: MemberStatus
  readonly versions: Versions
}

/** `reaped`: forgotten, after it had been failed or left for a long time. */
export interface MemberChange {
  readonly kind: 'joined' | 'updated' | 'failed' | 'left' | 'reaped'
  readonly member: Member
}

/** What one member remembers and handles at once. */
export interface PoolLimits extends GossipLimits {
  /** Number of items of another member's state that are merged in one step. */
  readonly mergedAtOnce: number
}

export interface PoolOptions {
  /** Unique in the pool. */
  readonly name: string
  readonly bind: Endpoint
  readonly advertise: Endpoint
  readonly tags: Readonly<Record<string, string>>
  readonly timing: GossipTiming
  /** This agent computes its coordinate from the times of pings, and sends it to others. */
  readonly keepsCoordinate?: boolean
  /** First incarnation number of this agent. Absent: 0. */
  readonly firstIncarnation?: number
  /** Absent, or of one: those of production. */
  readonly limits?: Partial<PoolLimits> | undefined
  /** Absent: nothing is encrypted. */
  readonly encryption?: PoolEncryption | undefined
  /** Another agent has our name, and the pool considers that agent its holder: this one cannot be a member. */
  readonly onNameLost?: ((holder: Endpoint) => void) | undefined
  /** Why these members, claimed to be alive, may not be in this pool; undefined if they may. Pure. */
  readonly refuse?: (members: readonly Claim[]) => string | undefined
  readonly observer?: PoolObserver | undefined
}

/** Sees what one member knows and does, for the simulator's invariants. Production runs without one. */
export interface PoolObserver {
  /** Called after each step, before its effects are performed. Must not change its arguments. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void
}

export type ObservedCore = Readonly<
  Pick<
    GossipCore,
    | 'options'
    | 'self'
    | 'members'
    | 'suspects'
    | 'failed'
    | 'left'
    | 'health'
    | 'vivaldi'
    | 'coordinates'
    | 'probe'
    | 'eventClock'
  >
> & { readonly turn: Pick<GossipCore['turn'], 'nowMs'> }

export interface PoolEncryption {
  readonly keyring: Keyring
  /** Unencrypted packets are dropped. Turned off only while a pool is being migrated to encryption. */
  readonly verifyIncoming: boolean
  /** Sent packets are encrypted. Turned off only while a pool is being migrated to encryption. */
  readonly verifyOutgoing: boolean
}

/** A claim that an agent is alive, before that agent is a member. */
export interface Claim {
  readonly name: string
  readonly endpoint: Endpoint
  readonly tags: Readonly<Record<string, string>>
}

/** A user event of the pool. Delivered at most once, not to every member, and in any order. */
export interface PoolEvent {
  readonly lamport: number
  readonly name: string
  readonly payload: Uint8Array
}

/** A question to all members that match the filters, including this agent. */
export interface PoolQuestion {
  readonly name: string
  readonly payload: Uint8Array
  readonly filters?: readonly QueryFilter[]
  /** Number of other members that relay each answer as well; at most 5. */
  readonly relayFactor?: number
  /** Absent: as long as a query takes in a pool of this size. */
  readonly timeoutMs?: number | undefined
  /** Whether these answers are enough, so that the query ends. */
  readonly enough?: (answers: readonly PoolAnswer[]) => boolean
}

export interface PoolAnswer {
  readonly from: string
  readonly payload: Uint8Array
}

export interface PoolAnswers {
  /** Names of the members that acknowledged the question. */
  readonly acks: readonly string[]
  /** At most one from each member. */
  readonly answers: readonly PoolAnswer[]
}

export type KeyRequest = { readonly relayFactor: number } & (
  | { readonly action: 'list' }
  /** `key`: in base64. */
  | { readonly action: 'install' | 'use' | 'remove'; readonly key: string }
)

export interface KeyAnswers {
  /** Members that were asked, and how many of them have answered. */
  readonly nodes: number
  readonly answered: number
  /** The members that could not do it, by name, and why. */
  readonly errors: readonly (readonly [node: string, message: string])[]
  /** How many members have each key; only for the action `list`. */
  readonly keys: readonly (readonly [key: string, members: number])[]
}

export interface PoolStats {
  readonly members: number
  readonly failed: number
  readonly left: number
  /** Local health, 0 for well. Lifeguard, section 3. */
  readonly healthScore: number
  readonly memberTime: number
  readonly eventTime: number
  readonly queryTime: number
  readonly coordinateResets: number
  readonly broadcastQueue: number
}

/**
 * Why an agent did not join. `refused`: the other agent, or this one, does not want the other in its pool, and a retry
 * will not help. `failed`: no state was exchanged, and a retry may succeed.
 */
export interface JoinFailure {
  readonly kind: 'refused' | 'failed'
  readonly message: string
}

/** One pool of agents that know of each other by gossip. */
export interface Pool {
  /** In order of name, including this agent. */
  members(): readonly Member[]
  self(): Member
  stats(): PoolStats
  /** Calls `use` for later changes, in a turn of the pool; changes of one turn come together. */
  onChange(use: (changes: readonly MemberChange[]) => void): Closable
  /** Exchanges states once with the pool's member at this address; afterwards both have the same knowledge. */
  join(at: Endpoint): Promise<Result<undefined, JoinFailure>>
  /**
   * Announces that this agent leaves and waits until that has spread, within the delays of `timing`. The pool runs
   * until `stop`.
   */
  leave(): Promise<void>
  /** Treats a failed member as one that left; a living one refutes it. False: no member has the name. */
  forceLeave(name: string): boolean
  /** Sends an event to all members, including this agent; returns why it cannot if the event is too large. */
  fireEvent(name: string, payload: Uint8Array): Result<undefined, string>
  /** Calls `use` for each later event, in a turn of the pool. */
  onEvent(use: (event: PoolEvent) => void): Closable
  /** Settles when time is up or the answers are enough. */
  query(question: PoolQuestion): Promise<PoolAnswers>
  /** Asks every member to perform an operation on its keys; fails if no member was asked. */
  keys(request: KeyRequest): Promise<Result<KeyAnswers, string>>
  readonly isEncrypted: boolean
  /** The coordinate of this agent, or the last one that another member reported; undefined if none is known. */
  coordinateOf(name: string): Coordinate | undefined
  /** Replaces this agent's tags; the others learn of it. */
  setTags(tags: Readonly<Record<string, string>>): void
  stop(): Promise<void>
}
