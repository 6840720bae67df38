import type { Json } from '../../base/json.ts'
import type { KeyAnswers } from '../../gossip/pool.ts'

/** Members may be asked to carry answers for others. Reference: HTTP API 12. */
export const relayFactorMax = 5

/** Reference: HTTP API 12, keyring entry. */
export function keysJson(datacenter: string, { keys, nodes }: KeyAnswers): Json {
  return { WAN: false, Datacenter: datacenter, Segment: '', Keys: Object.fromEntries(keys), NumNodes: nodes }
}

/** What went wrong, in the form of the field; undefined when every member has done it. */
export function keysProblem(datacenter: string, { nodes, answered, errors }: KeyAnswers): string | undefined {
  if (errors.length === 0 && answered >= nodes) return undefined
  const summary =
    errors.length > 0
      ? `${errors.length}/${nodes} nodes reported failure`
      : `${answered}/${nodes} nodes reported success`
  const lines = [`${datacenter} (LAN) error: ${summary}`, ...errors.map(([node, message]) => `${node}: ${message}`)]
  return `${lines.length} error(s) occurred:\n\n${lines.map((line) => `* ${line}`).join('\n')}`
}
