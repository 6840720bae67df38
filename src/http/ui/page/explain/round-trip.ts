import type { Coordinate } from '../api/catalog-shapes.ts'

/** The estimated round-trip time of two coordinates. */
export interface RoundTrip {
  readonly ms: number
  /** Whether both agents have measured enough. Of others the order is chance. */
  readonly isSettled: boolean
}

/** The relative error of a coordinate is 1.5 before anything is measured, and well below 1 once it has settled. */
const settledError = 1

/** Vivaldi, with heights and adjustments. */
export function roundTrip(a: Coordinate, b: Coordinate): RoundTrip {
  const squares = a.Vec.reduce((sum, each, at) => sum + (each - (b.Vec[at] ?? 0)) * (each - (b.Vec[at] ?? 0)), 0)
  const raw = Math.sqrt(squares) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return { ms: (adjusted > 0 ? adjusted : raw) * 1000, isSettled: Math.max(a.Error, b.Error) < settledError }
}

/** With a sign for one that has not settled. */
export function roundTripText({ ms, isSettled }: RoundTrip): string {
  return `${isSettled ? '' : '~ '}${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`
}
