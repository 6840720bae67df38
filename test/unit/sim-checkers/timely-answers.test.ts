import { describe, expect, it } from 'vitest'
import type { ServiceVersion, ServiceVersions } from '../../../sim/checkers/reads/service-versions.ts'
import { TimelyAnswers } from '../../../sim/checkers/reads/timely-answers.ts'
import type { RefusedTimely, TimelyAnswer, WantedFreshness } from '../../../sim/checkers/reads/timely-facts.ts'
import { originCoordinate } from '../../../src/model/coordinate.ts'
import { recorder } from './reports.ts'

const calm: WantedFreshness = { mustRevalidate: false, maxAgeS: undefined, staleIfErrorS: undefined }

function told(part: Partial<TimelyAnswer> = {}): TimelyAnswer {
  const plain = {
    service: 'web',
    agent: 'c1',
    how: 'default',
    near: undefined,
    of: 'instances',
    told: 'one',
    nodes: [],
  } as const
  return { ...plain, calledUs: 30e6, lastContactMs: undefined, kept: undefined, ...part }
}

function kept(wanted: Partial<WantedFreshness>, hit: string, age?: string, is = 'one'): TimelyAnswer {
  return told({ how: 'cached', told: is, kept: { wanted: { ...calm, ...wanted }, hit, age } })
}

/** An agent in contact for long, and a service that was `one` alone from 25 s on. */
function judged({ isReached = true, known = true, changedUs = 0 } = {}) {
  const { judge, lines, counts } = recorder()
  const asked: number[] = []
  const place = (x: number) => ({ ...originCoordinate, vec: [x, 0, 0, 0, 0, 0, 0, 0] })
  const places = new Map([
    ['a', place(0)],
    ['b', place(0.01)],
    ['c', place(0.03)],
  ])
  const version = (instances: string, where = places) => ({
    instances,
    health: `${instances} {}`,
    found: `${instances} well`,
    offered: '',
    nodes: 'n',
    places: where,
    event: 0,
  })
  const former = new Map([...places, ['a', place(0.04)]])
  const versions = {
    between: (_service: string, fromUs: number): readonly ServiceVersion[] | undefined => {
      asked.push(fromUs)
      const before = fromUs < 25e6 ? [version('before', former)] : []
      return known ? [...before, version('one')] : undefined
    },
  } as unknown as ServiceVersions
  let nowUs = 31e6
  const contact = { changedUs, lapseUs: 500_000 }
  const run = { ...judge, nowUs: () => nowUs, contactSinceUs: () => (isReached ? 1e6 : undefined), staleDefaultMs: 0 }
  const checker = new TimelyAnswers(run, versions, contact)
  const at = (us: number): void => {
    nowUs = us
  }
  return { checker, lines, counts, asked, at }
}

describe('E8', () => {
  it('takes what there was, reports what there never was, and knows nothing of earlier times', () => {
    const { checker, lines, counts } = judged()
    checker.answered(told())
    checker.answered(told({ told: 'two' }))
    checker.answered(told({ told: 'before' }))
    expect(lines).toEqual([
      'E8: web (default) at c1, asked at 30.000000s, is two, and there were one',
      'E8: web (default) at c1, asked at 30.000000s, is before, and there were one',
    ])
    expect(counts()).toEqual(['E8 3'])
    const other = judged({ known: false })
    other.checker.answered(told())
    expect(other.counts()).toEqual(['E8 excused: not known 1'])
  })
})

describe('E8 and E9 of prepared queries', () => {
  it('compare what they find with the instances that there were without a critical check', () => {
    const { checker, lines } = judged()
    const kept = { wanted: calm, hit: 'HIT', age: '0' }
    checker.answered(told({ of: 'found', told: 'one well' }))
    checker.answered(told({ of: 'found', told: 'one well', how: 'cached', kept }))
    checker.answered(told({ of: 'found', told: 'one {}' }))
    checker.answered(told({ of: 'found', told: '', how: 'cached', kept }))
    expect(lines).toEqual([
      'E8: the query for web (default) at c1, asked at 30.000000s, is one {}, and there were one well',
      `E9: the query for web (cached with ${JSON.stringify(calm)}) at c1, asked at 30.000000s, is none, and there were one well`,
    ])
  })
})

