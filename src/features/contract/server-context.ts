import type { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { KeyAnswers, KeyRequest } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { Release } from '../../model/release.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import type { Raft } from '../../raft/raft.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import type { Access, ReadAccess } from './access.ts'
import type { ServerAccess } from './access-control.ts'
import type { MeshFederation } from './federation.ts'
import type { KnownServer, WanView } from './known-servers.ts'
import type { MeshSettings } from './mesh-settings.ts'
import type { Answer, ReadOptions } from './reading.ts'
import type { ComingStateCheck, StateArchives, WholeState } from './whole-state.ts'

/**
 * A replicated command. `apply` runs on every server at the same index and must be a pure function of the transaction
 * and the body: no clock, no randomness; the leader has put such values into the body. Its result is plain data and goes
 * back to the caller; a refusal (a CAS that does not hold) is a result, never a throw.
 */
export interface CommandDefinition<Body = unknown, Outcome = unknown> {
  /** `kv.put`. The name in the log: never changed once released. */
  readonly kind: string
  /** The release that brought it: older servers stop on it. */
  readonly since: Release
  /** Leaders of every release propose it only when all servers know it; absent: those since `commands-wait`. */
  readonly waitsForAll?: true
  readonly body: z.ZodType<Body>
  /**
   * What an outcome looks like, for a repetition of a write whose row came with a snapshot and does not name its command. Absent:
   * the outcome of such a one is unknown.
   */
  readonly outcome?: z.ZodType<Outcome>
  /**
   * The outcome of a command that would change nothing, neither on this state nor on any that follows from it; undefined: it
   * may change something. The leader answers with it and proposes nothing. Most such commands name an ID that is not there,
   * and only a leader draws IDs. Pure, and equal to what `apply` returns.
   */
  withoutEffect?(tx: ReadTransaction, body: Body): Outcome | undefined
  apply(tx: WriteTransaction, body: Body, whole?: WholeState): Outcome
  /** What is kept of an outcome that could be large, for a repetition of the same write; all of it if absent. */
  remembered?(outcome: Outcome): Outcome
}

/** Names one write of one agent's life, so that a retry inside the cluster takes effect once. */
export interface WriteIdentity {
  /** Agent and boot. */
  readonly origin: string
  readonly sequence: number
}

/** A server as its endpoints see it. */
export interface ServerContext {
  readonly env: Env
  readonly raft: Raft
  readonly release: Release
  readonly datacenter: string
  /** The least time to live of a session that may be asked for. */
  readonly sessionTtlMinMs: number
  /** Undefined: access control is off. */
  readonly accessControl?: ServerAccess | undefined
  /** Undefined: this server knows of no mesh. */
  readonly mesh?: MeshSettings | undefined
  /** Undefined: the authority of this datacenter is for itself, or is the one of all. */
  readonly federation?: MeshFederation | undefined
  /** By its configuration its datacenter is the primary one, or there is none. */
  readonly isPrimary: boolean
  /** The state now. */
  read(): ReadTransaction
  /** Replicates a command with the identity of the call that it serves, and returns what `apply` returned. */
  propose<Body, Outcome>(
    command: CommandDefinition<Body, Outcome>,
    body: Body,
    identity?: WriteIdentity,
  ): Promise<Result<Outcome, Failure>>
  /** A read in another datacenter, with a token of this server's own. */
  readElsewhere<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    token: string,
  ): Promise<Result<Answer<Reply>, Failure>>
  /** A write there, likewise. */
  writeElsewhere<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    to: { readonly datacenter: string; readonly token: string },
  ): Promise<Result<Reply, Failure>>
  /** Makes sure that no other server has led until now; a failure if this one does not lead. Nothing is proposed. */
  leads(): Promise<Result<undefined, Failure>>
  /** The whole state, piece by piece, for callers that save a copy of it. */
  readonly archives: StateArchives
  /** The state whose pieces have come, to take the place of this one. */
  readonly coming: ComingStateCheck
  /** What this duty is doing now; undefined while this server does not lead, or has not begun its duties yet. */
  duty<Running extends RunningDuty>(duty: LeaderDuty<Running>): Running | undefined
  /** Calls `use` once, after a batch of commands, when something has changed that `look` looked at. */
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
  /** What the leader makes of its servers; undefined: this one does not lead, or has not looked yet. */
  health(): ClusterHealth | undefined
  /** Servers that this one knows: by ID, name and RPC address. */
  servers(): readonly KnownServer[]
  /** Tells all agents of the datacenter of an event; why not, if it is too large. */
  fireEvent(name: string, payload: Uint8Array): Result<undefined, string>
  /** Has every member of a pool do something with its keys; undefined: this server is not in that pool. */
  keys(pool: 'lan' | 'wan', request: KeyRequest): Promise<Result<KeyAnswers, string>> | undefined
  /** Servers of all datacenters that have not left; undefined: this one is in no pool of theirs. */
  wan(): WanView | undefined
}

/**
 * What a server answers to a request.
 * `write`: served by the leader. `query`: a read of the store; which server answers follows the caller's consistency, and
 * blocking is done for it. `server`: served by whichever server is asked.
 */
export type EndpointDefinition = WriteEndpoint | QueryEndpoint | ServerEndpoint

export interface WriteEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'write'
  readonly args: z.ZodType<Args>
  readonly access: Access<Args>
  serve(
    server: ServerContext,
    args: Args,
    identity: WriteIdentity | undefined,
    authorizer: Authorizer,
  ): Promise<Result<Reply, Failure>>
}

export interface QueryEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'query'
  readonly args: z.ZodType<Args>
  readonly access: ReadAccess<Args, Reply>
  /**
   * Pure in the transaction, the arguments, and what the server runs as: the newest release if absent. `index`: at which this
   * result last changed; 0 is answered as 1.
   */
  query(tx: ReadTransaction, args: Args, release?: Release): { readonly index: number; readonly value: Reply }
  /** Why this server does not answer it at all, whatever the state; undefined: it does. */
  unavailable?(server: Pick<ServerContext, 'mesh'>): Failure | undefined
  /** False: results are made of what the store does not keep anyway, and rarely asked for twice, so none is kept. */
  readonly kept?: false
  /** Names of the metrics that count an answer. */
  counts?(args: Args, value: Reply): readonly string[]
  /** What goes to other agents in place of the value, where that is not plain data. */
  packed?(value: Reply): unknown
}

export interface ServerEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'server'
  readonly args: z.ZodType<Args>
  /** Ask the leader unless the caller said `stale`. */
  readonly leader: boolean
  readonly access: Access<Args>
  serve(server: ServerContext, args: Args, authorizer: Authorizer): Promise<Result<Reply, Failure>>
}

export interface RunningDuty extends Closable {
  /** Sets its gauges. It is called every few seconds, for what is set at changes alone is missing in most intervals of the metrics. */
  measure?(): void
}

/** Work that only the leader does, from the moment it has caught up with its own term until it loses leadership. */
export interface LeaderDuty<Running extends RunningDuty = RunningDuty> {
  readonly name: string
  /** Begins it; what it returns is closed when leadership ends. Its timers and proposals must end then. */
  start(server: ServerContext): Running
}
