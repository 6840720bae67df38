import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { Release } from '../../model/release.ts'
import type { TrustDomains } from '../../pki/trust-domains.ts'
import type { AgentAccess } from './access-control.ts'
import type { AgentSelf } from './agent-self.ts'
import type { CallOptions, Freshness } from './call.ts'
import type { LocalAgent, ReceivedEvents } from './local-agent.ts'
import type { MeshLeaves } from './mesh.ts'
import type { Answer, CachedAnswer, ReadOptions } from './reading.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from './server-context.ts'
import type { TelemetryView } from './telemetry-view.ts'

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
  /** How its metrics are named, and which of them Prometheus gets. */
  readonly telemetry: TelemetryView
  /** Reads of catalog and health that name no consistency are `stale` and no older than this; 0: they are not. */
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
