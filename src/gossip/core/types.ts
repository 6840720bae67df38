import type { FullState, GossipAddress, Message, Query, QueryFilter, Versions } from './messages.ts'

/**
 * The words of the membership core: its state machine takes one `GossipEvent` at a time and answers with
 * `GossipEffect`s, in order. It owns no promise, no timer, no clock, no socket and no randomness: the time and a stream
 * of random numbers are arguments of `step`, timers are asked for by an effect.
 *
 * What a driver uses:
 * - `createGossip(options)` in `state.ts`, then `step(gossip, event, nowMs, random)` in `step.ts`, `started` first;
 * - between steps, what only reads: `fullState` and `ackFor` in `answers.ts`, `members`, `memberNamed`, `self` and
 *   `stats` in `views.ts`.
 *
 * Sources: Das, Gupta, Motivala, "SWIM" (2002), cited as "SWIM"; Dadgar, Phillips, Currey, "Lifeguard: Local Health
 * Awareness for More Accurate Failure Detection" (2018), cited as "Lifeguard"; the behaviour of memberlist 0.1 and serf
 * 0.8, cited by these names.
 */

/** As people see it. `leaving`: it has said so and may still answer. */
export type MemberStatus = 'alive' | 'leaving' | 'left' | 'failed'

/**
 * `probe`: the probe cycle, its timeouts included. `gossip`: send what waits. `push-pull`, `reconnect`, `reap`: as
 * named. `suspicion`: the earliest end of a suspicion. `relay`: the oldest ping on another's behalf is overdue.
 * `leave`: the next stage of leaving. `query`: a question of ours is over. At most one timer of each name.
 */
export type GossipTimer =
  | 'probe'
  | 'gossip'
  | 'push-pull'
  | 'reconnect'
  | 'reap'
  | 'suspicion'
  | 'relay'
  | 'leave'
  | 'query'

/** A query that a driver starts. */
export interface QueryRequest {
  /** The driver's own name for it: effects about it carry it. */
  readonly token: number
  readonly name: string
  readonly payload: Uint8Array
  readonly filters: readonly QueryFilter[]
  readonly relayFactor: number
  /** Undefined: as long as it takes to spread and to be answered in a pool of this size. */
  readonly timeoutMs: number | undefined
}

export type GossipEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'timer-fired'; readonly timer: GossipTimer }
  /** One packet, its messages in order. `from` is where the packet came from, and where answers go. */
  | { readonly kind: 'packet-received'; readonly from: GossipAddress; readonly messages: readonly Message[] }
  /**
   * A full state came over a stream. `request`: the other side dialled; step first, then answer with `fullState(gossip,
   * false)`, so that the answer holds what the request made us refute. `answer`: to an `exchange` effect.
   * `join-answer`: to an exchange that the agent asked for to join the pool; the core then spreads the join by itself.
   * A merge that is refused shows as a `state-refused` effect of this step. `part`: of the `mergeItems` of the state
   * those from `start` up to `end`, for one that is too large for one step: its parts follow one another, with other
   * events in between, until one is refused. Without it all of them are meant.
   */
  | {
      readonly kind: 'state-received'
      readonly how: 'request' | 'answer' | 'join-answer'
      readonly from: GossipAddress
      readonly state: FullState
      readonly part?: { readonly start: number; readonly end: number }
    }
  /** The result of a `stream-ping` effect. Optional if it failed; late ones are ignored. */
  | { readonly kind: 'stream-ping-finished'; readonly sequence: number; readonly answered: boolean }
  /** Leave the pool; `left` follows in this step or a later one. Asked again, it changes nothing. */
  | { readonly kind: 'leave-requested' }
  /** Treats a failed member as one that left (check with `memberNamed` first whether the name exists). */
  | { readonly kind: 'force-leave-requested'; readonly name: string }
  /** Within `eventNameBytesMax` and what a packet carries; the driver sees to that. */
  | { readonly kind: 'event-fired'; readonly name: string; readonly payload: Uint8Array }
  | { readonly kind: 'query-asked'; readonly request: QueryRequest }
  /** The answer to a `query` effect, if there is one. */
  | { readonly kind: 'query-responded'; readonly query: Query; readonly payload: Uint8Array }
  /** Nothing more is wanted of a question of ours. */
  | { readonly kind: 'query-ended'; readonly token: number }
  /** The own tags, encoded, at most `metaBytesMax`. */
  | { readonly kind: 'meta-changed'; readonly meta: Uint8Array }

/** `Member` of `pool.ts` before the tags are decoded. A frozen view of this moment. */
export interface CoreMember {
  readonly name: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
  readonly versions: Versions
  readonly status: MemberStatus
}

