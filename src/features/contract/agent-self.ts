import type { Json } from '../../base/json.ts'
import type { Endpoint } from '../../env/net.ts'

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