describe('E8 of other lists', () => {
  it('compares health and nodes with what there was of them', () => {
    const { checker, lines } = judged()
    checker.answered(told({ of: 'health', told: 'one {}' }))
    checker.answered(told({ of: 'nodes', told: 'n' }))
    checker.answered(told({ of: 'health', told: 'one' }))
    checker.answered(told({ of: 'nodes', told: 'm' }))
    expect(lines).toEqual([
      'E8: health of web (default) at c1, asked at 30.000000s, is one, and there were one {}',
      'E8: the list of nodes (default) at c1, asked at 30.000000s, is m, and there were n',
    ])
  })

  it('lets a stale list be as old as it says, and no older', () => {
    const { checker, lines, asked } = judged()
    checker.answered(told({ how: 'stale', told: 'before', lastContactMs: 4_000 }))
    checker.answered(told({ how: 'stale', told: 'before', lastContactMs: 100 }))
    expect(asked).toEqual([30e6 - 4_240_000 - 2_500_000, 30e6 - 106_000 - 2_500_000])
    expect(lines).toEqual(['E8: web (stale) at c1, asked at 30.000000s, is before, and there were one'])
  })

  it('excuses a stale list of a server that knows no leader, or has just come back to it', () => {
    const { checker, lines, counts } = judged({ changedUs: 28e6 })
    checker.answered(told({ how: 'stale', told: 'before' }))
    checker.answered(told({ how: 'stale', told: 'before', lastContactMs: 0 }))
    expect(lines).toEqual([])
    expect(counts()).toEqual(['E8 excused: not known 1', 'E8 excused: catching up 1'])
  })
})

describe('E9', () => {
  it('takes an answer of an age that is accepted, and one that is asked for anew', () => {
    const { checker, lines } = judged({ isReached: false })
    for (const each of [
      kept({}, 'HIT', '7'),
      kept({ maxAgeS: 2 }, 'HIT', '2'),
      kept({ mustRevalidate: true }, 'MISS'),
      kept({ maxAgeS: 1, staleIfErrorS: 3 }, 'HIT', '3'),
    ]) {
      checker.answered(each)
    }
    expect(lines).toEqual([])
  })

  it('reports an age that is not accepted, or that is not told as it should be', () => {
    const { checker, lines } = judged({ isReached: false })
    const wrong = [
      kept({ mustRevalidate: true }, 'HIT', '0'),
      kept({ maxAgeS: 0 }, 'HIT', '0'),
      kept({ maxAgeS: 2 }, 'HIT', '3'),
      kept({ maxAgeS: 1, staleIfErrorS: 3 }, 'HIT', '4'),
      kept({}, 'HIT'),
      kept({}, 'MISS', '0'),
    ]
    for (const each of wrong) checker.answered(each)
    expect(lines).toHaveLength(wrong.length)
  })

  it('reports an old answer of an agent that could have asked, and one that is older than it says', () => {
    const { checker, lines, counts } = judged()
    checker.answered(kept({ mustRevalidate: true, staleIfErrorS: 600 }, 'HIT', '0'))
    expect(lines.at(-1)).toMatch(/comes from the cache, although the servers could be asked$/)
    checker.answered(kept({}, 'HIT', '0', 'before'))
    expect(lines.at(-1)).toMatch(/is before, and there were one$/)
    checker.answered(kept({}, 'HIT', '6', 'before'))
    expect(lines).toHaveLength(2)
    expect(counts()).toEqual(['E9 3'])
  })

  it('reports an age that is less than no server has run', () => {
    const { checker, lines, at, counts } = judged({ isReached: false })
    checker.began('s1')
    at(10e6)
    checker.died('s1')
    at(31e6)
    checker.answered(kept({}, 'HIT', '12'))
    expect(lines).toEqual([])
    checker.answered(kept({}, 'HIT', '3'))
    expect(lines).toEqual([expect.stringMatching(/claims an age of 3 s, but no server has run for 11.0 s or more$/)])
    expect(counts()).toEqual(['E9 2', 'E9 excused: out of reach 2'])
  })

  it('reports an age that is greater than the time since the agent asked a server', () => {
    const { checker, lines, at } = judged({ isReached: false })
    const asked = (calledUs: number, nowUs: number, answer: TimelyAnswer): void => {
      at(nowUs)
      checker.answered({ ...answer, calledUs })
    }
    asked(30e6, 31e6, kept({ mustRevalidate: true }, 'MISS'))
    // It was under way when the agent took the newer answer, and is from before that.
    asked(30.5e6, 32e6, kept({}, 'HIT', '9'))
    asked(40e6, 40.5e6, kept({}, 'HIT', '11'))
    asked(40e6, 40.5e6, { ...kept({}, 'HIT', '12'), agent: 'c2' })
    asked(40e6, 40.5e6, { ...kept({}, 'HIT', '12'), of: 'health' })
    expect(lines).toEqual([])
    asked(40e6, 40.5e6, kept({}, 'HIT', '12'))
    expect(lines).toEqual([
      expect.stringMatching(/claims an age of 12 s, but the agent asked a server for it 10.5 s ago$/),
    ])
  })
})

