import { describe, expect, it } from 'vitest'
import type { EventListing, FiredEvent, ListedEvent } from '../../../sim/checkers/events/event-facts.ts'
import { EventLists } from '../../../sim/checkers/events/event-lists.ts'
import { EventSpread } from '../../../sim/checkers/events/event-spread.ts'
import { EventWaits } from '../../../sim/checkers/events/event-waits.ts'
import type { Membership } from '../../../sim/checkers/pool/membership.ts'
import { recorder } from './reports.ts'

function fired(content: string, more: Partial<FiredEvent> = {}): FiredEvent {
  return { content, agent: 'a', isForNode: undefined, id: undefined, calledUs: 5e6, ...more }
}

describe('V1', () => {
  function spread() {
    const { judge, lines, counts } = recorder()
    let wholeUs = 1e6
    const checker = new EventSpread({ ...judge, nowUs: () => 9e6 }, {
      wholeSinceUs: () => wholeUs,
    } as unknown as Membership)
    const look = (event: FiredEvent, isThere: boolean, after: 'gossip' | 'exchange') =>
      checker.looked({ event, firedUs: 6e6, node: 'b', isThere, after })
    const disturb = (us: number): void => {
      wholeUs = us
    }
    return { checker, look, lines, counts, disturb }
  }

  it('reports what has not come after an exchange, and looks again before', () => {
    const { checker, look, lines, counts } = spread()
    const event = fired('deploy 1')
    checker.began(event)
    look(event, true, 'gossip')
    look(event, false, 'gossip')
    expect(lines).toEqual([])
    look(event, false, 'exchange')
    expect(lines).toEqual(['V1: deploy 1, fired at a, has not reached b after 3000 ms'])
    expect(counts()).toEqual(['V1 2', 'V1 excused: by exchange 1'])
  })

  it('reports gossip that misses more than one in twenty', () => {
    for (const missed of [2, 3]) {
      const { checker, look, lines } = spread()
      const event = fired('deploy 1')
      checker.began(event)
      for (let nth = 0; nth < 40; nth++) look(event, nth >= missed, 'gossip')
      checker.ended()
      expect(lines.length).toBe(missed - 2)
    }
  })

  it('excuses what was fired into a disturbed pool, or a pool that was disturbed then', () => {
    const { checker, look, counts, disturb, lines } = spread()
    disturb(7e6)
    const early = fired('deploy 1')
    checker.began(early)
    disturb(1e6)
    look(early, false, 'exchange')
    const late = fired('deploy 2')
    checker.began(late)
    disturb(8e6)
    look(late, false, 'exchange')
    expect([lines, counts()]).toEqual([[], ['V1 excused: disturbed 2']])
  })
})

const [one, two, three] = [
  '00000000-0000-0000-0000-000000000003',
  '00000000-0000-0001-0000-000000000005',
  '00000000-0000-0000-0000-00000000000f',
]
const indexes = new Map([
  ['', '1'],
  [one, '3'],
  [two, '4'],
  [three, '15'],
])

function listing(ids: readonly (readonly [string, number])[], more: Partial<EventListing> = {}): EventListing {
  const events = ids.map(([id, lamport]): ListedEvent => ({ id, lamport, content: `deploy ${id}` }))
  const index = indexes.get(ids.at(-1)?.[0] ?? '') ?? ''
  return { node: 'b', boot: 1, name: '', calledUs: 0, wait: undefined, index, events, ...more }
}

