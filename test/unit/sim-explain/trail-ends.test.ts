import { describe, expect, it } from 'vitest'
import { Events } from '../../../sim/explain/events.ts'
import { trailEnds } from '../../../sim/explain/trail-ends.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

/** A kind, a node, and the numbers of the causes, counted from 1. */
type Given = readonly [kind: TraceRecord['kind'], node: string, ...causes: readonly number[]]

function endsIn(...given: readonly Given[]): readonly number[] {
  const events = new Events()
  const all = given.map(([kind, node, ...causes], at) => ({ n: at + 1, t: at, node, kind, causes }) as TraceRecord)
  for (const event of all) events.add(event)
  return trailEnds(events, all.at(-1) as TraceRecord).map(({ n }) => n)
}

/** A client connects and asks; the server writes to its disk. */
const asked: readonly Given[] = [
  ['action', 'driver'],
  ['segmentSent', 'driver', 1],
  ['segment', 's1', 2],
  ['diskFile', 's1', 3],
  ['diskDone', 's1', 4],
]
const timeout: Given = ['timer', 'driver', 1]

describe('the trail of a question', () => {
  it('ends with the last thing that was done for it, where the time for its answer is over', () => {
    expect(endsIn(...asked, timeout, ['violation', 'world', 6])).toEqual([5])
  })

  it('has the end of each of its branches', () => {
    const branch: Given = ['datagramSent', 's1', 3]
    expect(endsIn(...asked, branch, timeout, ['violation', 'world', 7])).toEqual([6, 5])
  })

  it('does not end where there was an answer', () => {
    const answered: readonly Given[] = [
      ['segmentSent', 's1', 5],
      ['segment', 'driver', 6],
    ]
    expect(endsIn(...asked, ...answered, timeout, ['violation', 'world', 8])).toEqual([])
  })

  it('is that of another thing for which the asked agent waits, if it does nothing else', () => {
    const before: readonly Given[] = [
      ['action', 'driver'],
      ['diskFile', 's1'],
      ['diskDone', 's1', 2],
      ['diskFile', 's1', 3],
      // Of these two completed writes nothing came of the second, and the one of s2 is not waited for.
      ['diskDone', 's1', 4],
      ['diskDone', 's2'],
      ['segmentSent', 'driver', 1],
      ['segment', 's1', 7],
    ]
    const ended: readonly Given[] = [timeout, ['violation', 'world', 9]]
    expect(endsIn(...before, ...ended)).toEqual([8, 5])
    const usual = Array.from({ length: 13 }, (): Given => ['diskDone', 's1'])
    const shifted: readonly Given[] = [
      ['action', 'driver'],
      ...usual,
      ['segmentSent', 'driver', 1],
      ['segment', 's1', 15],
      timeout,
      ['violation', 'world', 17],
    ]
    expect(endsIn(...shifted)).toEqual([16])
  })

  it('says nothing where it led on to more and more', () => {
    const many = Array.from({ length: 3_000 }, (_, at): Given => ['timer', 's1', at + 5])
    expect(endsIn(...asked, ...many, timeout, ['violation', 'world', 3_006])).toEqual([])
  })

  it('is followed only if the violation is that a time is over', () => {
    expect(endsIn(...asked, ['violation', 'world', 5])).toEqual([])
  })
})
