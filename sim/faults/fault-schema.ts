import { z } from 'zod'
import { chance, durationRange } from '../notation/fields.ts'
import { actionShape, undoableShape } from './actions.ts'

/** Events that trigger faults with `when:`, and their meanings. */
export const triggers = {
  'leader elected': 'a server has won an election',
  'leader stepped down': 'a leader has stepped down or lost its leadership',
  'vote given': 'a server has durably voted for another one',
  'entry appended': 'a server has made entries durable in its log',
  'entry committed': 'a server has learned that an entry is committed',
  'snapshot installed': "a server's state was replaced by a snapshot",
  'members changed': 'a leader has written another configuration of the consensus group into its log',
  'server crashed': 'a server was crashed by a fault or a step',
  'server started': 'a server has started, for the first time or again',
  'rotation begun':
    'a rotation of the mesh root is in the replicated state; it is the first server that knows, here and below',
  'root requested': 'step 1 of a rotation is done: there is a new root',
  'root crossed': 'step 2 of a rotation is done: the old root has signed the new one',
  'root activated': 'step 3 of a rotation is done: the new root is active',
  'leaf recorded': 'step 4 of a rotation begins: the first leaf of a root is about to be signed',
  'root removed': 'step 5 of a rotation is done: an old root is no longer listed',
  'write acknowledged': 'a write was acknowledged to a client; it is the server that answered',
} as const

export type Trigger = keyof typeof triggers
const triggerNames = Object.keys(triggers) as [Trigger, ...Trigger[]]

export const span = durationRange
  .optional()
  .describe(`Undoes the fault after this time. With ${Object.keys(undoableShape).join(', ')}.`)

/** One action of a fault. */
export const faultAction = z.strictObject({ ...actionShape, for: span }).superRefine((given, context) => {
  const issue = (message: string, path: readonly string[] = []): void => {
    context.issues.push({ code: 'custom', message, input: given, path: [...path] })
  }
  const actions = Object.keys(given).filter((key) => key !== 'for')
  if (actions.length !== 1)
    issue(`an item of a fault does one thing, this one ${actions.length}: give each its own '-'`)
  checkSpan(given, issue)
})

export type Issue = (message: string, path?: readonly string[]) => void

export function checkSpan(given: Readonly<Record<string, unknown>>, issue: Issue): void {
  if (given['for'] === undefined) return
  if (Object.keys(undoableShape).some((key) => given[key] !== undefined)) return
  issue(`'for' undoes a fault, and there is none here: it goes with ${Object.keys(undoableShape).join(', ')}`, ['for'])
}

export type FaultAction = z.output<typeof faultAction>

const actions = z.array(faultAction).min(1)

/** What goes wrong, and when. Exactly one of `every`, `at` and `when`; exactly one of `do` and `one of`. */
export const fault = z
  .strictObject({
    every: durationRange.optional().describe('Repeatedly, after a time drawn from this range.'),
    at: durationRange.optional().describe('Once, at this time of the run.'),
    when: z.enum(triggerNames).optional().describe('Whenever this happens; `it` is the server to which it happens.'),
    nth: z
      .union([z.int().min(1), z.array(z.int().min(1)).min(1)])
      .optional()
      .describe('Only the nth time it happens, or the times of a list: [2, 5]. Every time if absent.'),
    times: z
      .int()
      .min(1)
      .optional()
      .describe('Maximum number of firings. Neither this nor a list for nth changes any other decision of the run.'),
    chance: chance.optional().describe('The chance that it fires each time.'),
    after: durationRange.optional().describe('Delay after the event that `when` names.'),
    from: durationRange.optional().describe('Not before this time.'),
    until: durationRange.optional().describe('Not after this time.'),
    do: actions.optional().describe('All of these actions, at once.'),
    'one of': actions.optional().describe('One of these actions, drawn each time.'),
    swarm: chance
      .optional()
      .describe(
        "For each seed, each action of 'one of' is left out of the whole run with this chance, but one always stays; with 'do', the fault as a whole is left out.",
      ),
  })
  .superRefine((given, context) => {
    const issue = (message: string, path: readonly string[] = []): void => {
      context.issues.push({ code: 'custom', message, input: given, path: [...path] })
    }
    const causes = (['every', 'at', 'when'] as const).filter((key) => given[key] !== undefined)
    if (causes.length !== 1) {
      issue(
        `a fault has one trigger, this one ${causes.length === 0 ? 'none' : causes.join(' and ')}: give every, at or when`,
      )
    }
    const bodies = (['do', 'one of'] as const).filter((key) => given[key] !== undefined)
    if (bodies.length !== 1) issue(`give either 'do' (all of them) or 'one of' (one drawn each time)`)
    const texts = given['one of']?.map((action) => JSON.stringify(action)) ?? []
    if (new Set(texts).size < texts.length) issue('the same action is listed twice', ['one of'])
    if (given.nth !== undefined && given.at !== undefined) issue(`'nth' counts events, but 'at' happens once`, ['nth'])
    if (given.after !== undefined && given.when === undefined)
      issue(`'after' is the delay after the event of 'when': add 'when'`, ['after'])
    if (given.every !== undefined && given.every.max === 0) issue(`'every' needs a time above zero`, ['every'])
  })

export type Fault = z.output<typeof fault>
