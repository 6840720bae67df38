import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import { endpointText } from '../../env/net.ts'
import type { Shown } from './values.ts'

type Listening = Pick<
  AgentConfig,
  | 'advertiseAddress'
  | 'bindAddress'
  | 'clientAddresses'
  | 'dnsAddresses'
  | 'httpsAddresses'
  | 'ports'
  | 'serfLanBindAddress'
  | 'wan'
>

/**
 * The listening and advertised addresses of the agent, as `/v1/agent/self` shows them: each is the URL of a socket,
 * because typed clients of the field parse them as such. A closed port has none.
 */
export function shownEndpoints(config: Listening): Shown {
  const { advertiseAddress, bindAddress, ports, serfLanBindAddress, wan } = config
  const dns = urls(config.dnsAddresses, ports.dns)
  return {
    DNSAddrs: [...dns, ...dns.map((url) => url.replace('tcp:', 'udp:'))],
    GRPCAddrs: [],
    HTTPAddrs: urls(config.clientAddresses, ports.http),
    HTTPSAddrs: urls(config.httpsAddresses, ports.https),
    RPCAdvertiseAddr: tcp(advertiseAddress, ports.server),
    RPCBindAddr: tcp(bindAddress, ports.server),
    SerfAdvertiseAddrLAN: tcp(advertiseAddress, ports.serfLan),
    SerfAdvertiseAddrWAN: tcp(wan.advertiseAddress, ports.serfWan),
    SerfBindAddrLAN: tcp(serfLanBindAddress, ports.serfLan),
    SerfBindAddrWAN: tcp(wan.bindAddress, ports.serfWan),
    TaggedAddresses: { lan: advertiseAddress, wan: wan.advertiseAddress },
  }
}

function urls(addresses: readonly string[], port: number): readonly string[] {
  if (port < 0) return []
  return addresses.map((address) => (address.startsWith('unix:') ? address : tcp(address, port)))
}

function tcp(host: string, port: number): string {
  return `tcp://${endpointText({ host, port })}`
}
