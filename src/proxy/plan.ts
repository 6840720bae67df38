import type { Endpoint } from '../env/net.ts'

/** Where a proxy listens, and where it connects. */
export interface ProxyPlan {
  /** The service that it represents by its leaf. */
  readonly service: string
  /** Undefined: the service is not reached through this proxy. */
  readonly inbound: InboundPlan | undefined
  readonly upstreams: readonly UpstreamPlan[]
}

export interface InboundPlan {
  /** Listen address for others, by mutual TLS. */
  readonly listen: Endpoint
  /** Address of the service itself; the host may be a name. */
  readonly local: Endpoint
  readonly connectTimeoutMs: number
}

export interface UpstreamPlan {
  readonly type: 'service' | 'prepared_query'
  readonly name: string
  /** Empty: the agent's datacenter. */
  readonly datacenter: string
  /** Listen address for the local service, without TLS. */
  readonly listen: Endpoint
  readonly connectTimeoutMs: number
}

export const localConnectTimeoutMs = 1_000
export const upstreamConnectTimeoutMs = 10_000
