import { describe, expect, it } from 'vitest'
import { type Failure, failureIn, isEvidence } from '../../../sim/lessons/evidence.ts'
import type { TaskOf } from '../../../sim/lessons/lesson.ts'
import { smallLesson } from './small-lesson.ts'

const { evidence } = smallLesson().tasks[3] as TaskOf<'cause'>
const broken = { atUs: 4_000_000, words: 'VIOLATION of R9: s1 votes for s2.x (at last)' }
const failure = failureIn(evidence, broken) as Failure
const vote = { atUs: 3_000_000, node: 's1', words: 'sends to s2.x on 4: vote granted term 3' }

describe('the failure of a lesson', () => {
  it('is that which the lesson names, with the names in it', () => {
    expect(failure).toEqual({ atUs: 4_000_000, names: { voter: 's1', name: 's2.x' } })
    expect(failureIn(evidence, { ...broken, words: 'VIOLATION of R6: s1 forgets' })).toBe(undefined)
  })
})

describe('an event', () => {
  it('shows the cause if it says so, at the machine that the failure names, before it', () => {
    expect(isEvidence(evidence, failure, vote)).toBe(true)
    expect(isEvidence(evidence, failure, { ...vote, atUs: 4_000_000 })).toBe(true)
  })

  it.each([
    ['at another machine', { ...vote, node: 's2' }],
    ['too early', { ...vote, atUs: 1_999_999 }],
    ['after the failure', { ...vote, atUs: 4_000_001 }],
    ['with other words', { ...vote, words: 'timer fires' }],
    ['with words that only a pattern would match', { ...vote, words: 'sends to s2-x on 4: vote granted term 3' }],
  ])('does not show it %s', (_, event) => {
    expect(isEvidence(evidence, failure, event)).toBe(false)
  })

  it('may be at any machine, and as early as it likes, if the lesson does not say', () => {
    const { node: _, within: __, ...wide } = evidence
    expect(isEvidence(wide, failure, { ...vote, node: 's9', atUs: 0 })).toBe(true)
  })
})
