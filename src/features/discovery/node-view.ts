import type { CatalogNode } from '../../model/catalog.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import type { QueryParameters } from '../contract/route.ts'

/** How answers show nodes. */
export interface NodeView {
  /** Where the nodes are. */
  readonly datacenter: string
  readonly seen: (node: CatalogNode) => CatalogNode
}

/** Nodes of the datacenter that a request names: those of another one, with translation on, at their addresses among all. */
export function shownNodes(agent: Pick<AgentContext, 'self' | 'release'>, query: QueryParameters<'dc'>): NodeView {
  const own = agent.self()
  const named = query.get('dc') ?? ''
  const datacenter = named === '' ? own.datacenter : named
  return { datacenter, seen: nodesShown(agent, datacenter) }
}

/** The same for a datacenter that is known. Before `http-translates` only DNS answers with translated addresses. */
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
