import { compareText } from '../../base/bytes.ts'
import type { CatalogNode } from '../../model/catalog.ts'
import { distanceBetween } from '../../model/coordinate.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { QueryParameters } from '../contract/route.ts'
import type { WithSelf } from '../contract/route-context.ts'
import type { WanView } from '../contract/server-context.ts'
import type { WithRelease } from '../contract/surroundings.ts'

/**
 * Names of datacenters, the nearest first: by the median of the round-trip times to their servers, 0 for this one;
 * equal ones by name. A server without coordinates is infinitely far. Source: the field, router.
 */
export function datacentersByDistance({ own, servers }: WanView, ownDatacenter: string): readonly string[] {
  const distances = new Map<string, number[]>([[ownDatacenter, [0]]])
  for (const { datacenter, coordinate } of servers) {
    if (datacenter === ownDatacenter) continue
    const known = distances.get(datacenter) ?? []
    distances.set(datacenter, known)
    const isKnown = own !== undefined && coordinate !== undefined
    known.push(isKnown ? distanceBetween(own, coordinate) : Number.POSITIVE_INFINITY)
  }
  const medians = [...distances].map(([name, all]) => ({ name, distance: medianOf(all) }))
  medians.sort((a, b) => (a.distance < b.distance ? -1 : a.distance > b.distance ? 1 : compareText(a.name, b.name)))
  return medians.map(({ name }) => name)
}

function medianOf(distances: number[]): number {
  distances.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return distances[distances.length >> 1] ?? Number.POSITIVE_INFINITY
}

/** The form of nodes in answers. */
interface NodeView {
  /** The datacenter of the nodes. */
  readonly datacenter: string
  readonly seen: (node: CatalogNode) => CatalogNode
}

/**
 * Nodes of the datacenter that a request names: with address translation on, those of another datacenter have their WAN
 * addresses.
 */
export function shownNodes(context: WithRelease & WithSelf, query: QueryParameters<'dc'>): NodeView {
  const own = context.self()
  const named = query.get('dc') ?? ''
  const datacenter = named === '' ? own.datacenter : named
  return { datacenter, seen: nodesShown(context, datacenter) }
}

/** The same for a known datacenter. Before `http-translates` only DNS answers with translated addresses. */
export function nodesShown(context: WithRelease & WithSelf, datacenter: string): (node: CatalogNode) => CatalogNode {
  return hasBehaviour(context.release, 'http-translates') ? nodesSeen(context.self(), datacenter) : (node) => node
}

/** Reference: http-reads.md#address-translation, releases.md#rel-0.7-6. */
export function nodesSeen(
  own: { readonly datacenter: string; readonly translatesAddresses: boolean },
  datacenter: string,
): (node: CatalogNode) => CatalogNode {
  return own.translatesAddresses && datacenter !== own.datacenter ? atWanAddress : (node) => node
}

function atWanAddress(node: CatalogNode): CatalogNode {
  const wan = node.taggedAddresses?.find(([tag]) => tag === 'wan')?.[1] ?? ''
  return wan === '' ? node : { ...node, address: wan }
}
