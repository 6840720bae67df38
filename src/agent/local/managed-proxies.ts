import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { settingsJson, settingsText } from '../../features/mesh/settings-text.ts'
import type { CheckDefinition, OfferedService, ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { type ManagedFacts, type ProxyUpstream, serviceUpstream } from '../../model/mesh-service.ts'
import { parseEndpoint } from '../../rpc/address.ts'
import type { ManagedSettings, SidecarPorts } from '../settings/proxy-settings.ts'
import { itemKey } from './entries.ts'

/** Why a caller of the API may not have a proxy run; undefined if it may. Reference: definitions.md#managed-proxies. */
export function managedRefusal({ sidecar }: ServiceDefinition, { viaApi }: ManagedSettings): Failure | undefined {
  if (viaApi || sidecar?.service.managed === undefined) return undefined
  return { kind: 'bad-request', message: 'Bad request: Managed proxy registration via the API is disallowed.' }
}

interface ManagedPlace {
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
  if (facts === undefined || facts === null) return err('Invalid managed proxy: it names no service')
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
  // A proxy of a script is registered and shown, and nothing runs, as in every release of the field.
  if (mode === 'script') return ok({ execMode: mode, command })
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

const upstreamsMax = 1_024

const upstream = z.object({
  destination_type: z.string().default(''),
  destination_namespace: z.string().default(''),
  destination_name: z.string().min(1),
  destination_datacenter: z.string().default(''),
  datacenter: z.string().default(''),
  local_bind_address: z.string().default(''),
  local_bind_port: z.number().int().min(1).max(65_535),
  connect_timeout_ms: z.number().int().min(1).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Upstreams in the form of releases before 1.3.0, which had them among the settings of a managed proxy. Empty if the
 * settings have none. The error is a clause.
 */
function oldUpstreams(settings: Readonly<Record<string, Json>>): Result<readonly ProxyUpstream[], string> {
  const given = settings['upstreams']
  if (given === undefined || given === null) return ok([])
  const read = z.array(upstream).max(upstreamsMax).safeParse(given)
  if (!read.success) {
    const where = (read.error.issues[0]?.path ?? []).join('.')
    return err(`Invalid managed proxy: upstreams of its config cannot be read${where === '' ? '' : ` at ${where}`}`)
  }
  return ok(read.data.map(upstreamOf))
}

function upstreamOf(given: z.infer<typeof upstream>): ProxyUpstream {
  const { connect_timeout_ms: timeout, config } = given
  const settings = timeout === undefined ? config : { connect_timeout_ms: timeout, ...config }
  return {
    type: given.destination_type || serviceUpstream,
    namespace: given.destination_namespace,
    name: given.destination_name,
    datacenter: given.destination_datacenter || given.datacenter,
    localAddress: given.local_bind_address,
    localPort: given.local_bind_port,
    config: settingsText(settings),
  }
}

/** Services whose ports are taken. */
export type Taken = readonly Pick<OfferedService, 'id' | 'port'>[]

export function isOpen({ min, max }: SidecarPorts): boolean {
  return min > 0 && max >= min
}

/** The lowest free port; an existing proxy keeps its port. */
export function portFor(id: string, taken: Taken, ports: SidecarPorts): number | undefined {
  if (!isOpen(ports)) return undefined
  const own = taken.find((other) => itemKey(other.id) === itemKey(id))?.port ?? 0
  if (own >= ports.min && own <= ports.max) return own
  const used = new Set(taken.map(({ port }) => port))
  for (let port = ports.min; port <= ports.max; port++) if (!used.has(port)) return port
  return undefined
}
