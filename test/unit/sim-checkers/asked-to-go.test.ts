import { describe, expect, it } from 'vitest'
import { AskedToGo } from '../../../sim/checkers/pool/asked-to-go.ts'
import { KeptRegistrations } from '../../../sim/checkers/pool/kept-registrations.ts'
import { recorder } from './reports.ts'

const second = 1_000_000

/** A pool that takes 100 s to agree; the test is its weather. */
function world() {
  const told: string[] = []
  const state = { nowUs: 0, calmUs: 0, leaders: 1, isFailed: false }
  const going = new AskedToGo({
    nowUs: () => state.nowUs,
    calmSinceUs: () => state.calmUs,
    leaders: () => state.leaders,
    isFailedForAll: () => state.isFailed,
    agreementBoundMs: () => 100_000,
    over: (node, id) => void told.push(`${node} ${id ?? 'another machine'}`),
  })
  const until = (atS: number): readonly string[] => {
    for (; state.nowUs < atS * second; state.nowUs += second) going.look()
    return told
  }
  going.began('c1')
  return { going, state, told, until }
}

describe('what excuses a removal that was asked for', () => {
  it('ends when the agent runs nevertheless, and a calm pool has had the time to agree', () => {
    const { going, until } = world()
    going.asked('c1', 'id-1')
    expect(until(100)).toEqual([])
    expect(until(103)).toEqual(['c1 id-1'])
    expect(until(300)).toEqual(['c1 id-1'])
  })

  it('ends while the agent is down, if none has heard that it left', () => {
    const { going, state, until } = world()
    going.asked('c1', 'id-1')
    until(50)
    going.died('c1')
    state.isFailed = true
    expect(until(150)).toEqual([])
    expect(until(153)).toEqual(['c1 id-1'])
  })

  it('lasts for the ID of a lost machine, whatever the others think of it', () => {
    const { going, state, until } = world()
    going.died('c1')
    going.replaced('c1')
    going.asked('c1', 'id-1')
    state.isFailed = true
    expect(until(1_000)).toEqual([])
  })

  it('lasts while the agent is down and one has heard that it left, and counts from its next beginning', () => {
    const { going, until } = world()
    going.asked('c1', 'id-1')
    going.died('c1')
    expect(until(1_000)).toEqual([])
    going.began('c1')
    expect(until(1_100)).toEqual([])
    expect(until(1_103)).toEqual(['c1 id-1'])
  })

  it('lasts while something disturbs the pool, no server leads or two do, and counts from when that is over', () => {
    const { going, state, until } = world()
    going.asked('c1', 'id-1')
    state.calmUs = Number.POSITIVE_INFINITY
    expect(until(500)).toEqual([])
    state.calmUs = 500 * second
    state.leaders = 2
    expect(until(900)).toEqual([])
    state.leaders = 1
    going.leaderBegan(900 * second)
    expect(until(1_000)).toEqual([])
    expect(until(1_003)).toEqual(['c1 id-1'])
  })

  it('begins anew each time that it is asked, and never ends for the ID of a machine that is lost', () => {
    const { going, until } = world()
    going.asked('c1', 'id-1')
    until(90)
    going.asked('c1', 'id-1')
    expect(until(180)).toEqual([])
    going.died('c1')
    going.replaced('c1')
    going.asked('c1', 'id-1')
    going.began('c1')
    expect(until(400)).toEqual(['c1 another machine'])
  })

  it('ends for the former name of an agent once all know that it runs under another', () => {
    const { going, until } = world()
    going.began('c1')
    going.renamed('c1', 'id-1')
    expect(until(100)).toEqual([])
    expect(until(103)).toEqual(['c1 id-1'])
  })

  it('so that E3 judges a later removal again, where it was excused for good', () => {
    const { judge, lines, counts } = recorder()
    const kept = new KeptRegistrations(judge, () => 0)
    kept.booted('c1')
    kept.mayGo('c1')
    kept.takenOut('c1')
    expect([counts(), lines]).toEqual([['E3 excused: asked to leave 1'], []])
    kept.stays('c1')
    kept.takenOut('c1')
    expect(lines).toEqual(['E3: c1 was removed from the catalog, although its agent runs and was never asked to leave'])
    kept.mayGo('c1')
    kept.died('c1')
    kept.stays('c1')
    kept.takenOut('c1')
    expect(lines.at(-1)).toBe(
      'E3: c1 was removed from the catalog, although its agent died 0 s ago and none has heard that it left',
    )
  })
})
