import type { CatalogNode } from '../../model/catalog.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import type { QueryParameters } from '../contract/route.ts'

/** The form of nodes in answers. */
export interface NodeView {
  /** The datacenter of the nodes. */
  readonly datacenter: string
  readonly seen: (node: CatalogNode) => CatalogNode
}

/**
 * Nodes of the datacenter that a request names: with address translation on, those of another datacenter have their WAN
 * addresses.
 */
export function shownNodes(agent: Pick<AgentContext, 'self' | 'release'>, query: QueryParameters<'dc'>): NodeView {
  const own = agent.self()
  const named = query.get('dc') ?? ''
  const datacenter = named === '' ? own.datacenter : named
  return { datacenter, seen: nodesShown(agent, datacenter) }
}

/** The same for a known datacenter. Before `http-translates` only DNS answers with translated addresses. */
export function nodesShown(
  agent: Pick<AgentContext, 'self' | 'release'>,
  datacenter: string,
): (node: CatalogNode) => CatalogNode {
  return hasBehaviour(agent.release, 'http-translates') ? nodesSeen(agent.self(), datacenter) : (node) => node
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
