/**
 * A place in the space of round-trip times. Source: Dabek et al., "Vivaldi" (2004), with a height; serf, `coordinate`.
 */
export interface Coordinate {
  /** Eight numbers, in seconds. */
  readonly vec: readonly number[]
  /** The error of the coordinate: 0 is certain. */
  readonly error: number
  /** Adjustment in seconds from the most recent measurements: the part that the space cannot express. */
  readonly adjustment: number
  /** Height in seconds: the time to the network itself, which every message takes. */
  readonly height: number
}

export const coordinateDimensions = 8
/** The largest error; also that of a node of which nothing is known. */
export const coordinateErrorMax = 1.5
export const coordinateHeightMin = 0.00001

export const originCoordinate: Coordinate = {
  vec: [0, 0, 0, 0, 0, 0, 0, 0],
  error: coordinateErrorMax,
  adjustment: 0,
  height: coordinateHeightMin,
}

/** Whether it is a valid coordinate of this space. */
export function isCoordinate({ vec, error, adjustment, height }: Coordinate): boolean {
  return vec.length === coordinateDimensions && [...vec, error, adjustment, height].every(Number.isFinite)
}

/** The estimated round-trip time in seconds. Reference: coordinates.md#distance. */
export function distanceBetween(a: Coordinate, b: Coordinate): number {
  const raw = rawDistance(a, b)
  const adjusted = raw + a.adjustment + b.adjustment
  return adjusted > 0 ? adjusted : raw
}

export function rawDistance(a: Coordinate, b: Coordinate): number {
  return magnitude(difference(a.vec, b.vec)) + a.height + b.height
}

export function difference(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, at) => value - (b[at] ?? 0))
}

export function magnitude(vec: readonly number[]): number {
  let sum = 0
  for (const value of vec) sum += value * value
  return Math.sqrt(sum)
}

/**
 * Sorts by distance from `from`, items without a coordinate last; equal items keep their order. Unchanged if `from`
 * itself has no coordinate.
 */
export function sortedByDistance<T>(
  items: readonly T[],
  from: Coordinate | undefined,
  coordinateOf: (item: T) => Coordinate | undefined,
): readonly T[] {
  if (from === undefined) return items
  const far = items.map((item, at) => {
    const coordinate = coordinateOf(item)
    return {
      item,
      at,
      distance: coordinate === undefined ? Number.POSITIVE_INFINITY : distanceBetween(from, coordinate),
    }
  })
  far.sort((a, b) => (a.distance < b.distance ? -1 : a.distance > b.distance ? 1 : a.at - b.at))
  return far.map(({ item }) => item)
}
