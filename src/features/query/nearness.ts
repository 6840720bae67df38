import type { HealthServiceEntry } from '../../model/catalog.ts'
import { distanceBetween } from '../../model/coordinate.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { allNodes } from '../catalog/views.ts'
import { coordinateOfNode, coordinatesIndex } from '../coordinate/views.ts'

/** The caller, for sorting by distance. */
export interface Origin {
  /** The asked agent. */
  readonly node: string
  /** The caller's address. */
  readonly ip: string
  /** A node that the caller named, which takes precedence over the query's own; empty for none. */
  readonly near: string
}

export interface Nearness {
  /** The node by whose distance the instances are sorted; empty: unsorted. */
  readonly near: string
  /** The distance of each entry; equal distances keep their order. Null: unknown. */
  readonly distances: readonly number[] | null
  /** The caller's address counts. Absent if a server of an earlier release does not say. */
  readonly byAddress?: boolean
}

/**
 * The distance of nodes without coordinates. A finite number, because MessagePack-encoded replies carry no infinity.
 */
const unknownDistance = 1e12

/** Distances of the instances from the node that counts. Coordinates are not watched, as in `coordinate/views.ts`. */
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
  // Read so that a cached result is dropped once coordinates have changed.
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
