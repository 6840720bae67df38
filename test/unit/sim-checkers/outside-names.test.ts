import { describe, expect, it } from 'vitest'
import type { OutsideAnswer } from '../../../sim/checkers/reads/outside-facts.ts'
import { OutsideNames } from '../../../sim/checkers/reads/outside-names.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { recorder } from './reports.ts'

const recursors = [
  { host: '10.0.0.1', port: 53 },
  { host: '10.0.0.2', port: 53 },
]
const truth = { rcode: 'NOERROR', addresses: ['192.0.2.1', '192.0.2.2'] } as const

/** The law in a run in which agents give each of two recursors 2 s. */
function judged({ loss = 0, there = 2 } = {}) {
  const { judge, lines, counts } = recorder()
  let nowUs = 0
  const network = { rttMs: 6, rttMaxMs: 10, loss }
  const settings = { dnsOf: () => ({ recursors, recursorTimeoutMs: 2_000 }) as never, releaseOf: () => newestRelease }
  const law = new OutsideNames({ ...judge, network, nowUs: () => nowUs }, settings)
  const begin = (name: string, verdicts: readonly (number | undefined)[]): void => {
    law.began({ node: 's1', name, recursors: ['10.0.0.1:53', '10.0.0.2:53'].slice(0, there) })
    for (const [at, verdictInMs] of verdicts.entries())
      law.asked({ node: 's1', name, recursor: `10.0.0.${at + 1}:53`, verdictInMs })
  }
  const answer = (name: string, part: Partial<OutsideAnswer>, tookMs = 100): void => {
    const calledUs = nowUs
    nowUs += tookMs * 1000
    const plain = { node: 's1', name, calledUs, rcode: 'NOERROR', addresses: truth.addresses, truncated: false }
    law.answered({ ...plain, truth, isCalm: true, ...part })
  }
  return { begin, answer, lines, counts }
}

describe('N3', () => {
  it('takes what recursors say, cut where the answer says so, and a failure after each was asked in vain', () => {
    const { begin, answer, lines, counts } = judged()
    begin('a', [20])
    answer('a', {})
    const long = Array.from({ length: 100 }, (_, at) => `192.0.2.${at}`)
    begin('b', [undefined, 20])
    answer('b', { addresses: long.slice(0, 60), truncated: true, truth: { rcode: 'NOERROR', addresses: long } })
    begin('c', [undefined, undefined])
    answer('c', { rcode: 'SERVFAIL', addresses: [] }, 4_100)
    begin('d', [undefined])
    answer('d', { rcode: 'NXDOMAIN', addresses: [], truth: { rcode: 'NXDOMAIN', addresses: [] } })
    expect([lines, counts()]).toEqual([[], ['N3 4']])
  })

  it('reports an answer that no recursor gave', () => {
    const { begin, answer, lines } = judged()
    for (const [name, part] of [
      ['a', { addresses: ['192.0.2.1', '203.0.113.66'] }],
      ['b', { addresses: ['192.0.2.1'], truncated: true }],
      ['c', { rcode: 'NXDOMAIN', addresses: [] }],
    ] as const) {
      begin(name, [20])
      answer(name, part)
    }
    expect(lines).toEqual([
      'N3: s1 answers NOERROR with 203.0.113.66 for a, of which the recursors say NOERROR with 2 addresses',
      'N3: s1 answers NOERROR with 1 addresses for b, of which the recursors say NOERROR with 2 addresses',
      'N3: s1 answers NXDOMAIN with 0 addresses for c, of which the recursors say NOERROR with 2 addresses',
    ])
  })

  it('reports a failure before every recursor was asked, after one answered, or too late', () => {
    const { begin, answer, lines } = judged()
    begin('a', [undefined])
    answer('a', { rcode: 'REFUSED', addresses: [] })
    begin('b', [undefined, 20])
    answer('b', { rcode: 'SERVFAIL', addresses: [] }, 2_100)
    begin('b in a moment', [20, undefined])
    answer('b in a moment', { rcode: 'SERVFAIL', addresses: [] }, 41)
    begin('b on its way', [20, undefined])
    answer('b on its way', { rcode: 'SERVFAIL', addresses: [] }, 39)
    begin('c', [undefined, undefined])
    answer('c', { rcode: 'SERVFAIL', addresses: [] }, 6_000)
    begin('d', [undefined, undefined])
    answer('d', { rcode: undefined, addresses: [] }, 15_000)
    begin('e', [20])
    answer('e', {}, 6_000)
    expect(lines).toEqual([
      'N3: s1 answers REFUSED for a, and has not asked 10.0.0.2:53',
      'N3: s1 answers SERVFAIL for b, although a recursor has answered',
      'N3: s1 answers SERVFAIL for b in a moment, although a recursor has answered',
      'N3: s1 has answered SERVFAIL for c in 6.0 s, although its recursors have 5.7 s',
      'N3: s1 has not answered for d in 15.0 s, although its recursors have 5.7 s',
      'N3: s1 has answered NOERROR for e in 6.0 s, although its recursors have 5.7 s',
    ])
  })

  it('asks for no recursor that is not there', () => {
    const { begin, answer, lines } = judged({ there: 1 })
    begin('a', [undefined])
    answer('a', { rcode: 'SERVFAIL', addresses: [] }, 4_100)
    expect(lines).toEqual([])
  })

  it('excuses failures in a disturbance, and where datagrams may be lost', () => {
    const calm = judged()
    calm.begin('a', [])
    calm.answer('a', { rcode: undefined, addresses: [], isCalm: false })
    expect([calm.lines, calm.counts()]).toEqual([[], ['N3 excused: disturbed 1']])
    const lossy = judged({ loss: 0.01 })
    lossy.begin('a', [20])
    lossy.answer('a', { rcode: 'SERVFAIL', addresses: [] })
    expect([lossy.lines, lossy.counts()]).toEqual([[], ['N3 excused: lost on the way 1']])
  })
})
