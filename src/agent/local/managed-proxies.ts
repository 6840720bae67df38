import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { settingsJson, settingsText } from '../../features/mesh/settings-text.ts'
import type { CheckDefinition, OfferedService, ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { ManagedFacts } from '../../model/mesh-service.ts'
import { parseEndpoint } from '../../rpc/address.ts'
import { oldUpstreams } from './old-upstreams.ts'
import { isOpen, portFor, type SidecarPorts, type Taken } from './ports.ts'

/**
 * Settings of proxies that an agent runs as processes. Reference: configuration.md#connect-proxy,
 * configuration.md#connect-proxy-defaults.
 */
export interface ManagedSettings {
  readonly ports: SidecarPorts
  /** Proxies may be registered over HTTP. */
  readonly viaApi: boolean
  /** Proxies run even if the agent runs as root, which they then do as well. */
  readonly asRoot: boolean
  /**
   * Defaults for proxies that do not set these themselves. Empty: no default; without a command, this program is run.
   */
  readonly execMode: string
  readonly daemonCommand: readonly string[]
  /** JSON; empty: no settings. */
  readonly config: string
}

export const defaultManagedSettings: ManagedSettings = {
  ports: { min: 20_000, max: 20_255 },
  viaApi: false,
  asRoot: false,
  execMode: '',
  daemonCommand: [],
  config: '',
}

/** Why a caller of the API may not have a proxy run; undefined if it may. Reference: definitions.md#managed-proxies. */
export function managedRefusal({ sidecar }: ServiceDefinition, { viaApi }: ManagedSettings): Failure | undefined {
  if (viaApi || sidecar?.service.managed === undefined) return undefined
  return { kind: 'bad-request', message: 'Bad request: Managed proxy registration via the API is disallowed.' }
}

export interface ManagedPlace {
  readonly settings: ManagedSettings
  /** The bind address of proxies that set none. */
  readonly bindAddress: string
  readonly taken: Taken
}

type Proxy = Pick<ServiceDefinition, 'service' | 'checks'>

const listeningIntervalMs = 10_000
const anyAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])

/**
 * Completes a managed proxy with defaults: its port, its bind address, its command, and a check that it listens. The
 * error is a clause. Reference: mesh.md#managed-proxies.
 */
export function withManagedDefaults(
  given: OfferedService,
  managed: ManagedFacts,
  place: ManagedPlace,
): Result<Proxy, string> {
  const { settings, taken } = place
  const facts = given.mesh?.proxy
  if (facts === undefined || facts === null) return err('Invalid managed proxy: it stands for no service')
  const run = howRun(managed, settings)
  if (!run.ok) return run
  const said = { ...settingsOf(settings.config), ...settingsOf(facts.config) }
  const address = said['bind_address'] ?? place.bindAddress
  const local = said['local_service_address'] ?? `${facts.localAddress}:${facts.localPort}`
  if (typeof address !== 'string' || address === '') return err('Invalid managed proxy: bind_address is no address')
  const target = typeof local === 'string' ? parseEndpoint(local) : undefined
  if (target === undefined) return err('Invalid managed proxy: local_service_address is not host:port')
  const port = portOf(said['bind_port'] ?? portFor(given.id, taken, settings.ports), settings.ports)
  if (!port.ok) return port
  const upstreams = facts.upstreams.length > 0 ? ok(facts.upstreams) : oldUpstreams(said)
  if (!upstreams.ok) return upstreams
  const own = { ...said, bind_address: address, bind_port: port.value, local_service_address: local }
  const [localAddress, localPort] = [target.host, target.port]
  const proxy = { ...facts, localAddress, localPort, config: settingsText(own), upstreams: upstreams.value }
  const reached = said['bind_address'] === undefined || anyAddresses.has(address) ? given.address : address
  const facing = { ...given, address: reached, port: port.value }
  const service = { ...facing, managed: run.value, mesh: { native: false, proxy } }
  return ok({ service, checks: listeningCheck(service, said, address) })
}

function portOf(port: Json | undefined, range: SidecarPorts): Result<number, string> {
  if (port === undefined) return err(noPort(range))
  if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535) return ok(port)
  return err('Invalid managed proxy: bind_port is no port')
}

function noPort(ports: SidecarPorts): string {
  const range = isOpen(ports) ? `[${ports.min}, ${ports.max}]` : '[0, 0]'
  return `no port provided for proxy bind_port and none left in the allocated range ${range}`
}

function howRun({ execMode, command }: ManagedFacts, settings: ManagedSettings): Result<ManagedFacts, string> {
  const mode = execMode || settings.execMode || 'daemon'
  if (mode === 'script')
    return err('Invalid managed proxy: exec_mode script is reserved, and runs nothing in any release: write daemon')
  if (mode !== 'daemon') return err(`Invalid managed proxy: exec_mode cannot be ${JSON.stringify(mode)}`)
  return ok({ execMode: mode, command: command.length > 0 ? command : settings.daemonCommand })
}

function settingsOf(text: string): Readonly<Record<string, Json>> {
  return text === '' ? {} : (settingsJson(text) as Readonly<Record<string, Json>>)
}

function listeningCheck(
  proxy: OfferedService,
  settings: Readonly<Record<string, Json>>,
  bound: string,
): readonly CheckDefinition[] {
  if (settings['disable_tcp_check'] === true) return []
  const given = settings['tcp_check_address']
  const asked = typeof given === 'string' && given !== '' ? given : bound
  const address = anyAddresses.has(asked) ? '127.0.0.1' : asked
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
  return [
    {
      checkId: managedCheckId(proxy.id),
      name: 'Connect Proxy Listening',
      notes: '',
      serviceId: proxy.id,
      status: 'critical',
      probe: {
        kind: 'tcp',
        address: `${host}:${proxy.port}`,
        intervalMs: listeningIntervalMs,
        timeoutMs: listeningIntervalMs,
      },
      deregisterCriticalServiceAfterMs: 0,
      ...(proxy.token === undefined ? {} : { token: proxy.token }),
    },
  ]
}

export function managedCheckId(proxyId: string): string {
  return `service:${proxyId}`
}
