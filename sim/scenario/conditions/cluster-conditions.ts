import { z } from 'zod'
import { countBound, savedNameField, selector } from '../../notation/fields.ts'
import { type Selector, selectorOf } from '../../notation/selector.ts'
import { condition, judgeCount, type Observed } from './condition.ts'

/** A condition on the leader. */
type LeaderBound =
  | { readonly kind: 'one' }
  | { readonly kind: 'none' }
  | { readonly kind: 'among'; readonly nodes: Selector }
  | { readonly kind: 'not'; readonly nodes: Selector }

const leaderBound = z
  .string()
  .transform((text, context): LeaderBound => {
    if (text === 'exactly one') return { kind: 'one' }
    if (text === 'none') return { kind: 'none' }
    const negated = text.startsWith('not ')
    const nodes = selectorOf(negated ? text.slice(4) : text.replace(/^(?:same as|among) /, ''))
    if (nodes.ok) return { kind: negated ? 'not' : 'among', nodes: nodes.value }
    const message = `'${text}' is no condition on the leader: write 'exactly one', 'none', a node such as s2 or \${saved}, or 'not …'`
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  })
  .describe(
    `'exactly one', 'none', 's2', '\${old leader}' (exactly one, which is one of these), 'not \${old leader}' (exactly one, which is none of these).`,
  )

function judgeLeader(bound: LeaderBound, among: readonly string[], now: Observed): string | undefined {
  const leaders = now.leaders().filter((server) => among.includes(server))
  const found =
    leaders.length === 0 ? 'nobody leads' : `${leaders.join(' and ')} ${leaders.length > 1 ? 'lead' : 'leads'}`
  if (bound.kind === 'none') return leaders.length === 0 ? undefined : found
  if (leaders.length !== 1) return found
  if (bound.kind === 'one') return undefined
  const named = now.select(bound.nodes).includes(leaders[0] as string)
  return named === (bound.kind === 'among') ? undefined : found
}

export const leader = condition(leaderBound, (bound, now, among = now.servers) => judgeLeader(bound, among, now))

export const applied = condition(
  z.literal('equal on all').describe("'equal on all': every running server has applied the same entries."),
  (_, now, among = now.servers) => {
    const running = among.filter(now.isRunning)
    const indexes = running.map((server) => now.appliedIndex(server))
    if (new Set(indexes).size <= 1) return undefined
    return `applied: ${running.map((server, at) => `${server} ${indexes[at]}`).join(', ')}`
  },
)

function judgeRunning(selector: Selector, expected: boolean, now: Observed): string | undefined {
  const wrong = now.select(selector).filter((server) => now.isRunning(server) !== expected)
  if (wrong.length === 0) return undefined
  return `${wrong.join(' and ')} ${expected ? 'down' : 'running'}`
}

export const running = condition(selector.describe('All of these run.'), (given, now) => judgeRunning(given, true, now))

export const stopped = condition(selector.describe('None of these runs.'), (given, now) =>
  judgeRunning(given, false, now),
)

export const elections = condition(countBound.describe('Leaders elected since the run began.'), (bound, now) =>
  judgeCount(bound, now.elections, 'elections'),
)

export const writesAcknowledged = condition(
  countBound.describe('Writes of the workload that were answered with success.'),
  (bound, now) => judgeCount(bound, now.writesAcknowledged, 'writes acknowledged'),
)

const memberStates = z
  .record(
    z.string().regex(/^[sc][1-9]\d*$/, 'an agent is named s1, c1'),
    z.enum(['alive', 'leaving', 'left', 'failed', 'unknown']),
  )
  .describe(
    "How every running agent sees these members of the pool: { c1: failed }. 'among' restricts the agents that are asked.",
  )

export const members = condition(memberStates, (bound, now, among = now.nodes) => {
  for (const [member, status] of Object.entries(bound)) {
    for (const observer of among.filter(now.isRunning)) {
      const seen = now.memberStatus(observer, member) ?? 'unknown'
      if (seen !== status) return `${observer} sees ${member} as ${seen}`
    }
  }
  return undefined
})

export const holds = condition(
  savedNameField.describe(
    'Every running server has the state that was remembered under this name: the same rows, except for columns that a release adds.',
  ),
  (name, now) => now.heldOtherwise(name),
  { isDear: true },
)