describe('E10', () => {
  it('takes what comes in the order of distance, those without a place last, and reports any other', () => {
    const { checker, lines, counts } = judged()
    checker.answered(told({ near: 'b', nodes: ['b', 'a', 'c', 'nowhere'] }))
    checker.answered(told({ near: 'nowhere', nodes: ['c', 'a'] }))
    expect([lines, counts()]).toEqual([[], ['E8 2', 'E10 1']])
    checker.answered(told({ near: 'b', nodes: ['b', 'c', 'a'] }))
    expect(lines).toEqual([expect.stringMatching(/is in the order b 0.0000\d+, c 0.02\d+, a 0.01\d+ s from b$/)])
  })

  it('takes the order of the time since the contact that a stale answer names', () => {
    const { checker, lines, counts } = judged()
    const farthest = { near: 'b', nodes: ['b', 'c', 'a'] }
    checker.answered(told({ ...farthest, how: 'stale', lastContactMs: 6_000 }))
    expect([lines, counts()]).toEqual([[], ['E8 1', 'E10 1']])
    checker.answered(told({ ...farthest, how: 'stale', lastContactMs: 500 }))
    expect(lines).toHaveLength(1)
  })
})

describe('E9 of an agent that no server answers', () => {
  const asked = { service: 'web', of: 'instances', agent: 'c1', calledUs: 32e6 } as const
  const question: RefusedTimely = { ...asked, wanted: calm, status: 500 }

  it('demands what the agent has in its cache, if the client accepts it at any age', () => {
    const { checker, lines, counts } = judged()
    checker.answered(kept({}, 'MISS'))
    checker.refused(question)
    checker.refused({ ...question, wanted: { mustRevalidate: true, maxAgeS: undefined, staleIfErrorS: 600 } })
    expect(lines).toEqual([
      expect.stringMatching(/^E9: web \(cached with .*\) at c1, .* is answered with 500, although the agent has it in/),
      expect.stringMatching(/^E9: web \(cached with .*600.*\) at c1, /),
    ])
    expect(counts()).toEqual(['E9 3'])
  })

  it.each<[string, Partial<RefusedTimely>]>([
    ['of another list', { of: 'health' }],
    ['at another agent', { agent: 'c2' }],
    ['asked before the agent had it', { calledUs: 30e6 }],
    ['that must be asked anew', { wanted: { ...calm, mustRevalidate: true } }],
    ['of a certain age', { wanted: { ...calm, maxAgeS: 2 } }],
    ['of an age that is too great in an outage', { wanted: { ...calm, maxAgeS: 1, staleIfErrorS: 3 } }],
    ['about what a server does not know yet', { status: 404 }],
  ])('demands nothing for a question %s', (_what, part) => {
    const { checker, lines } = judged()
    checker.answered(kept({}, 'MISS'))
    checker.refused({ ...question, ...part })
    expect(lines).toEqual([])
  })

  it('demands nothing of an agent that has begun anew', () => {
    const { checker, lines } = judged()
    checker.answered(kept({}, 'MISS'))
    checker.died('c1')
    checker.refused(question)
    expect(lines).toEqual([])
  })
})
