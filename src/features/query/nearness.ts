import type { HealthServiceEntry } from '../../model/catalog.ts'
import { distanceBetween } from '../../model/coordinate.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { allNodes } from '../catalog/views.ts'
import { coordinateOfNode, coordinatesIndex } from '../coordinate/views.ts'

/** The caller, as far as it matters for nearness. */
export interface Origin {
  /** The agent that was asked. */
  readonly node: string
  /** The address from which it was asked. */
  readonly ip: string
  /** A node that the caller named, before which the query's own does not count; empty for none. */
  readonly near: string
}

export interface Nearness {
  /** The node by which they are sorted; empty: by none. */
  readonly near: string
  /** Of each entry, how near: less is nearer, and of equals none is before the other. Null: nothing is known. */
  readonly distances: readonly number[] | null
  /** The caller's address counts. Absent where a server of before does not say. */
  readonly byAddress?: boolean
}

/** Farther than any: of those nothing is known. A number, for infinity does not travel. */
const unknownDistance = 1e12

/** How near the instances are to the node that counts. No watch is made of coordinates, as in `coordinate/views.ts`. */
export function nearnessOf(
  tx: ReadTransaction,
  ownNear: string,
  origin: Origin | null,
  entries: readonly HealthServiceEntry[],
): Nearness {
  const named = origin === null || origin.near === '' ? ownNear : origin.near
  const near = origin === null ? '' : nodeMeant(tx, named, origin)
  const byAddress = origin !== null && named === '_ip'
  if (near === '') return { near, distances: null, byAddress }
  // Asked for so that a result which is kept no longer holds once coordinates have changed.
  coordinatesIndex(tx)
  const distances = tx.covered((read) => {
    const from = coordinateOfNode(read, near)?.coordinate
    if (from === undefined) return null
    return entries.map(({ node }) => {
      const to = coordinateOfNode(read, node.node)?.coordinate
      return to === undefined ? unknownDistance : distanceBetween(from, to)
    })
  })
  return { near, distances, byAddress }
}

function nodeMeant(tx: ReadTransaction, named: string, { node, ip }: Origin): string {
  if (named === '_agent') return node
  if (named !== '_ip') return named
  if (ip !== '') for (const known of allNodes(tx)) if (known.address === ip) return known.node
  return ''
}
