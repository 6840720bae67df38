import type { z } from 'zod'
import type { Authorizer } from '../access/authorizer.ts'
import type { Json } from '../base/json.ts'
import type { Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { HttpHeaders, HttpStream } from '../env/http.ts'
import type { KeyAnswers, KeyRequest, Pool } from '../gossip/pool.ts'
import type { Failure } from '../model/failure.ts'
import type { Behaviour, Release } from '../model/release.ts'
import type { ClusterHealth } from '../model/server-health.ts'
import type { TrustDomains } from '../pki/trust-domains.ts'
import type { Raft } from '../raft/raft.ts'
import type { ReadTransaction, Row, StateHook, TableDefinition, WriteTransaction } from '../store/types.ts'
import type { Access, ReadAccess } from './access.ts'
import type { AgentAccess, ServerAccess } from './access-control.ts'
import type { AgentSelf } from './agent-self.ts'
import type { CacheUse } from './cache-use.ts'
import type { CallOptions, Freshness } from './call.ts'
import type { MeshFederation } from './federation.ts'
import type { KnownServer, WanView } from './known-servers.ts'
import type { LocalAgent, ReceivedEvents } from './local-agent.ts'
import type { MeshLeaves } from './mesh.ts'
import type { MeshSettings } from './mesh-settings.ts'
import type { OperationFacts, PathRest, QueryParameter } from './operation.ts'
import type { TelemetryView } from './telemetry-view.ts'
import type { ComingStateCheck, StateArchives, WholeState } from './whole-state.ts'

export type { CallOptions, Freshness } from './call.ts'

/** What a feature is made of: the parts that its folder holds, named in its `feature.ts`. */
export interface Feature {
  readonly name: string
  readonly tables?: readonly TableDefinition<Row>[]
  readonly commands?: readonly CommandDefinition[]
  /**
   * What this feature does in its own tables when something happens in another's, within the same transaction. Hooks of one
   * event run in the order of the list of features, then of this list.
   */
  readonly hooks?: readonly StateHook[]
  readonly endpoints?: readonly EndpointDefinition[]
  readonly routes?: readonly Route[]
  readonly duties?: readonly LeaderDuty[]
}

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
  apply(tx: WriteTransaction, body: Body, whole?: WholeState): Outcome
  /** What is kept of an outcome that could be large, for a repetition of the same write; all of it if absent. */
  remembered?(outcome: Outcome): Outcome
}

export type Consistency = 'default' | 'consistent' | 'stale'

/** What a caller may ask of any read. */
export interface ReadOptions {
  readonly consistency: Consistency
  /** Wait until the result's index is greater; 0 answers at once. */
  readonly minIndex: number
  /** How long at most; 0 takes the default. */
  readonly waitMs: number
  /** With `stale`: ask the leader instead when this server's knowledge is older. 0: any age. */
  readonly maxStaleMs: number
  /** Another datacenter's name, or empty for the agent's own. */
  readonly datacenter: string
}

/** What every answer to a read carries besides its value. */
export interface ReadMeta {
  /** Index at which this result last changed; never 0. */
  readonly index: number
  readonly knownLeader: boolean
  /** Milliseconds since the answering server heard from the leader; 0 on the leader. */
  readonly lastContactMs: number
}

export interface Answer<T> {
  readonly value: T
  readonly meta: ReadMeta
  /** Where others on this agent get the same value. */
  readonly forms?: ResultForms
  /** Absent where another agent has answered. */
  standing?(): Standing
}

/** For who keeps what it made of an answer. It holds nothing of the answer itself. */
export interface Standing {
  /** What the same question is told now, where that is the same value for certain; undefined: it may be another. */
  now(): ReadMeta | undefined
}

/** Encoded forms of one value, each made once for all who get it and kept for as long as the value is. */
export interface ResultForms {
  /** `form` names everything on which the bytes depend besides the value. They must not be changed. */
  bytesOf(form: string, make: () => Uint8Array): Uint8Array
}

