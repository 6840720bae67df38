import { err, ok, type Result } from '../../base/result.ts'
import type { Endpoint } from '../../env/net.ts'
import { proxyVariables } from '../../model/proxy-variables.ts'
import { localConnectTimeoutMs, type ProxyPlan, type UpstreamPlan, upstreamConnectTimeoutMs } from '../../proxy/plan.ts'
import { parseEndpoint } from '../../rpc/address.ts'
import type { CommandFlag, Invocation } from '../command.ts'

export const proxyFlags: readonly CommandFlag[] = [
  { name: 'listen', kind: 'text', value: '<address>', help: 'Where the proxy takes connections, host:port.' },
  {
    name: 'log-level',
    kind: 'text',
    value: '<level>',
    help: 'Minimum level of the lines that the proxy logs. Default: INFO.',
  },
  {
    name: 'pprof-addr',
    kind: 'text',
    value: '<address>',
    help: 'Accepted, without effect: the proxy has no Go profiles.',
  },
  {
    name: 'proxy-id',
    kind: 'text',
    value: '<id>',
    help: 'ID under which the proxy is registered with the agent. Default: $CONNECT_PROXY_ID.',
  },
  { name: 'register', kind: 'bool', help: 'Register the proxy with the agent, and deregister it at the end.' },
  {
    name: 'register-id',
    kind: 'text',
    value: '<id>',
    help: 'With -register: ID of the proxy at the agent. Default: the name of the service, followed by -proxy.',
  },
  { name: 'service', kind: 'text', value: '<name>', help: 'The service that the proxy stands for.' },
  { name: 'service-addr', kind: 'text', value: '<address>', help: 'Where that service listens, host:port.' },
  {
    name: 'sidecar-for',
    kind: 'text',
    value: '<id>',
    help: 'Run the sidecar proxy that is registered for the service with this ID. Default: $CONNECT_SIDECAR_FOR.',
  },
  {
    name: 'upstream',
    kind: 'list',
    value: '<name:port>',
    help: 'A service that the proxy makes reachable, and the local port for it. May be repeated.',
  },
]

/** The source of a proxy's plan. */
export type ProxySource =
  /** The agent's registration of it. */
  | { readonly kind: 'registered'; readonly id: string }
  | { readonly kind: 'sidecar'; readonly serviceId: string }
  /** `registerId`: under which it registers itself; undefined: it does not. */
  | { readonly kind: 'flags'; readonly plan: ProxyPlan; readonly registerId: string | undefined }

/** The error is a clause. Reference: command-line.md#command-connect-proxy. */
export function proxySource({ flags, terminal }: Invocation): Result<ProxySource, string> {
  const given = (flag: string, variable?: string): string => {
    const value = flags.get(flag)
    if (typeof value === 'string') return value
    return variable === undefined ? '' : (terminal.environment.get(variable) ?? '')
  }
  const upstreams: UpstreamPlan[] = []
  const listed = flags.get('upstream')
  for (const text of typeof listed === 'object' ? listed : []) {
    const upstream = upstreamOf(text)
    if (upstream === undefined) return err(`-upstream ${JSON.stringify(text)} is not <name>:<port>`)
    upstreams.push(upstream)
  }
  const service = given('service')
  if (flags.get('register') === true && service === '') return err('-register needs -service')
  const proxyId = given('proxy-id', proxyVariables.id)
  if (proxyId !== '') return ok({ kind: 'registered', id: proxyId })
  const serviceId = given('sidecar-for', 'CONNECT_SIDECAR_FOR')
  if (serviceId !== '') return ok({ kind: 'sidecar', serviceId })
  if (service === '') {
    const sidecar = 'For a sidecar that is registered with the agent: -sidecar-for=<ID of its service>.'
    return err(`-service or -proxy-id must be specified so that proxy can configure itself. ${sidecar}`)
  }
  const inbound = inboundOf(given('listen'), given('service-addr'))
  if (!inbound.ok) return inbound
  if (flags.get('register') === true && inbound.value === undefined) return err('-register needs -listen')
  const registerId = flags.get('register') === true ? given('register-id') || `${service}-proxy` : undefined
  return ok({ kind: 'flags', plan: { service, inbound: inbound.value, upstreams }, registerId })
}

function inboundOf(listen: string, serviceAddress: string): Result<ProxyPlan['inbound'], string> {
  if (listen === '') return ok(undefined)
  const at = endpointOf(listen, '0.0.0.0')
  if (at === undefined) return err(`-listen ${JSON.stringify(listen)} is not host:port`)
  if (serviceAddress === '') {
    return err('-service-addr must be specified with -listen so the proxy knows the backend service address.')
  }
  const local = endpointOf(serviceAddress, '127.0.0.1')
  if (local === undefined) return err(`-service-addr ${JSON.stringify(serviceAddress)} is not host:port`)
  return ok({ listen: at, local, connectTimeoutMs: localConnectTimeoutMs })
}

/** `:8443` is that port of the default host. */
function endpointOf(text: string, host: string): Endpoint | undefined {
  return parseEndpoint(text.startsWith(':') ? `${host}${text}` : text)
}

function upstreamOf(text: string): UpstreamPlan | undefined {
  const [, name = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (name === '' || Number(port) < 1 || Number(port) > 65_535) return undefined
  const listen = { host: '127.0.0.1', port: Number(port) }
  return { type: 'service', name, datacenter: '', listen, connectTimeoutMs: upstreamConnectTimeoutMs }
}
