import { err, ok, type Result } from '../../base/result.ts'
import type { CheckDefinition, OfferedService, ServiceDefinition } from '../../model/catalog.ts'
import { itemKey } from './item-key.ts'

/** Of sidecars that name no port, both ends among them; 0 or less: they must. Reference: configuration 4.3. */
export interface SidecarPorts {
  readonly min: number
  readonly max: number
}

export const defaultSidecarPorts: SidecarPorts = { min: 21_000, max: 21_255 }

/** Services whose ports are taken. */
type Taken = readonly Pick<OfferedService, 'id' | 'port'>[]

/** A service alone, or with its sidecar, each with its checks. */
export type Offered = readonly Pick<ServiceDefinition, 'service' | 'checks'>[]

const listeningIntervalMs = 10_000

/** What is offered by a definition, the service first. A sidecar that is there keeps its port. Reference: HTTP API 4.3. */
export function offeredBy(definition: ServiceDefinition, taken: Taken, ports: SidecarPorts): Result<Offered, string> {
  const { service, checks, sidecar } = definition
  if (sidecar === undefined) return ok([{ service, checks }])
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

function isOpen({ min, max }: SidecarPorts): boolean {
  return min > 0 && max >= min
}

function portFor(id: string, taken: Taken, ports: SidecarPorts): number | undefined {
  if (!isOpen(ports)) return undefined
  const own = taken.find((other) => itemKey(other.id) === itemKey(id))?.port ?? 0
  if (own >= ports.min && own <= ports.max) return own
  const used = new Set(taken.map(({ port }) => port))
  for (let port = ports.min; port <= ports.max; port++) if (!used.has(port)) return port
  return undefined
}

/** IDs of the checks that a sidecar has which names none. */
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
