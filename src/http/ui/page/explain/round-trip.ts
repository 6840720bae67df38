import type { Coordinate } from '../api/catalog-shapes.ts'

/** The estimated round-trip time between two coordinates in milliseconds. Vivaldi, with heights and adjustments. */
export function roundTripMs(a: Coordinate, b: Coordinate): number {
  const squares = a.Vec.reduce((sum, each, at) => sum + (each - (b.Vec[at] ?? 0)) * (each - (b.Vec[at] ?? 0)), 0)
  const raw = Math.sqrt(squares) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return (adjusted > 0 ? adjusted : raw) * 1000
}

export function millisecondsText(ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`
}
