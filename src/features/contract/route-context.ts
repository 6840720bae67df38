import type { Authorizer } from '../../access/authorizer.ts'
import type { Json } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Endpoint } from '../../env/net.ts'
import type { Labels } from '../../env/observe.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { TrustDomains } from '../../pki/trust-domains.ts'
import type { AgentAccess } from './access-control.ts'
import type { CallOptions, Freshness } from './call.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from './endpoint.ts'
import type { LocalServices, ReceivedEvents } from './local-services.ts'
import type { MeshLeaves } from './mesh.ts'
import type { Answer, CachedAnswer, ReadOptions } from './reading.ts'
import type { WithEnv, WithNaming, WithRelease } from './surroundings.ts'

/**
 * What every HTTP route is handed: the agent that answers, server or client, as routes see it. Each route declares only
 * the parts that it uses, so that a reader knows what it can do, and a test builds no more than that.
 */
export interface RouteContext
  extends WithEnv,
    WithRelease,
    WithNaming,
    WithAliases,
    WithWrites,
    WithQueries,
    WithCachedReads,
    WithServerCalls,
    WithRights,
    WithAccess,
    WithMesh,
    WithTelemetry,
    WithReadiness,
    WithSelf,
    WithLocal,
    WithPools,
    WithUserEvents,
    WithJoining,
    WithLife {}

export interface WithAliases {
  /** Other names of the product: clients may send any of them in a value that names the product. */
  readonly aliases: readonly string[]
}

export interface WithWrites {
  /** Sends a write to the leader, wherever it is, and holds it over a leader change for at most the hold time. */
  write<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>>
}

export interface WithQueries {
  query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>>
}

export interface WithCachedReads {
  /** As `query`, from this agent's cache, which it keeps fresh; asks any server for answers that are not cached. */
  cached<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<CachedAnswer<Reply>, Failure>>
  /**
   * Reads of catalog and health without a consistency mode are `stale`, with at most this staleness; 0: they are not.
   */
  readonly discoveryMaxStaleMs: number
}

export interface WithServerCalls {
  ask<Args, Reply>(
    endpoint: ServerEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>>
}

export interface WithRights {
  /** The rights of a call's token on this agent, for what the agent answers itself. */
  authorizer(call: CallOptions): Promise<Result<Authorizer, Failure>>
}

export interface WithAccess {
  /** Undefined: access control is off. */
  readonly accessControl?: AgentAccess | undefined
}

export interface WithMesh {
  /** The trust domains whose certificates are accepted in the mesh. Undefined: the servers have no mesh. */
  trustDomains(): Promise<Result<TrustDomains | undefined, Failure>>
  /** Leaves for the proxies on its node; undefined: its release has no mesh. */
  readonly mesh?: MeshLeaves | undefined
}

export interface WithTelemetry {
  /** Names of its metrics, and its output for Prometheus. */
  readonly telemetry: TelemetryView
}

export interface WithReadiness {
  /** Why this agent is not ready: it has not joined, knows no leader, lags, or is leaving. Empty: it is ready. */
  reasonsNotReady(): readonly string[]
}

export interface WithSelf {
  /** This agent's description of itself, for `/v1/agent/self` and others. */
  self(): AgentSelf
}

export interface WithLocal {
  /** The services and checks of this agent. */
  readonly local: LocalServices
}

export interface WithPools {
  /** The pool of all agents of the datacenter. */
  readonly lan: Pool
  /** The pool of the servers of all datacenters; undefined on a client, and where it is closed. */
  readonly wan: Pool | undefined
}

export interface WithUserEvents {
  /** User events that this agent has received and that concern it. */
  readonly events: ReceivedEvents
}

export interface WithJoining {
  /** Joins the pool through each of these addresses (`host:port`): returns how many answered, or why none did. */
  join(addresses: readonly string[]): Promise<Result<number, string>>
  /** As `join`, for the pool of all datacenters. */
  joinWan(addresses: readonly string[]): Promise<Result<number, string>>
}

export interface WithLife {
  /**
   * Leaves the pool and, on a server, the Raft configuration, in order; then the agent ends. Settles before it ends.
   */
  leave(): Promise<Result<undefined, Failure>>
  /** Reads the configuration again and applies what may change at run time; if it fails, nothing changes. */
  reload(): Promise<Result<undefined, Failure>>
}

/** An agent's telemetry as routes see it. */
export interface TelemetryView {
  /** Prefix of all metrics; may be empty. */
  readonly prefix: string
  /** Labels of metrics that name the agent's node. */
  readonly node: Labels
  /** In the text format of Prometheus; undefined: no metrics are kept for it. */
  exposition(): string | undefined
}

/** An agent's description of itself. */
export interface AgentSelf {
  readonly nodeName: string
  readonly nodeId: string
  readonly datacenter: string
  readonly server: boolean
  readonly version: string
  readonly revision: string
  readonly advertise: Endpoint
  readonly nodeMeta: Readonly<Record<string, string>>
  /** Answers about nodes of another datacenter contain addresses that can be reached from outside it. */
  readonly translatesAddresses: boolean
  /** `enable_debug`: profiles of the process can be fetched where access control is off. */
  readonly isDebugged: boolean
  /** The whole effective configuration, flat, secrets hidden. */
  readonly debugConfig: { readonly [key: string]: Json }
  /** Sections of text values, as `svc info` shows them. */
  readonly stats: Readonly<Record<string, Readonly<Record<string, string>>>>
}
