import { compareText } from '../../base/bytes.ts'
import type { NodeFacts } from '../../model/catalog.ts'
import { productName } from '../../model/names.ts'
import type { AgentConfig } from '../agent-config.ts'

/** What an agent says of its node in the catalog. Reference: HTTP API 1.10. */
export function nodeFactsOf(config: AgentConfig, nodeId: string): NodeFacts {
  const meta: [string, string][] = [...Object.entries(config.nodeMeta), [`${productName}-network-segment`, '']]
  return {
    id: nodeId,
    node: config.nodeName,
    address: config.advertiseAddress,
    taggedAddresses: [
      ['lan', config.advertiseAddress],
      ['wan', config.wan.advertiseAddress],
    ],
    meta: meta.sort(([a], [b]) => compareText(a, b)),
  }
}
