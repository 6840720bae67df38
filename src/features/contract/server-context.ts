import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { KeyAnswers, KeyRequest } from '../../gossip/pool.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import type { Failure } from '../../model/failure.ts'
import type { KeyCare } from '../../model/limits.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import type { Raft } from '../../raft/raft.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { ServerAccess } from './access-control.ts'
import type { CommandDefinition, WriteIdentity } from './command.ts'
import type { LeaderDuty, RunningDuty } from './duty.ts'
import type { EndpointDefinition, QueryEndpoint, WriteEndpoint } from './endpoint.ts'
import type { MeshFederation, WithMeshSettings } from './mesh.ts'
import type { Answer, ReadOptions } from './reading.ts'
import type { WithEnv, WithNaming, WithRelease } from './surroundings.ts'
import type { ComingStateCheck, StateArchives } from './whole-state.ts'

/**
 * A server as its endpoints and duties see it. Each of them declares only the parts that it uses, so that a reader
 * knows what it can do, and a test builds no more than that.
 */
export interface ServerContext
  extends WithEnv,
    WithRelease,
    WithNaming,
    WithState,
    WithProposals,
    WithWatches,
    WithWholeState,
    WithConsensus,
    WithDuties,
    WithServers,
    WithEventSending,
    WithPoolKeys,
    WithPlace,
    WithDatacenters,
    WithServerAccess,
    WithMeshSettings,
    WithFederation,
    WithSessionSettings,
    WithKeyCare {}

/** An endpoint that a server can serve, whatever part of it the endpoint uses. */
export type ServedEndpoint = EndpointDefinition<ServerContext>

/** A duty that a server can run, whatever part of it the duty uses. */
export type ServerDuty = LeaderDuty<RunningDuty, ServerContext>

export interface WithState {
  /** The present state. */
  read(): ReadTransaction
}

export interface WithProposals {
  /** Replicates a command with the identity of the call that it serves, and returns the result of `apply`. */
  propose<Body, Outcome>(
    command: CommandDefinition<Body, Outcome>,
    body: Body,
    identity?: WriteIdentity,
  ): Promise<Result<Outcome, Failure>>
  /**
   * The outcome of an earlier attempt of the call, or a failure if it is too old to tell; undefined if no attempt has
   * taken effect here. For calls whose rights depend on what they change: a call that is sent again, because its answer
   * was lost, must not be refused because its first attempt succeeded. The rights of that attempt were judged.
   */
  earlier<Body, Outcome>(
    command: CommandDefinition<Body, Outcome>,
    identity: WriteIdentity | undefined,
  ): Result<Outcome, Failure> | undefined
}

export interface WithWatches {
  /** Calls `use` once, after a batch of commands, when something that `look` read has changed. */
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
}

export interface WithWholeState {
  /** The whole state, in pieces, for callers that save a copy of it. */
  readonly archives: StateArchives
  /** Checks the received pieces of a state that is to replace this one. */
  readonly coming: ComingStateCheck
}

export interface WithConsensus {
  readonly raft: Raft
  /** Confirms that no other server has led until now; fails if this server does not lead. Proposes nothing. */
  leads(): Promise<Result<undefined, Failure>>
}

export interface WithDuties {
  /** The running duty; undefined while this server does not lead, or has not started its duties yet. */
  duty<Running extends RunningDuty>(duty: LeaderDuty<Running>): Running | undefined
}

/** The servers of this datacenter. */
export interface WithServers {
  /** The leader's view of its servers; undefined: this server does not lead, or has not looked yet. */
  health(): ClusterHealth | undefined
  /** Servers that this one knows: by ID, name and RPC address. */
  servers(): readonly KnownServer[]
}

export interface WithEventSending {
  /** Sends an event to all agents of the datacenter; fails if it is too large. */
  fireEvent(name: string, payload: Uint8Array): Result<undefined, string>
}

export interface WithPoolKeys {
  /** Asks every member of a pool to perform an operation on its keys; undefined: this server is not in that pool. */
  keys(pool: 'lan' | 'wan', request: KeyRequest): Promise<Result<KeyAnswers, string>> | undefined
}

export interface WithPlace {
  readonly datacenter: string
  /** By its configuration, whether its datacenter is the primary one, or there is no primary. */
  readonly isPrimary: boolean
}

export interface WithDatacenters {
  /** Servers of all datacenters that have not left; undefined: this one is not in their pool. */
  wan(): WanView | undefined
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
}

export interface WithServerAccess {
  /** Undefined: access control is off. */
  readonly accessControl?: ServerAccess | undefined
}

export interface WithFederation {
  /** Undefined: the authority of this datacenter stands alone, or is the primary one. */
  readonly federation?: MeshFederation | undefined
}

export interface WithSessionSettings {
  /** Minimum TTL that a session may have. */
  readonly sessionTtlMinMs: number
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

export interface WithKeyCare {
  /** Absent: that of production. */
  readonly keyCare?: KeyCare | undefined
}
