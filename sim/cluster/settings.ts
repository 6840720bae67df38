import type { AgentConfig } from '../../src/agent/agent-config.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Machine } from '../../src/env/process.ts'
import { httpPort, lanPort, type NodeIdentity, serverPort } from './node-identity.ts'

/**
 * The configuration of one simulated server: what the scenario sets, in the words and through the checks of a real
 * configuration file, and what makes it this node of this cluster.
 */
export function serverConfig(
  identity: NodeIdentity,
  servers: readonly NodeIdentity[],
  settings: FileConfig,
  machine: Machine,
): AgentConfig {
  const local = servers.filter((server) => server.datacenter === identity.datacenter)
  const file: FileConfig = {
    ...settings,
    server: true,
    node_name: identity.name,
    node_id: identity.id,
    datacenter: identity.datacenter,
    bind_addr: identity.host,
    client_addr: identity.host,
    data_dir: '/data',
    ports: { http: httpPort, server: serverPort, serf_lan: lanPort, dns: -1 },
    bootstrap_expect: local.length,
    retry_join: local.filter((server) => server !== identity).map((server) => `${server.host}:${lanPort}`),
  }
  const normalized = normalize(file, false, machine)
  if (normalized.ok) return normalized.value.config
  const problem = normalized.error[0]
  throw new InvariantViolation('a scenario that was checked has settings that no agent takes', {
    node: identity.name,
    problem: problem?.message,
  })
}
