import { describe, expect, it } from 'vitest'
import { Absences } from '../../../sim/report/absences.ts'
import type { Meaning } from '../../../sim/report/meaning.ts'

const append = {
  layer: 'raft',
  name: 'append-request',
  term: 2,
  prev: 1,
  prevTerm: 1,
  count: 0,
  commit: 1,
  round: 1,
  entries: [],
} satisfies Meaning
const ping = { layer: 'gossip', name: 'ping', sequence: 1, member: 's2' } satisfies Meaning

describe('the causes of a silence', () => {
  it('are the last message that would have ended it, and those that were lost since', () => {
    const absences = new Absences()
    absences.dropped({ event: 1, from: 's1', to: 's2', means: [append] })
    absences.arrived(2, 's1', 's2', [append])
    absences.dropped({ event: 3, from: 's1', to: 's2', means: [append] })
    absences.dropped({ event: 4, from: 's1', to: 's2', means: [ping] })
    absences.dropped({ event: 5, from: 's1', to: 's3', means: [append] })
    absences.dropped({ event: 6, from: 's1', to: 's2', means: [ping, append] })
    expect(absences.of('raft.election', 's2', 0)).toEqual([2, 3, 6])
    expect(absences.of('raft.election', 's3', 0)).toEqual([5])
    expect(absences.of('gossip.reap', 's2', 0)).toEqual([])
  })

  it('are those of the last one heard where packets cannot be read, and the end of its machine', () => {
    const absences = new Absences()
    absences.arrived(2, 's1', 's2', [append])
    absences.fellSilent(3, 's3')
    absences.fellSilent(4, 's1')
    absences.dropped({ event: 5, from: 's1', to: 's2', means: undefined })
    absences.dropped({ event: 6, from: 's3', to: 's2', means: undefined })
    expect(absences.of('raft.election', 's2', 0)).toEqual([2, 4, 5])
  })
})

describe('the causes of an answer that did not come', () => {
  it('are what was lost of the question and of all that followed from it', () => {
    const absences = new Absences()
    // Event 10 asks and sets the timer; 11 leaves, arrives as 12, and its answer 13 is lost. 14 has nothing to do with
    // it.
    for (const [event, cause] of [
      [10, 9],
      [11, 10],
      [12, 11],
      [13, 12],
      [14, 9],
    ] as const) {
      absences.happened(event, cause)
    }
    absences.dropped({ event: 13, from: 's2', to: 's1', means: undefined })
    absences.dropped({ event: 14, from: 's2', to: 's1', means: undefined })
    expect(absences.of('rpc.answer', 's1', 10)).toEqual([13])
    expect(absences.of('rpc.answer', 's1', 12)).toEqual([13])
    expect(absences.of('rpc.answer', 's1', 14)).toEqual([])
  })
})

describe('what is remembered', () => {
  it('is bounded, however much is lost and heard', () => {
    const absences = new Absences()
    for (let event = 1; event <= 400_000; event++) {
      const [from, to] = [`s${event % 5}`, `s${(event + 1) % 5}`]
      absences.happened(event, Math.max(0, event - 3))
      absences.dropped({ event, from, to, means: [append] })
      absences.arrived(event, from, to, event % 1000 === 0 ? [append] : [ping])
    }
    expect(absences.retained).toEqual({ drops: 5 * 256, heard: 1 })
    // Of a long silence the last ones are named.
    expect(absences.of('raft.election', 's2', 0)).toHaveLength(32)
    // What led to an event long ago is forgotten, and taken for nothing.
    expect(absences.descends(200_000, 199_997)).toBe(false)
    expect(absences.descends(400_000, 399_997)).toBe(true)
  })
})
