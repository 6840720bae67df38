import type { Coordinate } from '../api/catalog-shapes.ts'
import { type RoundTrip, roundTrip, roundTripText } from './round-trip.ts'

/** The coordinates of the servers of one datacenter, as `/v1/coordinate/datacenters` has them. */
export interface DatacenterCoordinates {
  readonly Datacenter: string
  readonly Coordinates: readonly { readonly Node: string; readonly Coord: Coordinate }[] | null
}

/** The estimated round trips from one datacenter to the others, the slowest first: the median over pairs of servers. */
export function datacenterTrips(
  own: string,
  all: readonly DatacenterCoordinates[],
): readonly (readonly [datacenter: string, trip: RoundTrip])[] {
  const coordsOf = ({ Coordinates }: DatacenterCoordinates): readonly Coordinate[] =>
    (Coordinates ?? []).map(({ Coord }) => Coord)
  const here = all.filter(({ Datacenter }) => Datacenter === own).flatMap(coordsOf)
  return all
    .filter(({ Datacenter }) => Datacenter !== own)
    .flatMap((each) => {
      const times = coordsOf(each).flatMap((there) => here.map((from) => roundTrip(from, there)))
      const median = times.toSorted((a, b) => a.ms - b.ms)[Math.floor(times.length / 2)]
      return median === undefined ? [] : [[each.Datacenter, median] as const]
    })
    .toSorted(([, a], [, b]) => b.ms - a.ms)
}

/** The name of a datacenter, with its round trip if that is known. */
export function datacenterText(name: string, trips: ReadonlyMap<string, RoundTrip>): string {
  const trip = trips.get(name)
  return trip === undefined ? name : `${name} (${roundTripText(trip)})`
}
