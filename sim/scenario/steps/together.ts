import { z } from 'zod'
import { actionShape } from '../../faults/actions.ts'
import { checkSpan, span } from '../../faults/fault-schema.ts'
import type { Answer } from '../answers.ts'
import { checkExpectation, expectation } from './expectation.ts'
import { workload } from './kept.ts'
import { judgeRequest, preparedRequest, request } from './requests.ts'
import { type Path, type StepRun, step } from './step.ts'

/** One of the things that a step does at the same moment: none of them takes time, except waiting for answers. */
const togetherItem = z
  .strictObject({
    ...actionShape,
    http: request.optional(),
    workload: workload.schema.optional(),
    expect: expectation.optional(),
    for: span,
  })
  .superRefine((given, context) => {
    const issue = (message: string, path: readonly string[] = []): void => {
      context.issues.push({ code: 'custom', message, input: given, path: [...path] })
    }
    const actions = Object.keys(given).filter((key) => key !== 'for' && key !== 'expect')
    if (actions.length !== 1)
      issue(`an item of 'together' does one thing, this one ${actions.length}: give each its own '-'`)
    if (given.expect !== undefined && given.http === undefined)
      issue("'expect' is of an answer here: put it beside http, or into a step of its own", ['expect'])
    checkSpan(given, issue)
    checkExpectation(given, issue)
  })

type TogetherItem = z.output<typeof togetherItem>

/** A request under way. */
interface Sent {
  readonly item: TogetherItem
  readonly path: Path
  readonly server: string
  /** Absent until it arrives. */
  answer?: Answer | string
}

/**
 * Does several things at one moment of true time: first each of them in the order of the list, with no time in between,
 * then waits for the answers to all requests and judges them in that order.
 */
async function performTogether(run: StepRun, items: readonly TogetherItem[], path: Path): Promise<void> {
  const sent: Sent[] = []
  let waitMs = 0
  for (const [at, item] of items.entries()) {
    const here = [...path, 'together', at]
    if (item.http === undefined) doNow(run, item, here)
    else {
      const request = send(run, item, here)
      if (request !== undefined) {
        sent.push(request.sent)
        waitMs = Math.max(waitMs, request.timeoutMs * 2)
      }
    }
    if (run.hasFailed()) return
  }
  if (sent.length > 0) await run.passUntil(() => sent.every(({ answer }) => answer !== undefined), waitMs)
  for (const { item, path: here, server, answer = 'the run ended first' } of sent) {
    if (run.hasFailed()) return
    judgeRequest(run, item, server, answer, here)
  }
}

function doNow(run: StepRun, item: TogetherItem, path: Path): void {
  if (item.workload !== undefined) return run.workload.switch(item.workload)
  const deed = run.injector.perform(item, run.stepScope())
  if (deed.ok) run.tell('fault', deed.value)
  else run.fail(path, `cannot be done: ${deed.error}`)
}

function send(
  run: StepRun,
  item: TogetherItem,
  path: Path,
): { readonly sent: Sent; readonly timeoutMs: number } | undefined {
  const prepared = preparedRequest(run, item, path)
  if (prepared === undefined) return undefined
  const { server, to, request } = prepared
  const sent: Sent = { item, path, server }
  run.driver.send(to, request, (answer) => {
    sent.answer = answer
  })
  return { sent, timeoutMs: request.timeoutMs }
}

export const together = step(
  z
    .array(togetherItem)
    .min(2)
    .describe(
      'Several actions at the same moment: changes to the cluster, requests (http with expect) and workload, each its own item. No time passes between them; then the step waits for all answers.',
    ),
  performTogether,
  (items) => items.flatMap(({ http }) => http?.save ?? []),
)