/** An answer that the agent may have kept: `hit` says so, and `ageMs` for how long it may have been out of date. */
export interface CachedAnswer<T> {
  readonly answer: Answer<T>
  readonly hit: boolean
  readonly ageMs: number
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
  /** Makes sure that no other server has led until now; a failure if this one does not lead. */
  leads(): Promise<Result<undefined, Failure>>
  /** The whole state, to be read piece by piece by who keeps a copy of it outside. */
  readonly archives: StateArchives
  /** The state whose pieces have come, to take the place of this one. */
  readonly coming: ComingStateCheck
  /** What this duty is doing now; undefined while this server does not lead, or has not begun its duties yet. */
  duty<Running extends Closable>(duty: LeaderDuty<Running>): Running | undefined
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

/** Work that only the leader does, from the moment it has caught up with its own term until it loses leadership. */
export interface LeaderDuty<Running extends Closable = Closable> {
  readonly name: string
  /** Begins it; what it returns is closed when leadership ends. Its timers and proposals must end then. */
  start(server: ServerContext): Running
}

/** One agent, server or client, as HTTP routes see it. */
export interface AgentContext {
  readonly env: Env
  readonly release: Release
  /** Names beside the product's own under which clients know it: a value that names the product may say one of them. */
  readonly aliases: readonly string[]
  /** Sends a write to the leader, wherever it is, and holds it over a leader change for at most the hold time. */
  write<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>>
  query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>>
  /** The same from what this agent keeps of earlier answers, and keeps fresh. Asks any server for what it has not. */
  cached<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<CachedAnswer<Reply>, Failure>>
  ask<Args, Reply>(
    endpoint: ServerEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>>
  /** What the token of a call may do on this agent, for what it answers by itself. */
  authorizer(call: CallOptions): Promise<Result<Authorizer, Failure>>
  /** Undefined: access control is off. */
  readonly accessControl?: AgentAccess | undefined
  /** Whose certificates count in the mesh. Undefined: the servers have no mesh. */
  trustDomains(): Promise<Result<TrustDomains | undefined, Failure>>
  /** What it keeps for the proxies on its node; undefined: its release knows of no mesh. */
  readonly mesh?: MeshLeaves | undefined
  /** How its metrics are named, and what Prometheus is told of them. */
  readonly telemetry: TelemetryView
  /** Catalog and health are read `stale` and no older than this by who does not say otherwise; 0: they are not. */
  readonly discoveryMaxStaleMs: number
  /** Why this agent should not be asked just now: it has not joined, knows no leader, lags, leaves. None: it is ready. */
  reasonsNotReady(): readonly string[]
  /** Facts about this agent, for `/v1/agent/self` and the like. */
  self(): AgentSelf
  /** What this agent itself offers and checks. */
  readonly local: LocalAgent
  /** The pool of all agents of the datacenter. */
  readonly lan: Pool
  /** The pool of the servers of all datacenters; undefined on a client, and where it is closed. */
  readonly wan: Pool | undefined
  /** User events that this agent has heard and that concern it. */
  readonly events: ReceivedEvents
  /** Joins the pool through each of these addresses (`host:port`): how many answered, or why none did. */
  join(addresses: readonly string[]): Promise<Result<number, string>>
  /** The same of the pool of all datacenters. */
  joinWan(addresses: readonly string[]): Promise<Result<number, string>>
  /** Leaves the pool, and on a server the consensus group, in order; then the agent ends itself. Settled before it ends. */
  leave(): Promise<Result<undefined, Failure>>
  /** Reads the configuration again and takes over what can change while the agent runs; otherwise nothing changes. */
  reload(): Promise<Result<undefined, Failure>>
}

export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** One row of the route table. */
export interface Route {
  /**
   * `/v1/status/leader` matches exactly. A path that ends in `/` matches everything below it, and `rest` is what follows;
   * asked for without its slash it redirects to it.
   */
  readonly path: string
  /** What brought it: to an agent of a release without that the path is unknown. */
  readonly since?: Behaviour
  /** What follows a path that ends in `/`; such a path has it, and no other. */
  readonly rest?: PathRest
  /** Of a path that ends in `/`: only what is one segment below it and ends in this one; `rest` is that one segment. */
  readonly below?: string
  /** The largest body that it takes, in bytes, where that is more than others take (env/http, `bodyBytesMax`). */
  readonly bodyBytesMax?: number
  /** The line for a body that no request may carry (env/http, `bodyBytesMax`), where the endpoint's own limit is lower. */
  readonly tooLarge?: string
  readonly operations: Operations
  /**
   * Of a path that ends in `/`: what is asked for where `rest` ends so (`/execute`), which is then cut off. Such a route
   * answers verbs as the field does there: 405 does not name OPTIONS, and OPTIONS has a body. Reference: HTTP API 1.2.
   */
  readonly endings?: Readonly<Record<string, Operations>>
}

/** By method, in the order in which `Allow` names them. */
export type Operations = { readonly [Method in HttpMethod]?: Operation }

/** Made with `declared` (declared.ts), which holds the handler to the parameters that are named. */
export interface Operation extends OperationFacts {
  readonly query: readonly QueryParameter[]
  readonly handle: Handle<string>
}

/** `Name`: the parameters of the query that it may read. */
export type Handle<Name extends string = never> = (
  agent: AgentContext,
  request: RouteRequest<Name>,
) => Promise<RouteResponse>

export interface RouteRequest<Name extends string = never> {
  readonly method: HttpMethod
  /** What follows a prefix route's path, percent-decoded once, as a byte string. */
  readonly rest: string
  readonly query: QueryParameters<Name>
  readonly headers: HttpHeaders
  readonly body: Uint8Array
  readonly call: CallOptions
}

/**
 * Decoded query parameters, in the order sent. `?a` counts as present with the value ''. Only those can be read that the
 * operation declares (members are functions, not methods, for only then does the compiler see to it).
 */
export interface QueryParameters<Name extends string = string> {
  readonly has: (name: Name) => boolean
  /** The first value, or undefined. */
  readonly get: (name: Name) => string | undefined
  readonly all: (name: Name) => readonly string[]
  /** Names and values, sorted by name, encoded again. */
  readonly encoded: () => string
}

export type RouteResponse =
  | {
      readonly kind: 'json'
      readonly value: Json
      readonly meta?: ReadMeta
      readonly status?: number
      readonly consistency?: Consistency
      readonly cache?: CacheUse
      /** Names what the value says, for a caller who waits until it says something else. Reference: HTTP API 4.5. */
      readonly contentHash?: string
      /** Of a lock that was acquired: grows with every holder that the key has. */
      readonly fence?: number
      /** No index of the state: of a list of user events, in no order; of what this agent keeps. */
      readonly ownIndex?: bigint
      /** Of a read whose answer has no index. */
      readonly contact?: Pick<ReadMeta, 'knownLeader' | 'lastContactMs'>
    }
  /** JSON of a value that others get, too: it is made and encoded once. `form` names what of the value it shows, and how. */
  | {
      readonly kind: 'shared-json'
      readonly forms: ResultForms
      readonly form: string
      readonly json: () => Json
      readonly meta: ReadMeta
      readonly consistency?: Consistency
      readonly cache?: CacheUse
    }
  /** Goes on until its reader leaves; no content type. */
  | { readonly kind: 'stream'; readonly stream: HttpStream }
  /** No body and no content type. */
  | { readonly kind: 'empty'; readonly status: number; readonly meta?: ReadMeta }
  | {
      readonly kind: 'text'
      readonly text: string
      readonly status: number
      readonly meta?: ReadMeta
      /** The content type, where it is more than text. */
      readonly type?: string
    }
  /** Bytes as they are; the type is sniffed as the field does, unless it is known. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly meta?: ReadMeta; readonly contentType?: string }
  /** `meta`: what the field says of some reads though they failed. */
  | { readonly kind: 'failure'; readonly failure: Failure; readonly meta?: ReadMeta }
