import type { FullState, GossipAddress, Message, Query, QueryFilter, Versions } from './messages.ts'

/**
 * The types of the membership core: its state machine takes one `GossipEvent` at a time and answers with
 * `GossipEffect`s, in order. It owns no promise, timer, clock, socket or randomness: the time and a stream of random
 * numbers are arguments of `step`, and an effect asks for a timer.
 *
 * What a driver uses:
 * - `createGossip(options)` in `state.ts`, then `step(gossip, event, nowMs, random)` in `step.ts`, `started` first;
 * - between steps, functions that only read: `fullState` and `ackFor` in `answers.ts`, `members`, `memberNamed`, `self`
 *   and `stats` in `views.ts`.
 *
 * Sources: Das, Gupta, Motivala, "SWIM" (2002), cited as "SWIM"; Dadgar, Phillips, Currey, "Lifeguard: Local Health
 * Awareness for More Accurate Failure Detection" (2018), cited as "Lifeguard"; the behaviour of memberlist 0.1 and serf
 * 0.8, cited by these names.
 */

/** The status that operators see. `leaving`: the member has announced that it leaves, and may still answer. */
export type MemberStatus = 'alive' | 'leaving' | 'left' | 'failed'

/**
 * `probe`: the probe cycle, its timeouts included. `gossip`: send waiting broadcasts. `push-pull`, `reconnect`, `reap`:
 * as named. `suspicion`: the earliest end of a suspicion. `relay`: the oldest ping on another's behalf is overdue.
 * `leave`: the next stage of leaving. `query`: the time of one of our queries is over. At most one timer of each name.
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
  /** The driver's own name for the query, which effects about it carry. */
  readonly token: number
  readonly name: string
  readonly payload: Uint8Array
  readonly filters: readonly QueryFilter[]
  readonly relayFactor: number
  /** Undefined: as long as a query takes to spread and be answered in a pool of this size. */
  readonly timeoutMs: number | undefined
}

export type GossipEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'timer-fired'; readonly timer: GossipTimer }
  /** One packet, its messages in order. `from` is where the packet came from, and where answers are sent. */
  | { readonly kind: 'packet-received'; readonly from: GossipAddress; readonly messages: readonly Message[] }
  /**
   * A full state came over a stream.
   * - `how` is `request`: the other side dialled. Step first, then answer with `fullState(gossip, false)`, so that the
   *   answer holds what the request made us refute.
   * - `answer`: it answers an `exchange` effect.
   * - `join-answer`: it answers an exchange by which the agent joins the pool; the core then broadcasts the join by
   *   itself.
   * If the merge is refused, this step has a `state-refused` effect. `part`: for a state too large for one step, the
   * `mergeItems` from `start` up to `end`. The parts follow one another, with other events in between, until one is
   * refused. Without `part`, the whole state is merged.
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
  /** Leave the pool; `left` follows in this step or a later one. A second request changes nothing. */
  | { readonly kind: 'leave-requested' }
  /** Treats a failed member as one that left (check with `memberNamed` first whether the name exists). */
  | { readonly kind: 'force-leave-requested'; readonly name: string }
  /** Within `eventNameBytesMax` and what a packet carries; the driver checks both. */
  | { readonly kind: 'event-fired'; readonly name: string; readonly payload: Uint8Array }
  | { readonly kind: 'query-asked'; readonly request: QueryRequest }
  /** The answer to a `query` effect, if there is one. */
  | { readonly kind: 'query-responded'; readonly query: Query; readonly payload: Uint8Array }
  /** The caller needs no further answers to one of our queries. */
  | { readonly kind: 'query-ended'; readonly token: number }
  /** This agent's encoded tags, at most `metaBytesMax`. */
  | { readonly kind: 'meta-changed'; readonly meta: Uint8Array }

/** `Member` of `pool.ts` before the tags are decoded. A frozen view of this moment. */
export interface CoreMember {
  readonly name: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
  readonly versions: Versions
  readonly status: MemberStatus
}

/** As `MemberChange` of `pool.ts`. The agent's own `joined` comes with `started`, its own `left` with leaving. */
export interface CoreChange {
  readonly kind: 'joined' | 'updated' | 'failed' | 'left' | 'reaped'
  readonly member: CoreMember
}

/** Names of metrics, and of what is dropped: `gossip.dropped.…`. Reference: telemetry.md#metrics-of-every-agent. */
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
  /** Names, addresses, metadata or numbers that no member can have. */
  | 'gossip.dropped.malformed'
  /** An incarnation beyond `incarnationMax` or a Lamport time beyond `lamportMax`. */
  | 'gossip.dropped.number'
  /** A Lamport time further ahead than a clock may leap (`lamport.ts`). */
  | 'gossip.dropped.ahead'
  /** A bound was reached. */
  | 'gossip.dropped.full'
  /** Two agents claim one name. */
  | 'gossip.dropped.conflict'
  /** An agent that may not be in this pool. */
  | 'gossip.dropped.refused'
  /** A user event or query so old that it may be known already. */
  | 'gossip.dropped.old'
  /** A query whose filters exceeded the budget. */
  | 'gossip.dropped.filter'
  /** An answer to be relayed to an address of no member. */
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
   * Exchange full states with this member over a stream, sending `fullState(gossip, join)` of that moment; the other's
   * state comes back as a `state-received` of the kind `answer`. A failure need not be reported. At most one exchange
   * of each purpose is requested in an interval.
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
  /** Fire once after this delay; replaces the timer of that name. */
  | { readonly kind: 'set-timer'; readonly timer: GossipTimer; readonly delayMs: number }
  | { readonly kind: 'clear-timer'; readonly timer: GossipTimer }
  /** At most one in a step, after the other effects. */
  | { readonly kind: 'members-changed'; readonly changes: readonly CoreChange[] }
  /** The full state of this step was not merged. */
  | { readonly kind: 'state-refused'; readonly from: GossipAddress; readonly reason: string }
  /** A member fired an event; it may be this agent. */
  | { readonly kind: 'user-event'; readonly lamport: number; readonly name: string; readonly payload: Uint8Array }
  /** A member asks, and this agent matches the filters: answer with `query-responded`, or not at all. */
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'query-acked'; readonly token: number; readonly from: string }
  | { readonly kind: 'query-answered'; readonly token: number; readonly from: string; readonly payload: Uint8Array }
  /** The time of a query is over; not sent if it was ended. */
  | { readonly kind: 'query-over'; readonly token: number }
  /** Another agent claims this agent's name: ask the pool which of the two holds it. Rate-limited. */
  | { readonly kind: 'name-conflict' }
  /** Leaving is over: the message has spread as far as the timing allows. Sent once. */
  | { readonly kind: 'left' }
  | { readonly kind: 'count'; readonly counter: GossipCounter; readonly by: number }
  /** Local health changed: 0 is well (Lifeguard, section 4.A; `memberlist.health.score`). */
  | { readonly kind: 'health'; readonly score: number }
  /** A line to log. */
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
