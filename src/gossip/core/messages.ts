/**
 * Messages of the pool, in the field's own form: the lower layer (memberlist) detects failures and spreads who is there,
 * the upper (serf) says who means to leave. Names of fields on the wire are `gossip/wire`'s; here they are the house's.
 */

/** Six versions that each `alive` carries: protocol then delegate, each as least, greatest, spoken. */
export interface Versions {
  readonly protocolMin: number
  readonly protocolMax: number
  readonly protocolSpoken: number
  readonly delegateMin: number
  readonly delegateMax: number
  readonly delegateSpoken: number
}

/** An IP address in text and a port. */
export interface GossipAddress {
  readonly host: string
  readonly port: number
}

export type Message =
  /** `node`: whom the sender means to ask; another one that hears it does not answer. */
  | { readonly kind: 'ping'; readonly sequence: number; readonly node: string }
  | {
      readonly kind: 'indirect-ping'
      readonly sequence: number
      readonly target: GossipAddress
      readonly node: string
      /** The asker wants to hear when the target did not answer. */
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
  /** From the node itself it means that it left. */
  | { readonly kind: 'dead'; readonly incarnation: number; readonly node: string; readonly from: string }
  /** Somebody means to leave, or was told to by force. */
  | { readonly kind: 'leave-intent'; readonly lamport: number; readonly node: string; readonly prune: boolean }
  | { readonly kind: 'join-intent'; readonly lamport: number; readonly node: string }

/** What one node knows of another, as it is exchanged whole over a stream. */
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
  /** Of the upper layer: its Lamport clock, when each member's status was last said, and who has left or is leaving. */
  readonly lamport: number
  readonly statusTimes: readonly (readonly [node: string, lamport: number])[]
  readonly left: readonly string[]
}
