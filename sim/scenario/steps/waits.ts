import { z } from 'zod'
import { formatDuration } from '../../../src/base/duration.ts'
import { drawRange } from '../../faults/action-scope.ts'
import { duration, durationRange } from '../../notation/fields.ts'
import {
  atLeastOneCondition,
  type Condition,
  conditionShape,
  conditionText,
  isDear,
  judgeAsked,
} from '../conditions/conditions.ts'
import { expectation } from './expectation.ts'
import { type Path, type StepRun, step } from './step.ts'

/** Interval at which an awaited condition is judged. */
const lookEveryMs = 10
/** The same for costly conditions, which send requests, or look at proxies or states. */
const askEveryMs = 100

export const wait = step(durationRange.describe('Let time pass.'), (run, range) =>
  run.pass(drawRange(run.stepScope().draw, range)),
)

/** Conditions that must come to hold within a time. */
export const awaited = z.strictObject({ within: duration, ...conditionShape }).superRefine(atLeastOneCondition)

export const eventually = step(
  awaited.describe('Waits until the conditions hold; fails if they do not within the time.'),
  (run, given, path) => performEventually(run, given, [...path, 'eventually']),
)

export async function performEventually(run: StepRun, given: z.output<typeof awaited>, path: Path): Promise<void> {
  const untilUs = run.simulation.nowUs + given.within * 1000
  let found: string | undefined
  while (!run.hasFailed()) {
    found = await unmet(run, given)
    if (found === undefined) return
    const leftMs = (untilUs - run.simulation.nowUs) / 1000
    if (leftMs <= 0) break
    await run.pass(Math.min(leftMs, isDear(given) ? askEveryMs : lookEveryMs))
  }
  if (run.hasFailed()) return
  const what = `not within ${formatDuration(given.within)}: ${conditionText(given)}`
  const lateMs = Math.round((run.simulation.nowUs - untilUs) / 1000)
  // Without these words a reader wonders at the time of the failure.
  const late = lateMs < askEveryMs ? '' : ` (this answer came ${formatDuration(lateMs)} after that time)`
  run.fail(path, `${what}: ${found}${late}`)
}

const held = z.strictObject({ for: duration, ...conditionShape }).superRefine(atLeastOneCondition)

export const always = step(
  held.describe('The conditions must hold from now on for this time.'),
  async (run, given, path) => {
    let found = run.judge(given)
    await run.passUntil(() => {
      found ??= run.judge(given)
      return found !== undefined
    }, given.for)
    if (found !== undefined) run.fail([...path, 'always'], `always ${conditionText(given)}: now ${found}`)
  },
)

export const never = step(
  held.describe('The conditions must hold at no moment from now on for this time.'),
  async (run, given, path) => {
    const isMet = await run.passUntil(() => run.judge(given) === undefined, given.for)
    if (isMet) run.fail([...path, 'never'], `never ${conditionText(given)}: now it is so`)
  },
)

/** Beside a request it is of the answer, and the request judges it. */
export const expect = step(expectation, async (run, given, path) => {
  const found = await unmet(run, given)
  if (found !== undefined) run.fail([...path, 'expect'], `expected ${conditionText(given)}: ${found}`)
})

/** What is true instead of the conditions; undefined if all hold. */
async function unmet(run: StepRun, conditions: Partial<Condition>): Promise<string | undefined> {
  return run.judge(conditions) ?? (await judgeAsked(conditions, run))
}
