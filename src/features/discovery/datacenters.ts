import { compareText } from '../../base/bytes.ts'
import { distanceBetween } from '../../model/coordinate.ts'
import type { WanView } from '../contract/known-servers.ts'

/**
 * Names of datacenters, the nearest first: by the median of the round-trip times to their servers, 0 for this one;
 * equal ones by name. A server without coordinates is infinitely far. Source: the field, router.
 */
export function datacentersByDistance({ own, servers }: WanView, ownDatacenter: string): readonly string[] {
  const distances = new Map<string, number[]>([[ownDatacenter, [0]]])
  for (const { datacenter, coordinate } of servers) {
    if (datacenter === ownDatacenter) continue
    const known = distances.get(datacenter) ?? []
    distances.set(datacenter, known)
    const isKnown = own !== undefined && coordinate !== undefined
    known.push(isKnown ? distanceBetween(own, coordinate) : Number.POSITIVE_INFINITY)
  }
  const medians = [...distances].map(([name, all]) => ({ name, distance: medianOf(all) }))
  medians.sort((a, b) => (a.distance < b.distance ? -1 : a.distance > b.distance ? 1 : compareText(a.name, b.name)))
  return medians.map(({ name }) => name)
}

function medianOf(distances: number[]): number {
  distances.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return distances[distances.length >> 1] ?? Number.POSITIVE_INFINITY
}
