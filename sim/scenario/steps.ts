import type { Step } from './language/scenario-schema.ts'
import type { RunContext } from './run-context.ts'
import { stepKinds } from './steps/steps.ts'

/** Performs one step; an unmet expectation fails the run with the place of the step. */
export async function performStep(run: RunContext, step: Step, path: readonly PropertyKey[]): Promise<void> {
  for (const [key, given] of Object.entries(step)) {
    const kind = given === undefined ? undefined : stepKinds[key]
    if (kind !== undefined && !(key === 'expect' && step.http !== undefined))
      return kind.perform(run, given, path, step)
  }
  const deed = run.injector.perform(step, run.stepScope())
  if (deed.ok) run.tell('fault', deed.value)
  else run.fail(path, `cannot be done: ${deed.error}`)
}
