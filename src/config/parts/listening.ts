import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import type { FileConfig } from '../schema.ts'
import type { Join } from './joins.ts'
import { listenAddresses, portsOf, serfBind } from './network.ts'
import { socketAccessOf, tlsOf } from './tls.ts'
import { interval, notNegative, type Report, type Reports } from './values.ts'

/** Listen addresses, and addresses of other agents. */
export function networkOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  { bind, join }: { readonly bind: string; readonly join: Join },
  reports: Reports,
): Pick<
  AgentConfig,
  | 'bindAddress'
  | 'serfLanBindAddress'
  | 'clientAddresses'
  | 'httpsAddresses'
  | 'tls'
  | 'unixSockets'
  | 'dnsAddresses'
  | 'ports'
  | 'cliRpc'
  | 'startJoin'
  | 'retryJoin'
  | 'retryIntervalMs'
  | 'retryMax'
> {
  const { problem, warn } = reports
  const ports = portsOf(file, file.server ?? dev, defaults.ports, problem)
  const client = file.client_addr ?? '127.0.0.1'
  const listen = (face: 'http' | 'https' | 'dns'): readonly string[] => {
    const own = file.addresses?.[face]
    return own === undefined
      ? listenAddresses('client_addr', client, face === 'http' ? problem : silent)
      : listenAddresses(`addresses.${face}`, own, problem, face !== 'dns')
  }
  return {
    bindAddress: bind,
    serfLanBindAddress: serfBind('serf_lan', file, bind, problem),
    clientAddresses: listen('http'),
    httpsAddresses: listen('https'),
    tls: tlsOf(file, file.server ?? dev, ports.https > 0, defaults.tls, reports),
    unixSockets: socketAccessOf(file, reports),
    dnsAddresses: listen('dns'),
    ports,
    cliRpc: cliRpcOf(file, client, defaults, problem),
    startJoin: join('start_join', ports.serfLan),
    retryJoin: join('retry_join', ports.serfLan),
    retryIntervalMs: interval('retry_interval', file.retry_interval, defaults.retryIntervalMs, warn),
    retryMax: notNegative('retry_max', file.retry_max, warn),
  }
}

/** For releases that have this port. */
function cliRpcOf({ past }: FileConfig, client: string, defaults: AgentConfig, problem: Report): AgentConfig['cliRpc'] {
  const port = past?.cliRpcPort ?? defaults.cliRpc.port
  if (port <= 0) return { port: -1, addresses: [] }
  const { cliRpcAddress: own } = past ?? {}
  const addresses =
    own === undefined ? listenAddresses('client_addr', client, silent) : listenAddresses('addresses.rpc', own, problem)
  return { port, addresses }
}

/** An error in `client_addr` is reported once, for HTTP. */
const silent: Report = () => undefined
