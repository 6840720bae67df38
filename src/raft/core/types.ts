/**
 * The types of the Raft core: its state machine takes one `RaftEvent` (events.ts) at a time and answers with
 * `RaftEffect`s (effects.ts), in order. It owns no promise, timer, clock or randomness: the time is an argument of
 * `step`, an effect asks for a timer within a range, and the driver draws from it.
 *
 * Source: Ongaro, "Consensus: Bridging Theory and Practice" (2014), cited as "thesis"; "In Search of an Understandable
 * Consensus Algorithm" (2014), cited as "paper".
 */

import type { LogIndex, Term } from '../../model/log-position.ts'

/** Identifies a server for its whole life: its node ID. */
export type ServerId = string

export type Suffrage = 'voter' | 'nonvoter'

export interface Server {
  readonly id: ServerId
  /** `host:port` of the server's RPC listener. */
  readonly address: string
  readonly suffrage: Suffrage
}

/** Members of the Raft group, sorted by ID. A server uses the latest in its log, committed or not (thesis 4.1). */
export interface Configuration {
  readonly servers: readonly Server[]
}

export type EntryKind = 'command' | 'no-op' | 'configuration'

export interface Entry {
  readonly index: LogIndex
  readonly term: Term
  readonly kind: EntryKind
  /** A command as the state machine encoded it; an encoded `Configuration`; empty for a no-op. Never modified. */
  readonly payload: Uint8Array
}

/** Term and vote are one record: made durable together or not at all (otherwise, see planted bug 2). */
export interface HardState {
  readonly term: Term
  readonly votedFor: ServerId | undefined
}

/** The content of a snapshot: every entry up to `index` applied, and the configuration as of then. */
export interface SnapshotMeta {
  readonly index: LogIndex
  readonly term: Term
  readonly configuration: Configuration
  /** Index of the entry with `configuration`. */
  readonly configurationIndex: LogIndex
}

export type ConfigurationChange =
  | { readonly kind: 'add-nonvoter'; readonly id: ServerId; readonly address: string }
  | { readonly kind: 'add-voter'; readonly id: ServerId; readonly address: string }
  | { readonly kind: 'demote'; readonly id: ServerId }
  | { readonly kind: 'remove'; readonly id: ServerId }

/** Why a request was refused. */
export type RequestRefusal =
  | { readonly kind: 'not-leader'; readonly leader: ServerId | undefined }
  | { readonly kind: 'overloaded' }
  /**
   * The leader's disk has no space. `accepted`: the entry waits in its log, and may be committed when there is space.
   */
  | { readonly kind: 'disk-full'; readonly accepted: boolean }
  /**
   * A change while the previous one is not committed, or before an entry of the leader's own term is (thesis 4.1 and
   * its erratum).
   */
  | { readonly kind: 'change-in-progress' }
  | { readonly kind: 'unknown-server'; readonly id: ServerId }
  | { readonly kind: 'invalid-change'; readonly message: string }
  /** Leadership was lost while the request was under way: its entry may or may not be committed. */
  | { readonly kind: 'leadership-lost' }
  | { readonly kind: 'transfer-failed'; readonly message: string }

export type RoleName = 'follower' | 'pre-candidate' | 'candidate' | 'leader'

/** The state on disk when the server started. */
export interface Recovered {
  readonly hardState: HardState
  readonly snapshot: SnapshotMeta | undefined
  readonly snapshotSizeBytes: number
  /** In order, without gaps; the first follows the snapshot or is within it. */
  readonly entries: readonly Entry[]
}
