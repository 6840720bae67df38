import { err, ok, type Result } from '../../base/result.ts'
import type { CheckDefinition, OfferedService, ServiceDefinition } from '../../model/catalog.ts'
import type { ManagedSettings, SidecarPorts } from '../settings/proxy-settings.ts'
import { isOpen, portFor, type Taken, withManagedDefaults } from './managed-proxies.ts'

/** Settings of an agent for proxies that come with services. */
export interface ProxySettings {
  readonly sidecarPorts: SidecarPorts
  readonly managedProxies: ManagedSettings
  readonly bindAddress: string
}

/** A service alone, or with its sidecar, each with its checks. */
export type Offered = readonly Pick<ServiceDefinition, 'service' | 'checks'>[]

const listeningIntervalMs = 10_000

/**
 * The service of a definition, followed by its sidecar if it has one. An existing proxy keeps its port. `takenNow` lists
 * all services of the agent, which only a sidecar needs. Reference: definitions.md#sidecars.
 */
export function offeredBy(
  definition: ServiceDefinition,
  takenNow: () => Taken,
  settings: ProxySettings,
): Result<Offered, string> {
  const { service, checks, sidecar } = definition
  if (sidecar === undefined) return ok([{ service, checks }])
  const { managed } = sidecar.service
  const taken = takenNow()
  if (managed !== undefined) {
    const place = { settings: settings.managedProxies, bindAddress: settings.bindAddress, taken }
    const proxy = withManagedDefaults(sidecar.service, managed, place)
    return proxy.ok ? ok([{ service, checks }, proxy.value]) : proxy
  }
  const ports = settings.sidecarPorts
  const port = sidecar.service.port > 0 ? sidecar.service.port : portFor(sidecar.service.id, taken, ports)
  if (port === undefined) {
    const why = isOpen(ports) ? `none left in the configured range [${ports.min}, ${ports.max}]` : undefined
    const disabled = 'no port provided for sidecar_service and auto-assignment disabled in config'
    const message = why === undefined ? disabled : `no port provided for sidecar_service and ${why}`
    return err(`Invalid SidecarService: ${message}`)
  }
  const beside = { ...sidecar.service, port }
  const usual = sidecar.checks.length > 0 ? sidecar.checks : usualChecks(beside, service)
  return ok([
    { service, checks },
    { service: beside, checks: usual },
  ])
}

/** IDs of the default checks of a sidecar that defines none. */
export function usualCheckIds(sidecarId: string): readonly [listening: string, aliasing: string] {
  return [`service:${sidecarId}:1`, `service:${sidecarId}:2`]
}

function usualChecks(sidecar: OfferedService, parent: OfferedService): readonly CheckDefinition[] {
  const [listening, aliasing] = usualCheckIds(sidecar.id)
  const address = sidecar.mesh?.proxy?.localAddress ?? '127.0.0.1'
  const host = address.includes(':') ? `[${address}]` : address
  const common = {
    notes: '',
    serviceId: sidecar.id,
    status: 'critical',
    deregisterCriticalServiceAfterMs: 0,
    ...(sidecar.token === undefined ? {} : { token: sidecar.token }),
  } as const
  return [
    {
      checkId: listening,
      name: 'Connect Sidecar Listening',
      probe: {
        kind: 'tcp',
        address: `${host}:${sidecar.port}`,
        intervalMs: listeningIntervalMs,
        timeoutMs: listeningIntervalMs,
      },
      ...common,
    },
    {
      checkId: aliasing,
      name: `Connect Sidecar Aliasing ${parent.id}`,
      probe: { kind: 'alias', node: '', service: parent.id },
      ...common,
    },
  ]
}
