import { z } from 'zod'
import { type Coordinate, coordinateDimensions, sortedByDistance } from '../../model/coordinate.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction, TableDefinition } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'

/** The last reported coordinate of a node. */
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

export const coordinatesTable: TableDefinition<CoordinateRow> = {
  name: 'coordinates',
  key: (row) => nameKey(row.node),
  decode: (row) => coordinateRow.parse(row),
}

/** In order of node. */
export function allCoordinates(tx: ReadTransaction): Iterable<CoordinateRow> {
  return tx.all(coordinatesTable)
}

export function coordinateOfNode(tx: ReadTransaction, node: string): CoordinateRow | undefined {
  return tx.get(coordinatesTable, nameKey(node))
}

export function coordinatesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(coordinatesTable)
}

/**
 * Sorts by distance of the nodes from `near`, nearest first; unchanged without `near`, or if its coordinates are
 * unknown. Not watched: a caller that waits for a change is not woken because something has moved nearer, and the index
 * agrees.
 */
export function nearestFirst<T>(
  tx: ReadTransaction,
  near: string | undefined,
  items: readonly T[],
  nodeOf: (item: T) => string,
): readonly T[] {
  if (near === undefined || near === '') return items
  // Read so that a cached result is dropped once coordinates have changed.
  tx.lastChange(coordinatesTable)
  return tx.covered((read) =>
    sortedByDistance(
      items,
      coordinateOfNode(read, near)?.coordinate,
      (item) => coordinateOfNode(read, nodeOf(item))?.coordinate,
    ),
  )
}
