import { describe, expect, it } from 'vitest'
import { MonotoneIndex } from '../../../sim/checkers/clients/monotone-index.ts'
import type { WaitingRead } from '../../../sim/checkers/clients/read-facts.ts'
import { WaitingAnswers } from '../../../sim/checkers/clients/waiting-answers.ts'
import { recorder } from './reports.ts'

/** Reads at c1, which is in contact since the first second unless a test says otherwise. */
function watched({ staleDefaultMs = 0, staleByDefault = false } = {}) {
  const { judge, lines, counts } = recorder()
  let nowUs = 2_000_000
  let contactUs: number | undefined = 1_000_000
  const indexes = new MonotoneIndex(judge)
  const run = { ...judge, nowUs: () => nowUs, contactSinceUs: () => contactUs, staleDefaultMs }
  const checker = new WaitingAnswers(run, indexes, { staleByDefault: () => staleByDefault })
  const plain = { query: '/v1/kv/k', agent: 'c1', server: undefined, consistency: 'default', isAhead: false } as const
  return {
    lines,
    counts,
    indexes,
    reached: (index: number) => checker.reached(index),
    later: (seconds: number) => {
      nowUs += seconds * 1e6
    },
    contact: (is: boolean) => {
      contactUs = is ? nowUs : undefined
    },
    began: (waited: number, part: Partial<WaitingRead> = {}) =>
      checker.began({ ...plain, waited, waitMs: 10_000, ...part }),
    answered: (read: WaitingRead, index: number, { isChanged = true, isStale = false } = {}) =>
      checker.answered({ read, index, isChanged, isStale, mayBeOld: false }),
    unanswered: (read: WaitingRead) => checker.unanswered(read),
  }
}

describe('W4', () => {
  it('takes a later index at any time, and the same one when the time is over', () => {
    const { began, answered, later, lines, counts } = watched()
    const first = began(5)
    later(1)
    answered(first, 7)
    const second = began(7)
    later(10.3)
    answered(second, 7)
    expect([lines, counts()]).toEqual([[], ['W4 5', 'W1 1']])
  })

  it('reports an answer before the time is over that has no later index', () => {
    const { began, answered, later, lines } = watched()
    const read = began(5)
    later(8)
    answered(read, 5)
    expect(lines).toEqual([
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and is answered with 5 after 8.000 s, its maximum wait being 10.000 s',
    ])
  })

  it('reports an index below the one waited for, but not of a stale read, nor of one that waits far ahead', () => {
    const { began, answered, later, lines } = watched()
    const [stale, ahead, fresh] = [
      began(5, { consistency: 'stale', server: 's1, boot 1' }),
      began(1_000, { isAhead: true }),
      began(5),
    ]
    later(10.2)
    answered(stale, 4)
    answered(ahead, 4)
    expect(lines).toEqual([])
    answered(fresh, 4)
    expect(lines).toEqual(['W4: /v1/kv/k at c1 waits for more than 5, and is answered with 4'])
  })

  it('excuses an index of an answer that says it is stale, but only where the agent is told to give such answers', () => {
    const excused = watched({ staleByDefault: true })
    const stale = excused.began(5)
    excused.later(10.2)
    excused.answered(stale, 4, { isStale: true })
    expect(excused.lines).toEqual([])
    for (const [agent, isStale] of [
      [watched({ staleByDefault: true }), false],
      [watched(), true],
    ] as const) {
      const read = agent.began(5)
      agent.later(10.2)
      agent.answered(read, 4, { isStale })
      expect(agent.lines).toEqual(['W4: /v1/kv/k at c1 waits for more than 5, and is answered with 4'])
    }
  })

  it('reports an answer that comes when its time is long over, or tells of what was committed long before', () => {
    const { began, answered, later, lines, reached, counts } = watched()
    const late = began(5)
    later(14)
    answered(late, 5)
    const [missed, told] = [began(5), began(6)]
    reached(8)
    later(10.1)
    reached(9)
    later(0.1)
    answered(missed, 8, { isChanged: false })
    expect([lines.length, counts().at(-1)]).toEqual([1, 'W4 excused: index alone 1'])
    answered(missed, 8)
    answered(told, 9)
    expect(lines).toEqual([
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and is answered after 14.000 s, its maximum wait being 10.000 s',
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and learns index 8 10.200 s after it was committed',
    ])
  })

  it('does not judge how long an answer takes of an agent that is out of reach, nor soon after', () => {
    const { began, answered, unanswered, later, lines, counts, contact } = watched()
    const [read, other] = [began(5), began(5)]
    contact(false)
    later(40)
    unanswered(other)
    contact(true)
    later(14.9)
    answered(read, 5)
    expect([lines, counts().toSorted()]).toEqual([[], ['W4 1', 'W4 excused: out of reach 2']])
  })

  it('reports an answer that comes minutes after the leader is back, and a change that it learns then', () => {
    const { began, answered, reached, later, lines, counts, contact } = watched()
    const [late, punctual, missed] = [began(5), began(5), began(5, { waitMs: 300_000 })]
    later(5)
    contact(true)
    reached(8)
    later(16)
    answered(punctual, 5)
    expect([lines, counts()]).toEqual([[], ['W4 2']])
    later(104)
    answered(late, 5)
    answered(missed, 8)
    expect(lines).toEqual([
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and is answered after 125.000 s, its maximum wait being 10.000 s',
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and learns index 8 105.000 s after it was committed',
    ])
  })

  it('reports a read that has no answer when its client gives up, unless it waits for nothing', () => {
    const { began, unanswered, later, lines, counts } = watched()
    const [read, first] = [began(5), began(0)]
    later(12)
    unanswered(read)
    expect([lines, counts()]).toEqual([[], ['W4 1']])
    later(20)
    unanswered(read)
    unanswered(first)
    expect(lines).toEqual([
      'W4: /v1/kv/k (default) at c1 waits for more than 5, and has no answer after 32.000 s, its maximum wait being 10.000 s',
    ])
  })

  it('compares the indexes of one query wherever it is asked, unless entries were lost or default reads may be old', () => {
    const { began, answered, lines, indexes, counts } = watched()
    answered(began(0), 9)
    const other = began(0, { agent: 's2' })
    answered(other, 8)
    expect(lines).toEqual(['W1: /v1/kv/k, default reads: index 8 after 9'])
    const begun = began(0)
    indexes.forget()
    answered(begun, 3)
    expect(counts()).toContain('W4 excused: majority lost 1')
    const old = watched({ staleDefaultMs: 1_000 })
    old.answered(old.began(0), 9)
    old.answered(old.began(0), 8)
    expect([old.lines, old.counts()]).toEqual([[], ['W4 excused: stale default reads 2']])
  })
})
