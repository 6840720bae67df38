/**
 * Messages of the pool, in the field's own form: the lower layer (memberlist) detects failures and spreads the members,
 * the upper (serf) spreads intents to leave. `gossip/wire` has the names of fields on the wire; the names here are the
 * project's.
 */

/**
 * The six versions that each `alive` carries: of the protocol, then of the delegate, each as least, greatest, spoken.
 */
export interface Versions {
  readonly protocolMin: number
  readonly protocolMax: number
  readonly protocolSpoken: number
  readonly delegateMin: number
  readonly delegateMax: number
  readonly delegateSpoken: number
}

/** What this program supports and speaks. Source: memberlist (protocol 2, understanding up to 5), serf (4, up to 5). */
export const ownVersions: Versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

/** An IP address in text and a port. */
export interface GossipAddress {
  readonly host: string
  readonly port: number
}

export type Message =
  /** `node`: the member that the sender means to ask; another one that receives the ping does not answer. */
  | { readonly kind: 'ping'; readonly sequence: number; readonly node: string }
  | {
      readonly kind: 'indirect-ping'
      readonly sequence: number
      readonly target: GossipAddress
      readonly node: string
      /** The prober wants a nack if the target does not answer. */
      readonly nack: boolean
    }
  | { readonly kind: 'ack'; readonly sequence: number; readonly payload: Uint8Array }
  | { readonly kind: 'nack'; readonly sequence: number }
  | { readonly kind: 'suspect'; readonly incarnation: number; readonly node: string; readonly from: string }
  | {
      readonly kind: 'alive'
      readonly incarnation: number
      readonly node: string
      readonly address: GossipAddress
      /** The member's tags, as the upper layer encodes them: at most 512 bytes. */
      readonly meta: Uint8Array
      readonly versions: Versions
    }
  /** If `from` is the node itself, it says that it left. */
  | { readonly kind: 'dead'; readonly incarnation: number; readonly node: string; readonly from: string }
  /** A member intends to leave, or was forced to. */
  | { readonly kind: 'leave-intent'; readonly lamport: number; readonly node: string; readonly prune: boolean }
  | { readonly kind: 'join-intent'; readonly lamport: number; readonly node: string }
  /** `coalesce`: receivers may treat several events of one name as one. It is forwarded unchanged. */
  | {
      readonly kind: 'user-event'
      readonly lamport: number
      readonly name: string
      readonly payload: Uint8Array
      readonly coalesce: boolean
    }
  /**
   * A question to all members that match every filter. Answers go to `from`, and by way of `relayFactor` others as
   * well.
   */
  | {
      readonly kind: 'query'
      readonly lamport: number
      readonly id: number
      readonly from: GossipAddress
      readonly filters: readonly QueryFilter[]
      readonly flags: number
      readonly relayFactor: number
      readonly timeoutMs: number
      readonly name: string
      readonly payload: Uint8Array
    }
  | {
      readonly kind: 'query-response'
      readonly lamport: number
      readonly id: number
      readonly from: string
      readonly flags: number
      readonly payload: Uint8Array
    }
  /** An answer that the receiver is to forward. */
  | {
      readonly kind: 'relay'
      readonly to: GossipAddress
      readonly response: Extract<Message, { readonly kind: 'query-response' }>
    }

export type Query = Extract<Message, { readonly kind: 'query' }>

export type QueryFilter =
  | { readonly kind: 'nodes'; readonly names: readonly string[] }
  /** The value of the tag must match the regular expression. */
  | { readonly kind: 'tag'; readonly tag: string; readonly expression: string }
  /** A filter of a later release: it selects no member here, and is forwarded. */
  | { readonly kind: 'unknown'; readonly bytes: Uint8Array }

/** User events of one Lamport time. */
export interface HeardEvents {
  readonly lamport: number
  readonly events: readonly { readonly name: string; readonly payload: Uint8Array }[]
}

/** One node's knowledge of another, as exchanges of states carry it. */
export interface NodeState {
  readonly node: string
  readonly address: GossipAddress
  readonly meta: Uint8Array
  readonly incarnation: number
  readonly state: 'alive' | 'suspect' | 'dead'
  readonly versions: Versions
}

/** Everything one node knows, exchanged both ways over a stream (push/pull). */
export interface FullState {
  readonly nodes: readonly NodeState[]
  /** The sender joins by this exchange. */
  readonly join: boolean
  /**
   * The upper layer: its Lamport clock, the time of each member's last status, and the members that left or are
   * leaving.
   */
  readonly lamport: number
  readonly statusTimes: readonly (readonly [node: string, lamport: number])[]
  readonly left: readonly string[]
  /** The clocks of user events and of queries, and the recent events. */
  readonly eventLamport: number
  readonly queryLamport: number
  readonly events: readonly HeardEvents[]
}
