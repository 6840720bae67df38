import { invariant } from '../../base/invariant.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import { membersMax, metaBytesMax } from './bounds.ts'
import { BroadcastQueue } from './broadcast-queue.ts'
import { LivingAddresses } from './living-addresses.ts'
import { MemberRecord } from './member-record.ts'
import type { GossipAddress } from './messages.ts'
import { type GossipLimits, type GossipOptions, type GossipRandom, gossipLimits, type MemberFacts } from './options.ts'
import { RecentEvents } from './recent-events.ts'
import type { CoreChange, CoreMember, GossipEffect, GossipTimer } from './types.ts'
import { isAddress, isIncarnation, isName } from './validity.ts'
import { Vivaldi } from './vivaldi.ts'

export interface Suspicion {
  /**
   * Accusers; the first does not count as a confirmation. At most `expected + 1`; empty if we learned of it
   * second-hand.
   */
  readonly from: Set<string>
  /** Number of independent confirmations that shorten the suspicion to its minimum. */
  readonly expected: number
  readonly minMs: number
  readonly maxMs: number
  readonly sinceMs: number
  dueMs: number
}

/** One probe: a ping, then pings by others and over a stream (SWIM, section 3.1). */
export interface Probe {
  readonly target: MemberRecord
  readonly incarnation: number
  readonly sequence: number
  readonly startedMs: number
  readonly deadlineMs: number
  phase: 'direct' | 'indirect' | 'answered'
  nacksExpected: number
  nacks: number
  streamAnswered: boolean
}

/** A ping on another's behalf. */
interface Relay {
  readonly asker: GossipAddress
  readonly askerSequence: number
  /** When the prober is sent a nack; infinite if it wants none, or has been sent one. */
  nackMs: number
  /** An answer after this is dropped. */
  readonly dueMs: number
}

/** A query of this agent. Each member answers at most once. */
interface Ask {
  readonly token: number
  readonly id: number
  readonly dueMs: number
  readonly acks: Set<string>
  readonly answers: Set<string>
}

/** An intent of an agent that is not known yet, or of one that left and is not back yet. */
interface RecentIntent {
  readonly kind: 'join' | 'leave'
  readonly lamport: number
  readonly heardMs: number
  /**
   * The message itself arrived. An intent that was deduced from an exchange is not named in other exchanges, or agents
   * would never forget it.
   */
  readonly isFirstHand: boolean
}

/**
 * `intent` and `dead`: that message is being broadcast. `spreading`: this agent waits until others have forwarded it.
 */
type LeaveStage = 'member' | 'intent' | 'dead' | 'spreading' | 'left'

/** The input of one step, and its effects so far. */
interface Turn {
  nowMs: number
  random: GossipRandom
  effects: GossipEffect[]
  changes: CoreChange[]
}

/** One agent's knowledge of its pool. Only `step` changes it. */
export interface GossipCore {
  readonly options: GossipOptions
  readonly limits: GossipLimits
  readonly self: MemberRecord
  isStarted: boolean
  /** By name, at most `membersMax`. The order of this map has no visible effect. */
  readonly members: Map<string, MemberRecord>
  readonly livingAt: LivingAddresses
  /**
   * Members in random order: those that are alive, which are probed, and those that died lately, which still hear
   * gossip. The agent itself is among them.
   */
  roster: MemberRecord[]
  /** Members that have been dead for too long to be in the roster. */
  readonly unlisted: Set<MemberRecord>
  /** Index in the roster of the member to be probed next. */
  probeNext: number
  probe: Probe | undefined
  /** Number of the last ping, for itself or for others. */
  sequence: number
  /** At most `relaysMax`. */
  readonly relays: Map<number, Relay>
  /** The suspicion of each member that is a suspect. */
  readonly suspects: Map<MemberRecord, Suspicion>
  /**
   * When a claim to a member's name from another address was last logged, by name. Removed when the member is reaped.
   */
  readonly conflictNotedMs: Map<string, number>
  /** Local health: 0 for well, below `healthMax` (Lifeguard, section 4.A). */
  health: number
  /** The lower layer: members that are alive, suspect or dead. */
  readonly claims: BroadcastQueue
  /** The upper layer: intents to join or leave. */
  readonly intents: BroadcastQueue
  /** User events and queries that are passed on. */
  readonly news: BroadcastQueue
  newsCount: number
  /** Lamport clock of user events, and the time before which events are ignored. */
  eventClock: number
  eventsSince: number
  readonly events: RecentEvents
  queryClock: number
  /** Queries received lately, by the remainder of their time: at most `timesMax` places of `queriesAtOnceMax`. */
  readonly queries: Map<number, { readonly lamport: number; readonly ids: number[] }>
  /** The remaining budget for compiling filters of queries, as of a time. */
  filterWork: { readonly left: number; readonly atMs: number }
  /** By Lamport time, at most `asksMax`. */
  readonly asks: Map<number, Ask>
  readonly vivaldi: Vivaldi
  /**
   * Coordinates of members that have acknowledged a ping with one; at most `membersMax`, because reaped members are
   * removed.
   */
  readonly coordinates: Map<string, Coordinate>
  gossipedMs: number
  /** Lamport clock of the upper layer: later than every time that was received. */
  clock: number
  /** How far each Lamport clock may still leap, as of a time. */
  readonly leaps: Map<'clock' | 'eventClock' | 'queryClock', { readonly left: number; readonly atMs: number }>
  /** At most `recentIntentsMax`. */
  readonly recentIntents: Map<string, RecentIntent>
  /** In the order in which this agent learned of the failures. */
  readonly failed: MemberRecord[]
  /** Of these, those that were tried again in the present round. */
  readonly reconnected: Set<MemberRecord>
  readonly left: MemberRecord[]
  leaving: LeaveStage
  /** When each running timer was set to fire. */
  readonly timers: Map<GossipTimer, number>
  /** Timers whose last firing was late for an excusable reason. */
  readonly excused: Set<GossipTimer>
  /** The view of each member that was shown last; a member that has changed since then has none. */
  readonly views: Map<MemberRecord, CoreMember>
  /** Members in order of name; undefined once one has changed. */
  sorted: readonly CoreMember[] | undefined
  readonly turn: Turn
}

