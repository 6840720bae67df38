import type { OfferedService } from '../../model/catalog.ts'
import { itemKey } from './item-key.ts'

/**
 * Range of ports for proxies that set none, both ends included; 0 or less: they must set one. Reference:
 * configuration.md#port-sidecar, configuration.md#port-proxy.
 */
export interface SidecarPorts {
  readonly min: number
  readonly max: number
}

export const defaultSidecarPorts: SidecarPorts = { min: 21_000, max: 21_255 }

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
