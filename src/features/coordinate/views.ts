import { sortedByDistance } from '../../model/coordinate.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import type { CoordinateRow } from './model.ts'
import { coordinatesTable } from './tables.ts'

/** In order of node. */
export function allCoordinates(tx: ReadTransaction): Iterable<CoordinateRow> {
  return tx.all(coordinatesTable)
}

export function coordinateOfNode(tx: ReadTransaction, node: string): CoordinateRow | undefined {
  return tx.get(coordinatesTable, nameKey(node))
}

export function coordinatesIndex(tx: ReadTransaction): number {
  return tx.lastChange(coordinatesTable)
}

/**
 * What is on nodes nearer to `near` first; as it is without one, or where nothing is known of it. No watch is made: who waits
 * for a change of what is there is not woken because something has come nearer. That is also what the index says.
 */
export function nearestFirst<T>(
  tx: ReadTransaction,
  near: string | undefined,
  items: readonly T[],
  nodeOf: (item: T) => string,
): readonly T[] {
  if (near === undefined || near === '') return items
  // Asked for so that a result which is kept no longer holds once coordinates have changed.
  tx.lastChange(coordinatesTable)
  return tx.covered((read) =>
    sortedByDistance(
      items,
      coordinateOfNode(read, near)?.coordinate,
      (item) => coordinateOfNode(read, nodeOf(item))?.coordinate,
    ),
  )
}
