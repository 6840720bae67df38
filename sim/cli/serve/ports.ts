import { endpointText } from '../../../src/env/net.ts'

/** HTTP ports of the agents follow the command's own port; their DNS ports begin a hundred further on. */
const dnsFrom = 100
/** Maximum number of agents that get ports. */
export const agentsMax = dnsFrom - 1
/** With as many servers as a cluster may have, this many clients still get ports. */
export const clientsMax = 80
/** The highest port of the command itself: two hundred more follow it. */
export const portMax = 65_300

export interface AgentPorts {
  readonly http: number
  readonly dns: number
}

/** The ports of the agent at this position in the list, from 0 on. */
export function portsOf(port: number, at: number): AgentPorts {
  return { http: port + 1 + at, dns: port + dnsFrom + 1 + at }
}

/** A line of headings, and one for each agent. */
export function portTable(host: string, port: number, nodes: readonly string[]): string {
  const rows = nodes.map((node, at) => {
    const { http, dns } = portsOf(port, at)
    return [node, endpointText({ host, port: http }), endpointText({ host, port: dns })] as const
  })
  const lines = [['agent', 'HTTP', 'DNS (UDP and TCP)'] as const, ...rows]
  return lines.map(([node, http, dns]) => `${node.padEnd(8)}${http.padEnd(24)}${dns}\n`).join('')
}
