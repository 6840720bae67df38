import { describe, expect, it } from 'vitest'
import { Events } from '../../../sim/explain/events.ts'
import { explained, shownLines } from '../../../sim/explain/explanation.ts'
import { suspectsOf, togetherOf } from '../../../sim/explain/suspects.ts'
import type { Meaning } from '../../../sim/report/meaning.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

type Given = {
  readonly kind: TraceRecord['kind']
  readonly node?: string
  readonly causes?: readonly number[]
} & Record<string, unknown>

/** Numbers and times are the places in the list. */
function eventsOf(given: readonly Given[]): Events {
  const events = new Events()
  for (const [at, { node = 'world', causes = [], ...fields }] of given.entries()) {
    events.add({ n: at + 1, t: (at + 1) * 100_000, node, causes, ...fields } as unknown as TraceRecord)
  }
  return events
}

const vote = (term: number, votedFor: string): readonly Meaning[] => [
  { layer: 'log', name: 'hard-state', term, votedFor },
]
const id = 'aaaaaaaaaaaaaaaa'
const story: readonly Given[] = [
  { kind: 'decision', id: '0'.repeat(16), text: 'rule {}' },
  { kind: 'diskWrite', node: 's5', file: 4, at: 0, size: 9, means: vote(52, 's1') },
  { kind: 'diskWrite', node: 's5', file: 4, at: 0, size: 9, means: vote(53, 's2') },
  { kind: 'decision', id, text: 'firing: when at s5, occurrence 1', causes: [1] },
  { kind: 'driver', node: 'driver', text: 'crash s5, for 4 ms', story: 'fault', causes: [4] },
  { kind: 'crash', node: 's5', boot: 1, text: 'reset', causes: [4, 5] },
  { kind: 'boot', node: 's5', boot: 2, causes: [4] },
  {
    kind: 'datagram',
    node: 's5',
    from: 's4',
    size: 1,
    fate: 'arrives',
    causes: [7],
    means: [{ layer: 'gossip', name: 'ping', sequence: 1, member: 's5' }],
  },
  { kind: 'diskWrite', node: 's5', file: 4, at: 9, size: 9, means: vote(53, 's4'), causes: [7] },
  { kind: 'diskDone', node: 's5', operation: 'writeSynced', causes: [9] },
  { kind: 'violation', code: 'R6', text: 's5 wrote a vote for s4 in term 53 after one for s2', causes: [10] },
]

describe('the chain of causes', () => {
  const events = eventsOf(story)
  const explanation = explained(events, 0, ['votes', 'terms'])
  if (explanation === undefined) throw new Error('there is a violation')
  const lines = shownLines(explanation, 30).flatMap((line) => ('more' in line ? [] : [line]))

  it('has earlier facts of the same term, the fault between, and the violation last', () => {
    expect(lines.map(({ node, what }) => `${node} ${what}`)).toEqual([
      's5 writes to its disk: its vote is for s2 in term 53',
      'fault crash s5, for 4 ms',
      's5 restarts, life 2',
      's5 writes to its disk: its vote is for s4 in term 53',
      'law s5 wrote a vote for s4 in term 53 after one for s2',
    ])
  })

  it('tells causes from what is beside them', () => {
    expect(lines.map(({ chained }) => chained.isCause)).toEqual([false, false, true, true, true])
  })

  it('takes neither a duration nor the words of a message for a thing', () => {
    const text = "not within 1.5s: kv: { key: jobs/1 }: s1 answers status 500, 'No cluster leader'"
    const unmet = explained(eventsOf([{ kind: 'violation', code: 'page', text }]), 0, [])
    expect([...(unmet?.things.names ?? [])]).toEqual(['jobs/1'])
  })

  it('says why each matters', () => {
    expect(lines[0]?.why).toBe('it may not vote for another candidate in term 53')
    expect(lines[1]?.why).toContain('unsynced writes may be lost')
  })

  it('has no more lines than asked for', () => {
    expect(shownLines(explanation, 3)).toHaveLength(3)
  })

  it('names the firing behind the fault as a suspect', () => {
    expect(suspectsOf(events, explanation)).toMatchObject([
      { kind: 'fault', text: 'crash s5, for 4 ms', without: [id], rule: 1 },
    ])
  })

  it('has a fault without an arrow to the violation as the last suspect: it may have made everything late', () => {
    const slow: readonly Given[] = [
      { kind: 'decision', id: 'bbbbbbbbbbbbbbbb', text: 'firing: at 1s' },
      { kind: 'driver', node: 'driver', text: 'slow network of servers', story: 'fault', causes: [1] },
    ]
    const later = story.map(({ causes = [], ...event }) => ({ ...event, causes: causes.map((n) => n + slow.length) }))
    const all = eventsOf([...slow, ...later])
    const told = explained(all, 0, ['votes', 'terms'])
    if (told === undefined) throw new Error('there is a violation')
    expect(suspectsOf(all, told).map(({ text }) => text)).toEqual(['crash s5, for 4 ms', 'slow network of servers'])
  })

  it('is undefined of a violation that is not there', () => {
    expect(explained(events, 1, ['votes'])).toBeUndefined()
  })
})

describe('suspects together', () => {
  const suspect = (name: string, rule: number) =>
    ({ kind: 'fault', text: name, atUs: 1, without: [name], rule, cost: 1 }) as const

  it('are all of a rule, then its pairs', () => {
    const together = togetherOf([suspect('a', 1), suspect('b', 1), suspect('c', 1), suspect('d', 2)], 9)
    expect(together.map(({ without }) => without.join(' '))).toEqual(['a b c', 'a b', 'a c', 'b c'])
  })
})

describe('the chain of causes of a law that judges when an entry is committed', () => {
  const entry = (index: number): readonly Meaning[] => [
    {
      layer: 'log',
      name: 'entry',
      index,
      term: 2,
      kind: 'command',
      command: 'catalog.deregister',
      about: { node: 'c1' },
    },
  ]
  const events = eventsOf([
    { kind: 'diskWrite', node: 's1', file: 4, at: 0, size: 9, means: entry(51) },
    { kind: 'diskWrite', node: 's1', file: 4, at: 9, size: 9, means: entry(52), causes: [1] },
    { kind: 'note', node: 's1', text: 'commits up to entry 52 in term 2', causes: [2] },
    { kind: 'violation', code: 'S4', text: 'session a-1 still exists, although its check web-1 is gone', causes: [3] },
  ])

  it('has the entry itself, whatever it names, and before others that are not about it', () => {
    const explanation = explained(events, 0, ['locks', 'catalog'])
    if (explanation === undefined) throw new Error('there is a violation')
    const chain = explanation.chain.map(({ event, isStranger }) => [event.n, isStranger])
    expect(chain).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, false],
    ])
  })
})
