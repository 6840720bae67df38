import { z } from 'zod'
import type { Coordinate } from '../../model/coordinate.ts'
import type { CoordinateRow } from '../discovery/nearness.ts'

/** Reference: coordinates.md#put-v1-coordinate-update. */
export const coordinateShape = z
  .strictObject({
    Vec: z.array(z.number()).readonly(),
    Error: z.number(),
    Adjustment: z.number(),
    Height: z.number(),
  })
  .meta({ id: 'Coordinate' })

export const coordinateRowShape = z.strictObject({ Node: z.string(), Segment: z.string(), Coord: coordinateShape })

export function coordinateJson({ vec, error, adjustment, height }: Coordinate): z.infer<typeof coordinateShape> {
  return { Vec: vec, Error: error, Adjustment: adjustment, Height: height }
}

export function coordinateRowJson({ node, segment, coordinate }: CoordinateRow): z.infer<typeof coordinateRowShape> {
  return { Node: node, Segment: segment, Coord: coordinateJson(coordinate) }
}