/** As `MemberChange` of `pool.ts`. The own `joined` comes with `started`, the own `left` with leaving. */
export interface CoreChange {
  readonly kind: 'joined' | 'updated' | 'failed' | 'left' | 'reaped'
  readonly member: CoreMember
}

/** Names of telemetry, and of what is dropped: `gossip.dropped.…`. Reference: telemetry.md#metrics-of-every-agent. */
export type GossipCounter =
  | 'memberlist.msg.alive'
  | 'memberlist.msg.suspect'
  | 'memberlist.msg.dead'
  | 'memberlist.degraded.probe'
  | 'memberlist.degraded.timeout'
  | 'serf.member.join'
  | 'serf.member.update'
  | 'serf.member.left'
  | 'serf.member.failed'
  | 'serf.member.flap'
  /** Names, addresses, metadata or numbers that no member has. */
  | 'gossip.dropped.malformed'
  /** An incarnation beyond `incarnationMax` or a Lamport time beyond `lamportMax`. */
  | 'gossip.dropped.number'
  /** A bound was reached. */
  | 'gossip.dropped.full'
  /** Two agents claim one name. */
  | 'gossip.dropped.conflict'
  /** One that may not be in this pool. */
  | 'gossip.dropped.refused'
  /** A user event or query so old that it may be known already. */
  | 'gossip.dropped.old'
  /** A query whose filters there was no budget for. */
  | 'gossip.dropped.filter'
  /** An answer to be relayed to an address that is no member's. */
  | 'gossip.dropped.relay'
  | 'serf.coordinate.rejected'
  | 'serf.coordinate.zero-rtt'
  | 'serf.events'
  | 'serf.queries'

/** The effects that the driver must perform, in this order. */
export type GossipEffect =
  /** One packet: a single message as it is, more of them as a compound, in this order. Fits `packetBytesMax`. */
  | { readonly kind: 'send'; readonly to: GossipAddress; readonly messages: readonly Message[] }
  /**
   * Exchange full states with this member over a stream, sending `fullState(gossip, join)` as of then; the other's
   * comes back as a `state-received` of the kind `answer`. A failure need not be reported. At most one exchange of each
   * purpose is requested in an interval.
   */
  | {
      readonly kind: 'exchange'
      readonly with: GossipAddress
      readonly node: string
      readonly join: boolean
      readonly purpose: 'push-pull' | 'reconnect'
    }
  /** Ping over a stream, beside the indirect pings, for at most `timeoutMs` in all. */
  | {
      readonly kind: 'stream-ping'
      readonly to: GossipAddress
      readonly node: string
      readonly sequence: number
      readonly timeoutMs: number
    }
  /** Fire once after this; replaces the timer of that name. */
  | { readonly kind: 'set-timer'; readonly timer: GossipTimer; readonly delayMs: number }
  | { readonly kind: 'clear-timer'; readonly timer: GossipTimer }
  /** At most one in a step, after the other effects. */
  | { readonly kind: 'members-changed'; readonly changes: readonly CoreChange[] }
  /** The full state of this step was not merged. */
  | { readonly kind: 'state-refused'; readonly from: GossipAddress; readonly reason: string }
  /** Somebody fired an event, this agent perhaps. */
  | { readonly kind: 'user-event'; readonly lamport: number; readonly name: string; readonly payload: Uint8Array }
  /** Somebody asks, and the filters take this agent: answer with `query-responded`, or not at all. */
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'query-acked'; readonly token: number; readonly from: string }
  | { readonly kind: 'query-answered'; readonly token: number; readonly from: string; readonly payload: Uint8Array }
  /** The time of a query is over; not sent if it was ended. */
  | { readonly kind: 'query-over'; readonly token: number }
  /** Another agent claims the own name: the pool is to be asked whose it is. At most once in a while. */
  | { readonly kind: 'name-conflict' }
  /** Leaving is over: the word has spread as far as the timing allows. Once. */
  | { readonly kind: 'left' }
  | { readonly kind: 'count'; readonly counter: GossipCounter; readonly by: number }
  /** Local health changed: 0 is well (Lifeguard, section 4.A; `memberlist.health.score`). */
  | { readonly kind: 'health'; readonly score: number }
  /** A line for the log. */
  | {
      readonly kind: 'note'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly topic: 'memberlist' | 'serf'
      readonly text: string
      readonly fields: Readonly<Record<string, string | number | boolean>>
    }

/** `PoolStats` of `pool.ts` has the same fields. */
export interface GossipStats {
  readonly members: number
  readonly failed: number
  readonly left: number
  readonly healthScore: number
  readonly memberTime: number
  readonly eventTime: number
  readonly queryTime: number
  readonly coordinateResets: number
  readonly broadcastQueue: number
}
