import type { NodeCoordinate } from '../../api/catalog-shapes.ts'
import { type RoundTrip, roundTrip } from '../../explain/round-trip.ts'

/** Estimated round-trip times from one node to all others that have a coordinate in the same segment, by name. */
export function roundTripsFrom(
  node: string | undefined,
  coordinates: readonly NodeCoordinate[],
): ReadonlyMap<string, RoundTrip> {
  const own = coordinates.find(({ Node }) => Node === node)
  if (own === undefined) return new Map()
  const others = coordinates.filter(({ Node, Segment }) => Node !== node && Segment === own.Segment)
  return new Map(others.map(({ Node, Coord }) => [Node, roundTrip(own.Coord, Coord)]))
}
