import type { DnsConfig } from '../agent/agent-config.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'
import type { AgentContext } from '../features/manifest.ts'

export type DnsTransport = 'udp' | 'tcp'

/** The one answerer of DNS messages, for both worlds: it touches the world only through the agent it asks. */
export interface DnsFace {
  /** A message in, a message out; undefined: silence. Never rejects. */
  answer(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Promise<Uint8Array | undefined>
}

export interface DnsFaceOptions {
  readonly env: Env
  readonly agent: AgentContext
  readonly config: DnsConfig
  /** The agent's own. */
  readonly datacenter: string
}

export function createDnsFace(_options: DnsFaceOptions): DnsFace {
  throw new Error('DNS is not answered yet')
}
