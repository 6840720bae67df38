import { compareText } from '../../base/bytes.ts'
import { type NodeFacts, segmentMetaKey } from '../../model/catalog.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/** The data that an agent registers about its own node. Reference: catalog.md#node. */
export function nodeFactsOf(config: AgentConfig, nodeId: string): NodeFacts {
  const meta: [string, string][] = [...Object.entries(config.nodeMeta), [segmentMetaKey, '']]
  const wan = ['wan', config.wan.advertiseAddress] as const
  return {
    id: nodeId,
    node: config.nodeName,
    address: config.advertiseAddress,
    taggedAddresses: hasBehaviour(config.release, 'lan-address-tagged')
      ? [['lan', config.advertiseAddress], wan]
      : [wan],
    meta: meta.sort(([a], [b]) => compareText(a, b)),
  }
}
