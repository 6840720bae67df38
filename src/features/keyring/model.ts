import { z } from 'zod'
import type { Result } from '../../base/result.ts'
import type { KeyAnswers } from '../../gossip/pool.ts'
import { severalErrors } from '../../model/several-errors.ts'

/** Maximum number of members that relay an answer. Reference: operator.md#relay-factor. */
export const relayFactorMax = 5

/** The answers of the members of one pool, or why no member could be asked. */
export interface PoolKeys {
  readonly wan: boolean
  readonly datacenter: string
  readonly answers: Result<KeyAnswers, string>
}

/** Reference: operator.md#keyring-entry. */
export const keysShape = z.strictObject({
  WAN: z.boolean(),
  Datacenter: z.string(),
  Segment: z.literal(''),
  Keys: z.record(z.string(), z.number().int()).meta({ description: 'How many nodes have each key.' }),
  NumNodes: z.number().int(),
})

export function keysJson({ wan, datacenter }: PoolKeys, { keys, nodes }: KeyAnswers): z.infer<typeof keysShape> {
  return { WAN: wan, Datacenter: datacenter, Segment: '', Keys: Object.fromEntries(keys), NumNodes: nodes }
}

/** The failures, in the form of the field; undefined if every member of every pool succeeded. */
export function keysProblem(pools: readonly PoolKeys[]): string | undefined {
  const lines = pools.flatMap(problemLines)
  if (lines.length === 0) return undefined
  return severalErrors(lines)
}

function problemLines({ wan, datacenter, answers }: PoolKeys): readonly string[] {
  const pool = wan ? 'WAN' : `${datacenter} (LAN)`
  if (!answers.ok) return [`${pool} error: ${answers.error}`]
  const { nodes, answered, errors } = answers.value
  if (errors.length === 0 && answered >= nodes) return []
  const summary =
    errors.length > 0
      ? `${errors.length}/${nodes} nodes reported failure`
      : `${answered}/${nodes} nodes reported success`
  return [`${pool} error: ${summary}`, ...errors.map(([node, message]) => `${node}: ${message}`)]
}