describe('V2', () => {
  function lists() {
    const { judge, lines, counts } = recorder()
    let nowUs = 0
    const checker = new EventLists(judge, () => nowUs)
    for (const id of [one, two, three]) checker.began(fired(`deploy ${id}`), 1)
    const listed = (ids: Parameters<typeof listing>[0], more: Partial<EventListing> = {}) =>
      checker.listed(listing(ids, { calledUs: ++nowUs, ...more }))
    return { checker, listed, lines, counts }
  }

  it('takes a list that grows at its end, and another order at another agent', () => {
    const { listed, lines, counts } = lists()
    listed([])
    listed([[one, 1]])
    listed([
      [one, 1],
      [two, 2],
    ])
    listed(
      [
        [two, 2],
        [one, 1],
      ],
      { node: 'c' },
    )
    listed([[two, 2]], { boot: 2 })
    expect([lines, counts()]).toEqual([[], ['V2 5']])
  })

  it('reports an event that is there twice, changes its place, goes, or was never fired', () => {
    const { listed, lines } = lists()
    listed([
      [one, 1],
      [one, 1],
    ])
    expect(lines.at(-1)).toMatch(/has an event 2 times: /)
    listed(
      [
        [one, 1],
        [two, 2],
      ],
      { node: 'c' },
    )
    listed(
      [
        [two, 2],
        [one, 1],
      ],
      { node: 'c' },
    )
    expect(lines.at(-1)).toMatch(/at c is .*, but was .* before/)
    listed([[two, 2]], { node: 'd' })
    listed([], { node: 'd' })
    expect(lines.at(-1)).toMatch(/at d is empty, but was .* before/)
    listed([], { events: [{ id: one, lamport: 1, content: 'restart 7' }], index: '3', node: 'e' })
    expect(lines.at(-1)).toMatch(/has restart 7, which was never fired/)
    expect(lines).toHaveLength(4)
  })

  it('lets a full list lose its oldest events, and a list of one name too, but no other list', () => {
    const { checker, listed, lines } = lists()
    const idOf = (event: number): string => `00000000-0000-0000-0000-${event.toString(16).padStart(12, '0')}`
    for (let event = 1; event <= 257; event++) checker.began(fired(`deploy ${idOf(event)}`), 1)
    const list = (first: number, last: number, more: Partial<EventListing> = {}): void => {
      const events = Array.from({ length: last - first + 1 }, (_, at) => [idOf(first + at), first + at] as const)
      listed(events, { index: `${last}`, ...more })
    }
    list(1, 256)
    list(2, 257)
    list(1, 3, { node: 'c', name: 'deploy' })
    list(2, 3, { node: 'c', name: 'deploy' })
    list(1, 255, { node: 'd' })
    expect(lines).toEqual([])
    list(2, 256, { node: 'd' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^V2: the list at d is .*, but was .* before$/)
  })

  it('reports another index, time or ID, an event for others, and one of another name', () => {
    const { checker, listed, lines } = lists()
    listed([[one, 1]], { index: '1' })
    expect(lines).toEqual(['V2: the list at b has the index 1, but its last event has 3'])
    listed([[one, 2]], { node: 'c' })
    expect(lines.at(-1)).toMatch(/as .* at 2, but b has it as .* at 1/)
    checker.began(fired(`deploy ${two}`, { isForNode: (node) => node === 'a', id: three }), 1)
    listed([[two, 9]], { node: 'd' })
    expect(lines.slice(-2)).toEqual([
      `V2: the list at d has deploy ${two}, whose filters exclude this agent`,
      `V2: the list at d has deploy ${two} with the ID ${two}, but it was fired with ${three}`,
    ])
    listed([[three, 9]], { node: 'f', name: 'restart' })
    expect(lines.at(-1)).toBe(`V2: the list of restart at f has deploy ${three}, which has another name`)
  })

  it('reports an event that is no later than one that its agent had listed when it was fired', () => {
    const { checker, listed, lines } = lists()
    listed([[one, 7]], { node: 'a' })
    checker.began(fired(`deploy ${two}`), 1)
    listed([[two, 7]])
    expect(lines).toEqual([
      `V2: the list at b has deploy ${two} with the Lamport time 7, fired at a, which had listed one of 7 before`,
    ])
  })
})

describe('W5', () => {
  function waits() {
    const { judge, lines, counts } = recorder()
    const now = { us: 0, calmUs: -1 }
    const pool = {
      laws: {
        weather: {
          get calmSinceUs() {
            return now.calmUs
          },
        },
      },
    } as unknown as Membership
    const checker = new EventWaits({ ...judge, nowUs: () => now.us }, pool)
    const wait = { node: 'b', boot: 1, name: '', index: '3', waitMs: 10_000, calledUs: 0 }
    checker.began(wait)
    return { checker, wait, now, lines, counts }
  }

  it('takes another index at any time, and the same one when the time is over', () => {
    const { checker, wait, now, lines, counts } = waits()
    now.us = 2e6
    checker.listed(listing([[two, 1]], { wait }))
    const later = { ...wait, calledUs: 2e6 }
    checker.began(later)
    now.us = 12e6
    checker.listed(listing([[one, 1]], { wait: later }))
    expect([lines, counts()]).toEqual([[], ['W5 1']])
  })

  it('reports an answer with the same index before the time is over', () => {
    const { checker, wait, now, lines } = waits()
    now.us = 2e6
    checker.listed(listing([[one, 1]], { wait }))
    expect(lines).toEqual([
      'W5: a blocking query for events at b waits beyond index 3, but was answered with that index before its wait time of 10000 ms was over',
    ])
  })

  it('reports a list that waits on although another answer has the change, unless an agent slept meanwhile', () => {
    for (const [calmUs, found] of [
      [
        -1,
        [
          'W5: a blocking query for events at b waits beyond index 3, but was answered 9000 ms after another answer had a newer index',
        ],
      ],
      [4e6, []],
    ] as const) {
      const { checker, wait, now, lines, counts } = waits()
      now.us = 1e6
      checker.listed(listing([[two, 1]], { calledUs: 0.5e6 }))
      now.us = 10e6
      now.calmUs = calmUs
      checker.listed(listing([[two, 1]], { wait }))
      expect(lines).toEqual(found)
      expect(counts()).toEqual([calmUs < 0 ? 'W5 1' : 'W5 excused: disturbed 1'])
    }
  })
})
