import type { Authorizer } from '../../access/authorizer.ts'
import type { Json } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint } from '../../env/net.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { Release } from '../../model/release.ts'
import type { TrustDomains } from '../../pki/trust-domains.ts'
import type { AgentAccess } from './access-control.ts'
import type { CallOptions, Freshness } from './call.ts'
import type { LocalAgent, ReceivedEvents } from './local-agent.ts'
import type { MeshLeaves } from './mesh.ts'
import type { Answer, CachedAnswer, ReadOptions } from './reading.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from './server-context.ts'

/** One agent, server or client, as HTTP routes see it. */
export interface AgentContext {
  readonly env: Env
  readonly release: Release
  /** Other names of the product: clients may send any of them in a value that names the product. */
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
  /** As `query`, from this agent's cache, which it keeps fresh; asks any server for answers that are not cached. */
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
  /** The rights of a call's token on this agent, for what the agent answers itself. */
  authorizer(call: CallOptions): Promise<Result<Authorizer, Failure>>
  /** Undefined: access control is off. */
  readonly accessControl?: AgentAccess | undefined
  /** The trust domains whose certificates are accepted in the mesh. Undefined: the servers have no mesh. */
  trustDomains(): Promise<Result<TrustDomains | undefined, Failure>>
  /** Leaves for the proxies on its node; undefined: its release has no mesh. */
  readonly mesh?: MeshLeaves | undefined
  /** Names of its metrics, and its output for Prometheus. */
  readonly telemetry: TelemetryView
  /**
   * Reads of catalog and health without a consistency mode are `stale`, with at most this staleness; 0: they are not.
   */
  readonly discoveryMaxStaleMs: number
  /** Why this agent is not ready: it has not joined, knows no leader, lags, or is leaving. Empty: it is ready. */
  reasonsNotReady(): readonly string[]
  /** This agent's description of itself, for `/v1/agent/self` and others. */
  self(): AgentSelf
  /** The services and checks of this agent. */
  readonly local: LocalAgent
  /** The pool of all agents of the datacenter. */
  readonly lan: Pool
  /** The pool of the servers of all datacenters; undefined on a client, and where it is closed. */
  readonly wan: Pool | undefined
  /** User events that this agent has received and that concern it. */
  readonly events: ReceivedEvents
  /** Joins the pool through each of these addresses (`host:port`): returns how many answered, or why none did. */
  join(addresses: readonly string[]): Promise<Result<number, string>>
  /** As `join`, for the pool of all datacenters. */
  joinWan(addresses: readonly string[]): Promise<Result<number, string>>
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
  /** The whole effective configuration, flat, secrets hidden. */
  readonly debugConfig: { readonly [key: string]: Json }
  /** Sections of text values, as `svc info` shows them. */
  readonly stats: Readonly<Record<string, Readonly<Record<string, string>>>>
}
