import { z } from 'zod'
import type { Issue } from '../../faults/fault-schema.ts'
import { template } from '../../notation/fields.ts'
import { conditionShape } from '../conditions/conditions.ts'

/** What an answer must be, next to `http`; or conditions on the cluster, alone. */
export const expectation = z
  .strictObject({
    status: z.int().min(100).max(599).optional().describe('Of the answer.'),
    body: template.optional().describe('The whole body of the answer, or /a regular expression/.'),
    headers: z
      .record(z.string(), template)
      .optional()
      .describe('Headers of the answer, each as the whole text or /pattern/.'),
    ...conditionShape,
  })
  .describe('With http: what the answer must be. Alone: conditions that must hold now.')

const answerKeys = ['status', 'body', 'headers'] as const

export type Expectation = z.output<typeof expectation>

interface Expecting {
  readonly http?: unknown
  readonly expect?: Expectation | undefined
}

export function checkExpectation(given: Expecting, issue: Issue): void {
  const { expect } = given
  if (expect === undefined) return
  const keys = Object.keys(expect)
  const ofAnswer = keys.filter((key) => (answerKeys as readonly string[]).includes(key))
  const ofCluster = keys.filter((key) => Object.hasOwn(conditionShape, key))
  if (keys.length === 0) issue('nothing is expected: add a condition', ['expect'])
  if (given.http === undefined && ofAnswer.length > 0) {
    issue(`'${ofAnswer[0]}' is about an answer, but this step sends no http request`, ['expect', ofAnswer[0] as string])
  }
  if (given.http !== undefined && ofCluster.length > 0) {
    issue(`'${ofCluster[0]}' is a condition on the cluster: put it into a step of its own`, [
      'expect',
      ofCluster[0] as string,
    ])
  }
}
