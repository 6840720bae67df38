import type { AgentConfig, AgentPorts } from '../../agent/settings/agent-config.ts'
import { endpointText } from '../../env/net.ts'
import { isAddress } from '../../rpc/address.ts'
import type { FileConfig } from '../schema.ts'
import type { Report } from './values.ts'

const portMax = 65_535
const portRemedy = 'write a port from 1 to 65535, or -1 for none'

/** A port of 0 or below is closed. Reference: configuration.md#port-dns-http. */
export function portsOf(file: FileConfig, server: boolean, defaults: AgentPorts, problem: Report): AgentPorts {
  const given = file.ports ?? {}
  const open = (port: number | undefined, otherwise: number): number =>
    port === undefined ? otherwise : port <= 0 ? -1 : port
  const ports: AgentPorts = {
    http: open(given.http, defaults.http),
    https: open(given.https, defaults.https),
    dns: open(given.dns, defaults.dns),
    grpc: open(given.grpc, defaults.grpc),
    server: open(given.server, defaults.server),
    serfLan: open(given.serf_lan, defaults.serfLan),
    serfWan: open(given.serf_wan, defaults.serfWan),
  }
  for (const [name, port] of Object.entries(given)) {
    if (port !== undefined && port > portMax) problem(`ports.${name} cannot be ${port}`, portRemedy, `ports.${name}`)
  }
  if (server && ports.server < 0)
    problem(
      `ports.server cannot be ${given.server}`,
      'a server needs a port from 1 to 65535 for other agents',
      'ports.server',
      ['server'],
    )
  if (ports.serfLan < 0)
    problem(
      `ports.serf_lan cannot be ${given.serf_lan}`,
      'an agent needs a port from 1 to 65535 for gossip',
      'ports.serf_lan',
    )
  return ports
}

/**
 * Addresses that a face listens on, as one text separated by spaces. `key` is the setting of the text; `sockets`:
 * `unix://` and an absolute path is accepted, too.
 */
export function listenAddresses(key: string, text: string, problem: Report, sockets = false): readonly string[] {
  const addresses = text.split(' ').filter((address) => address !== '')
  for (const address of addresses) {
    if (sockets && /^unix:\/\/\/./.test(address)) continue
    if (address.startsWith('unix:')) problem(`${key} "${address}" cannot be a unix socket`, socketRemedy, key)
    else if (!isAddress(address))
      problem(`${key} "${address}" is not an IP address`, 'write addresses such as 127.0.0.1 or 0.0.0.0', key)
  }
  if (addresses.length === 0) problem(`${key} cannot be empty`, 'write an address such as 127.0.0.1', key)
  return addresses
}

const socketRemedy = 'addresses.http and addresses.https take unix:///<path>'

/** The listen address of a pool. */
export function serfBind(key: 'serf_lan' | 'serf_wan', file: FileConfig, otherwise: string, problem: Report): string {
  const given = file[key] ?? otherwise
  if (!isAddress(given)) problem(`${key} "${given}" must be an ip address`, 'write an IP address', key)
  return given
}

/** Keys that set where a listener listens. */
const placing = [
  'ports',
  'ports.*',
  'addresses',
  'addresses.*',
  'client_addr',
  'bind_addr',
  'advertise_addr',
  'advertise_addr_wan',
  'server',
] as const

/** No two listeners may share an address. Reference: configuration.md#address-clashes. */
export function checkAddressClash(config: AgentConfig, file: FileConfig, problem: Report): void {
  const given: Readonly<Record<string, number | undefined>> = file.ports ?? {}
  const { ports, server, advertiseAddress } = config
  const claims: readonly (readonly [who: string, hosts: readonly string[], port: number, key: string])[] = [
    ['DNS', config.dnsAddresses, ports.dns, 'dns'],
    ['HTTP', config.clientAddresses, ports.http, 'http'],
    ['HTTPS', config.httpsAddresses, ports.https, 'https'],
    ['RPC Advertise', server ? [advertiseAddress] : [], ports.server, 'server'],
    ['Serf Advertise LAN', [advertiseAddress], ports.serfLan, 'serf_lan'],
    ['Serf Advertise WAN', server ? [config.wan.advertiseAddress] : [], ports.serfWan, 'serf_wan'],
  ]
  const taken = new Map<string, { readonly who: string; readonly key: string }>()
  for (const [who, hosts, port, key] of claims) {
    if (port < 0) continue
    for (const host of hosts) {
      const isSocket = host.startsWith('unix:')
      const at = isSocket ? host : endpointText({ host, port })
      const before = taken.get(at)
      if (before !== undefined && before.who !== who) {
        const message = `${who} address ${at} already configured for ${before.who}`
        // The later one may have its default port.
        const told = given[key] === undefined ? before.key : key
        if (isSocket) problem(message, 'choose another path for one of them', `addresses.${key}`, placing)
        else problem(message, 'choose another port for one of them', `ports.${told}`, placing)
      }
      taken.set(at, { who, key })
    }
  }
}
