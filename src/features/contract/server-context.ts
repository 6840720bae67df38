import type { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { KeyAnswers, KeyRequest } from '../../gossip/pool.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { Release } from '../../model/release.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import type { Raft } from '../../raft/raft.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import type { Access, ReadAccess } from './access.ts'
import type { ServerAccess } from './access-control.ts'
import type { MeshFederation, MeshSettings } from './mesh.ts'
import type { Answer, ReadOptions } from './reading.ts'
import type { ComingStateCheck, StateArchives, WholeState } from './whole-state.ts'

/**
 * A replicated command. `apply` runs on every server at the same index and must be a pure function of the transaction
 * and the body, without a clock or randomness; the leader has put such values into the body. Its result is plain data
 * and is returned to the caller; a refusal (a failed CAS) is a result, never a throw.
 */
export interface CommandDefinition<Body = unknown, Outcome = unknown> {
  /** `kv.put`. The name in the log: never changed once released. */
  readonly kind: string
  /** The release that introduced it: older servers stop on it. */
  readonly since: Release
  /** Leaders of every release propose it only when all servers know it; absent: those since `commands-wait`. */
  readonly waitsForAll?: true
  readonly body: z.ZodType<Body>
  /**
   * The shape of an outcome, for a repetition of a write whose row came with a snapshot and does not name its command.
   * Absent: the outcome of such a write is unknown.
   */
  readonly outcome?: z.ZodType<Outcome>
  /**
   * The outcome of a command that would change nothing, neither on this state nor on any later one; undefined: it may
   * change something. The leader answers with it and proposes nothing. Most such commands name an ID that does not
   * exist, and only a leader draws IDs. Pure, and equal to what `apply` returns.
   */
  withoutEffect?(tx: ReadTransaction, body: Body): Outcome | undefined
  apply(tx: WriteTransaction, body: Body, whole?: WholeState): Outcome
  /** The part of a possibly large outcome that is stored for a repetition of the same write; absent: all of it. */
  remembered?(outcome: Outcome): Outcome
}

/** Names one write in one agent's life, so that a retry inside the cluster takes effect once. */
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
  /** Minimum TTL that a session may have. */
  readonly sessionTtlMinMs: number
  /** Undefined: access control is off. */
  readonly accessControl?: ServerAccess | undefined
  /** Undefined: this server has no mesh. */
  readonly mesh?: MeshSettings | undefined
  /** Undefined: the authority of this datacenter stands alone, or is the primary one. */
  readonly federation?: MeshFederation | undefined
  /** By its configuration, whether its datacenter is the primary one, or there is no primary. */
  readonly isPrimary: boolean
  /** The present state. */
  read(): ReadTransaction
  /** Replicates a command with the identity of the call that it serves, and returns the result of `apply`. */
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
  /** A write in another datacenter, likewise. */
  writeElsewhere<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    to: { readonly datacenter: string; readonly token: string },
  ): Promise<Result<Reply, Failure>>
  /** Confirms that no other server has led until now; fails if this server does not lead. Proposes nothing. */
  leads(): Promise<Result<undefined, Failure>>
  /** The whole state, in pieces, for callers that save a copy of it. */
  readonly archives: StateArchives
  /** Checks the received pieces of a state that is to replace this one. */
  readonly coming: ComingStateCheck
  /** The running duty; undefined while this server does not lead, or has not started its duties yet. */
  duty<Running extends RunningDuty>(duty: LeaderDuty<Running>): Running | undefined
  /** Calls `use` once, after a batch of commands, when something that `look` read has changed. */
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
  /** The leader's view of its servers; undefined: this server does not lead, or has not looked yet. */
  health(): ClusterHealth | undefined
  /** Servers that this one knows: by ID, name and RPC address. */
  servers(): readonly KnownServer[]
  /** Sends an event to all agents of the datacenter; fails if it is too large. */
  fireEvent(name: string, payload: Uint8Array): Result<undefined, string>
  /** Asks every member of a pool to perform an operation on its keys; undefined: this server is not in that pool. */
  keys(pool: 'lan' | 'wan', request: KeyRequest): Promise<Result<KeyAnswers, string>> | undefined
  /** Servers of all datacenters that have not left; undefined: this one is not in their pool. */
  wan(): WanView | undefined
}

/**
 * An endpoint of a server. `write`: served by the leader. `query`: a read of the store; the caller's consistency mode
 * decides which server answers, and blocking is generic. `server`: served by whichever server is asked.
 */
export type EndpointDefinition = WriteEndpoint | QueryEndpoint | ServerEndpoint

export interface WriteEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'write'
  readonly args: z.ZodType<Args>
  /** Checked by the asking agent, for the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
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
  /** Checked by the asking agent, for the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
  readonly access: ReadAccess<Args, Reply>
  /**
   * Pure in the transaction, the arguments, and the server's release: the newest one if absent. `index` is the one at
   * which this result last changed; 0 is answered as 1.
   */
  query(tx: ReadTransaction, args: Args, release?: Release): { readonly index: ModifyIndex; readonly value: Reply }
  /** Why this server does not answer at all, whatever the state; undefined: it does. */
  unavailable?(server: Pick<ServerContext, 'mesh'>): Failure | undefined
  /**
   * False: results are not cached, because they are made of data that the store does not hold anyway, and are rarely
   * requested twice.
   */
  readonly kept?: false
  /** Names of the metrics that count an answer. */
  counts?(args: Args, value: Reply): readonly string[]
  /** What is sent to other agents in place of a value that is not plain data. */
  packed?(value: Reply): unknown
}

export interface ServerEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'server'
  readonly args: z.ZodType<Args>
  /** Checked by the asking agent, for the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
  /** Asks the leader unless the caller said `stale`. */
  readonly leader: boolean
  readonly access: Access<Args>
  serve(server: ServerContext, args: Args, authorizer: Authorizer): Promise<Result<Reply, Failure>>
}

export interface RunningDuty extends Closable {
  /**
   * Sets its gauges. Called every few seconds, because gauges that are set only at changes are missing in most
   * intervals of the metrics.
   */
  measure?(): void
}

/**
 * Work that only the leader does, from the moment when it has applied its own term's first entry until it loses
 * leadership.
 */
export interface LeaderDuty<Running extends RunningDuty = RunningDuty> {
  readonly name: string
  /** Starts it; the result is closed when leadership ends, and its timers and proposals must end then. */
  start(server: ServerContext): Running
}

export interface KnownServer {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly raftProtocol: number
}

/** The pool of the servers of all datacenters. */
export interface WanView {
  /** The coordinate of this server in that pool. */
  readonly own: Coordinate | undefined
  /** In order of name. */
  readonly servers: readonly WanServer[]
}

interface WanServer {
  /** `n1.dc1`. */
  readonly name: string
  readonly datacenter: string
  readonly coordinate: Coordinate | undefined
}

/**
 * Measures how long a server takes for something, including failures: a metric with this name, in milliseconds.
 * Reference: telemetry.md#server-metrics.
 */
export async function measured<T>(
  { env }: Pick<ServerContext, 'env'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = env.clock.monoMs()
  const done = await work()
  env.metrics.sample(name, env.clock.monoMs() - startedMs)
  return done
}
