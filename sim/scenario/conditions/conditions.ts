import { z } from 'zod'
import { selector } from '../../notation/fields.ts'
import { answer, dns, kv } from './asked-conditions.ts'
import {
  applied,
  elections,
  holds,
  leader,
  members,
  running,
  stopped,
  writesAcknowledged,
} from './cluster-conditions.ts'
import type { AskingRun, ConditionKind, Observed } from './condition.ts'
import { mesh, tunnels } from './mesh-conditions.ts'

/** Names the servers or agents that other keys are about; it is no condition by itself. */
const among = selector.optional().describe("Asks only these nodes for 'leader', 'raft.applied' and 'members'.")

/**
 * Every condition, by its key in scenario files, in the order in which they are judged and the language page has them.
 */
const kinds = {
  leader,
  'raft.applied': applied,
  running,
  stopped,
  elections,
  'writes acknowledged': writesAcknowledged,
  members,
  mesh,
  tunnels,
  holds,
  kv,
  answer,
  dns,
}

type Kinds = typeof kinds
type Shape = { readonly [Key in keyof Kinds]: z.ZodOptional<Kinds[Key]['schema']> }

const inOrder: readonly (readonly [keyof Kinds, ConditionKind])[] = Object.entries(kinds) as [
  keyof Kinds,
  ConditionKind,
][]
const { leader: leaderKey, ...others } = Object.fromEntries(
  inOrder.map(([key, { schema }]) => [key, schema.optional()]),
) as unknown as Shape

/** The keys of a condition. All given ones must hold at the same moment. */
export const conditionShape = { leader: leaderKey, among, ...others }

export const condition = z.strictObject(conditionShape).superRefine(atLeastOneCondition)

export function atLeastOneCondition(given: object, context: z.core.$RefinementCtx<object>): void {
  const stated = Object.keys(given).some((key) => Object.hasOwn(kinds, key))
  if (stated) return
  const names = Object.keys(kinds)
  context.issues.push({
    code: 'custom',
    message: `no condition is stated: add one of ${names.join(', ')}`,
    input: given,
  })
}

export type Condition = z.output<typeof condition>

/** Judges all stated conditions by a look: undefined if they hold, otherwise what is true instead, as one clause. */
export function judge(stated: Partial<Condition>, now: Observed): string | undefined {
  const restricted = stated.among === undefined ? undefined : now.select(stated.among)
  for (const [key, kind] of inOrder) {
    const given = stated[key]
    const found = given === undefined ? undefined : kind.judge(given, now, restricted)
    if (found !== undefined) return found
  }
  return undefined
}

/** Judges a condition that needs requests: undefined if it holds, otherwise what is true instead, as one clause. */
export async function judgeAsked(stated: Partial<Condition>, run: AskingRun): Promise<string | undefined> {
  for (const [key, kind] of inOrder) {
    const given = stated[key]
    const found = given === undefined ? undefined : await kind.ask(given, run)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether judging them costs more than a look at the servers' state. */
export function isDear(stated: Partial<Condition>): boolean {
  return inOrder.some(([key, kind]) => kind.isDear && stated[key] !== undefined)
}

/** Of what is stated, the keys that take a request to know. */
export function askedKeysOf(stated: Partial<Condition>): readonly string[] {
  return inOrder.flatMap(([key, kind]) => (kind.isAsked && stated[key] !== undefined ? [key] : []))
}

/** A condition as it is written, for a report: `leader: exactly one, running: s1`. */
export function conditionText(condition: object): string {
  const parts = Object.entries(condition).filter(([key]) => key !== 'within' && key !== 'for')
  return parts.map(([key, value]) => `${key}: ${valueText(value)}`).join(', ')
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('text' in value) return String(value.text)
  if ('kind' in value) {
    if (value.kind === 'one') return 'exactly one'
    if (value.kind === 'none') return 'none'
    const nodes = 'nodes' in value ? valueText(value.nodes) : ''
    return value.kind === 'not' ? `not ${nodes}` : nodes
  }
  return `{ ${conditionText(value)} }`
}
