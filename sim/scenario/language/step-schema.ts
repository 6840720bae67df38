import { z } from 'zod'
import { actionShape } from '../../faults/actions.ts'
import { checkSpan, type Issue, span } from '../../faults/fault-schema.ts'
import { answerKeys, expectation, http, stepShape, workload } from './action-schema.ts'
import { conditionShape } from './condition-schema.ts'

/** One of the things that a step does at the same moment: none of them takes time, except waiting for answers. */
const together = z
  .strictObject({
    ...actionShape,
    http: http.optional(),
    workload,
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

export const step = z
  .strictObject({
    step: z.string().min(1).describe('A title: what happens here, in one clause.'),
    ...actionShape,
    ...stepShape,
    together: z
      .array(together)
      .min(2)
      .optional()
      .describe(
        'Several things at the same moment: what changes the cluster, requests (http with expect) and workload, each its own item. No time passes between them, and then all answers are waited for.',
      ),
    expect: expectation.optional(),
    for: span,
  })
  .superRefine((given, context) => {
    const issue = (message: string, path: readonly string[] = []): void => {
      context.issues.push({ code: 'custom', message, input: given, path: [...path] })
    }
    const stated = Object.keys(given).filter((key) => key !== 'step' && key !== 'for')
    const actions = given.http === undefined ? stated : stated.filter((key) => key !== 'expect')
    if (actions.length === 0) issue(`this step does nothing: add one action, such as 'wait: 5s' or 'crash: leader'`)
    if (actions.length > 1) issue(`a step does one thing, this one has ${actions.join(' and ')}: make them two steps`)
    checkSpan(given, issue)
    checkExpectation(given, issue)
  })

interface Expecting {
  readonly http?: unknown
  readonly expect?: z.output<typeof expectation> | undefined
}

function checkExpectation(given: Expecting, issue: Issue): void {
  const { expect } = given
  if (expect === undefined) return
  const keys = Object.keys(expect)
  const ofAnswer = keys.filter((key) => (answerKeys as readonly string[]).includes(key))
  const ofCluster = keys.filter((key) => Object.hasOwn(conditionShape, key))
  if (keys.length === 0) issue('nothing is expected: add a condition', ['expect'])
  if (given.http === undefined && ofAnswer.length > 0) {
    issue(`'${ofAnswer[0]}' is expected of an answer, and this step sends no http request`, [
      'expect',
      ofAnswer[0] as string,
    ])
  }
  if (given.http !== undefined && ofCluster.length > 0) {
    issue(`'${ofCluster[0]}' is a condition on the cluster: put it into a step of its own`, [
      'expect',
      ofCluster[0] as string,
    ])
  }
}

export type TogetherItem = z.output<typeof together>
export type Step = z.output<typeof step>
