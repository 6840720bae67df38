import { describe, expect, it } from 'vitest'
import { type Comparison, comparisonOf, shownOf } from '../../../sim/comparison/comparison.ts'
import { comparisonJson } from '../../../sim/comparison/comparison-json.ts'
import { comparisonLines, type Told } from '../../../sim/comparison/comparison-text.ts'
import { eventIdentity } from '../../../sim/comparison/event-identity.ts'
import { Names } from '../../../sim/comparison/event-table.ts'
import { RunReading } from '../../../sim/comparison/reading.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

/** What an event says beside its number; a millisecond after the one before it, at s1, if nothing else is said. */
type Event = Readonly<Record<string, unknown>>

function records(events: readonly Event[]): readonly TraceRecord[] {
  return events.map((event, at) => ({ node: 's1', t: 1_000 * at, causes: [], ...event, n: at + 1 }) as never)
}

function note(text: string, more: Event = {}): Event {
  return { kind: 'note', text, ...more }
}

function decision(text: string, t: number): Event {
  return { kind: 'decision', id: 'a'.repeat(16), text, t, node: 'world' }
}

function compared(
  first: readonly Event[],
  second: readonly Event[],
): { readonly comparison: Comparison; readonly lines: readonly string[]; readonly json: object } {
  const names = new Names()
  const [one, other] = [new RunReading(names), new RunReading(names)]
  for (const record of records(first)) one.take(record)
  for (const record of records(second)) other.take(record)
  const comparison = comparisonOf(one, other)
  const [a, b] = comparison.isTurned ? [second, first] : [first, second]
  const { differences, places } = shownOf(comparison)
  const told = (events: readonly Event[], wanted: ReadonlySet<number>, title: string): Told => ({
    title,
    records: new Map([...records(events).entries()].filter(([at]) => wanted.has(at))),
  })
  const both = { a: told(a, places.a, 'one'), b: told(b, places.b, 'other') }
  return {
    comparison,
    lines: comparisonLines(comparison, differences, both),
    json: comparisonJson(comparison, differences, both),
  }
}

const failure: Event = { kind: 'violation', node: 'world', code: 'R6', text: 'two votes', causes: [3] }

describe('the identity of an event', () => {
  it('is what happens, without time, numbers, IDs and spans that chance decides', () => {
    const segment = (id: number, stream: number): string => {
      const means = [{ layer: 'rpc', name: 'request', id, method: 'KV.Get', about: { key: 'a' } }]
      return eventIdentity(records([{ kind: 'segment', from: 's2', stream, size: 40 + id, means }])[0] as TraceRecord)
    }
    expect(segment(7, 1)).toBe(segment(19, 2))
    const said = (text: string): string => eventIdentity(records([note(text)])[0] as TraceRecord)
    expect(said('waits 12ms at 10.0.0.1:8301')).toBe(said('waits 3.5ms at 10.0.0.1:49152'))
    expect(said('session 00000000-0000-4000-8000-000000000002')).toBe(
      said('session ffffffff-0000-4000-8000-00000000000a'),
    )
    expect(said('term 4')).not.toBe(said('term 5'))
  })
})

describe('two runs', () => {
  it('are paired event by event though one of them has more in between', () => {
    const { comparison } = compared(
      [note('a'), note('beat'), note('b'), note('beat'), note('c')],
      [note('a'), note('beat'), note('beat'), note('b'), note('beat'), note('c')],
    )
    expect([...comparison.alignment.there]).toEqual([0, 1, 3, 4, 5])
    expect([...comparison.alignment.back]).toEqual([0, 1, -1, 2, 3, 4])
  })

  it('are paired where messages came in another order, but not what is alike at another time', () => {
    const { comparison } = compared(
      [note('x'), note('a'), note('b'), note('last', { t: 10_000 })],
      [note('x'), note('b'), note('a'), note('end', { t: 11_000 })],
    )
    expect([...comparison.alignment.there]).toEqual([0, 2, 1, -1])
    const far = compared([note('a'), note('b')], [note('b'), note('a', { t: 9_000_000 }), note('c', { t: 9_000_001 })])
    expect(far.comparison.alignment.pairs).toBe(1)
  })

  it('part where one does something else from the same cause, whichever of them was named first', () => {
    const sound = [note('a'), note('asked', { causes: [1] }), note('refuses', { causes: [2] }), note('goes on')]
    const broken = [note('a'), note('asked', { causes: [1] }), note('grants', { causes: [2] }), failure]
    const { lines, json, comparison } = compared(sound, broken)
    expect(comparison.isTurned).toBe(true)
    expect(lines).toEqual([
      'A: one: fails at 0.003000 s: R6: two votes',
      'B: other: passes, 0.003000 s',
      '   4 and 4 events: the first 2 are equal and come at the same microsecond; of the others 0 % have a counterpart',
      'first divergence:',
      '  A     0.002000  s1         #3  grants',
      '  B     0.002000  s1         #3  refuses',
      'first difference on the chain of causes (of the 4 events that led to the failure of A, 2 have no counterpart in B):',
      '  =     0.001000  s1         #2  asked',
      '  A     0.002000  s1         #3  grants',
      '  B     0.002000  s1         #3  refuses',
    ])
    expect(json).toMatchObject({
      turned: true,
      equal: 2,
      a: { failure: { event: 4, text: 'R6: two votes' } },
      chain: {
        events: 4,
        alone: 2,
        roots: [{ event: { n: 3 }, from: { a: { n: 2 } }, instead: [{ text: 'refuses' }] }],
      },
    })
  })

  it('tell which faults and operations only one of them has, up to the end of the shorter one', () => {
    const { lines } = compared(
      [decision('firing: crash, occurrence 1', 1_000), decision('firing: cut', 2_000), note('x', { t: 9_000 })],
      [decision('firing: crash, occurrence 1', 1_000), note('x', { t: 9_000 }), decision('operation 7', 99_000)],
    )
    expect(lines).toContain('neither run fails, so that there is no chain of causes to look at')
    expect(lines.at(-2)).toBe('faults and operations of A alone: 1')
    expect(lines.at(-1)).toMatch(/#2 {2}decision: firing: cut$/)
  })

  it('are equal', () => {
    expect(compared([note('a'), note('b')], [note('a'), note('b')]).lines).toContain('the runs are equal')
  })
})