/** Maximum number of intents that are kept for unknown members. */
export const recentIntentsMax = 1_024
/** Maximum number of pings on behalf of others that are under way. */
export const relaysMax = 256

const noRandom: GossipRandom = { below: () => 0, fraction: () => 0 }

/** An agent that knows only itself. Its first event is `started`. */
export function createGossip(options: GossipOptions): GossipCore {
  const { name, address, meta, versions, packetBytesMax, incarnation } = options
  invariant(isName(name), 'a member has a name of bounded length', { name })
  invariant(isAddress(address), 'a member has an address', { host: address.host, port: address.port })
  invariant(meta.length <= metaBytesMax, 'metadata has its bound', { bytes: meta.length, metaBytesMax })
  invariant(packetBytesMax >= 1_000, 'every message fits into a packet', { packetBytesMax })
  invariant(isIncarnation(incarnation), 'an incarnation is within bounds', { incarnation })
  const limits = { ...gossipLimits, ...options.limits }
  const self = new MemberRecord(factsOf(options, { name, address, meta, versions }), incarnation)
  const members = new Map([[name, self]])
  return {
    options,
    limits,
    self,
    isStarted: false,
    members,
    livingAt: new LivingAddresses(members),
    roster: [self],
    unlisted: new Set(),
    probeNext: 0,
    probe: undefined,
    sequence: 0,
    relays: new Map(),
    suspects: new Map(),
    conflictNotedMs: new Map(),
    health: 0,
    claims: new BroadcastQueue(membersMax),
    intents: new BroadcastQueue(membersMax),
    news: new BroadcastQueue(limits.newsMax),
    newsCount: 0,
    eventClock: 1,
    eventsSince: 0,
    events: new RecentEvents(limits.timesMax),
    queryClock: 1,
    queries: new Map(),
    asks: new Map(),
    filterWork: { left: 0, atMs: Number.NEGATIVE_INFINITY },
    vivaldi: new Vivaldi(),
    coordinates: new Map(),
    gossipedMs: Number.NEGATIVE_INFINITY,
    // From 1, so that a status time of 0 is older than every intent.
    clock: 1,
    leaps: new Map(),
    recentIntents: new Map(),
    failed: [],
    reconnected: new Set(),
    left: [],
    leaving: 'member',
    timers: new Map(),
    excused: new Set(),
    views: new Map(),
    sorted: undefined,
    turn: { nowMs: 0, random: noRandom, effects: [], changes: [] },
  }
}

/**
 * Facts to be kept. They keep no packet in memory, are never changed, and are shared with the other cores of this
 * process if these share.
 */
export function factsOf({ share }: Pick<GossipOptions, 'share'>, said: MemberFacts): MemberFacts {
  const { name, address, meta, versions } = said
  const facts = Object.freeze({ name, address, meta: keptBytes(meta), versions })
  return share === undefined ? facts : share(facts)
}

/** Copies bytes that are a view of something larger, such as a packet, which they would keep in memory. */
function keptBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()
}

/** Whether the roster has members beside the agent itself. */
export function hasCompany(gossip: GossipCore): boolean {
  return gossip.roster.length > 1
}
