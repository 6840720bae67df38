import type { ServiceQuery } from './model.ts'

/**
 * The datacenters in which a query is tried after its own, in order: this many of the nearest, then those that it names
 * and that exist, each once. `others` are all but its own, the nearest first.
 */
export function failoverDatacenters({ failover }: ServiceQuery, others: readonly string[]): readonly string[] {
  const known = new Set(others)
  const named = (failover.datacenters ?? []).filter((datacenter) => known.has(datacenter))
  return [...new Set([...others.slice(0, failover.nearestN), ...named])]
}

export function failsOver({ failover }: ServiceQuery): boolean {
  return failover.nearestN > 0 || (failover.datacenters ?? []).length > 0
}
