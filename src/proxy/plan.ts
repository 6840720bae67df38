import type { Endpoint } from '../env/net.ts'

/** What a proxy is to do. */
export interface ProxyPlan {
  /** For which it stands: its leaf says so. */
  readonly service: string
  /** Undefined: nobody reaches the service through this proxy. */
  readonly inbound: InboundPlan | undefined
  readonly upstreams: readonly UpstreamPlan[]
}

export interface InboundPlan {
  /** Where others connect, by mutual TLS. */
  readonly listen: Endpoint
  /** Where the service itself listens; the host may be a name. */
  readonly local: Endpoint
  readonly connectTimeoutMs: number
}

export interface UpstreamPlan {
  readonly type: 'service' | 'prepared_query'
  readonly name: string
  /** Empty: that of the agent. */
  readonly datacenter: string
  /** Where the local service connects, without TLS. */
  readonly listen: Endpoint
  readonly connectTimeoutMs: number
}

export const localConnectTimeoutMs = 1_000
export const upstreamConnectTimeoutMs = 10_000
