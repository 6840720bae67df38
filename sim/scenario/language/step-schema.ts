import { z } from 'zod'
import { actionShape } from '../../faults/actions.ts'
import { checkSpan, span } from '../../faults/fault-schema.ts'
import { checkExpectation } from '../steps/expectation.ts'
import { stepShape } from '../steps/steps.ts'

export const step = z
  .strictObject({
    step: z.string().min(1).describe('A title: what happens here, in one clause.'),
    ...actionShape,
    ...stepShape,
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

export type Step = z.output<typeof step>
