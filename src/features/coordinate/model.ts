import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { type Coordinate, coordinateDimensions } from '../../model/coordinate.ts'

/** Where a node is, as it has said last. */
export interface CoordinateRow {
  readonly node: string
  readonly segment: string
  readonly coordinate: Coordinate
}

export const coordinateFields = z.object({
  vec: z.array(z.number()).length(coordinateDimensions).readonly(),
  error: z.number(),
  adjustment: z.number(),
  height: z.number(),
})

export const coordinateRow = z.object({ node: z.string().min(1), segment: z.string(), coordinate: coordinateFields })

/** Reference: HTTP API 8. */
export function coordinateJson({ vec, error, adjustment, height }: Coordinate): Json {
  return { Vec: vec, Error: error, Adjustment: adjustment, Height: height }
}

export function coordinateRowJson({ node, segment, coordinate }: CoordinateRow): Json {
  return { Node: node, Segment: segment, Coord: coordinateJson(coordinate) }
}
