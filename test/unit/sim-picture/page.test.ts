import { describe, expect, it } from 'vitest'
import { countedIn, parts } from '../../../sim/page/counts.ts'
import { eventWords } from '../../../sim/page/event-words.ts'
import { joined } from '../../../sim/page/fault-times.ts'
import { geometryOf, nameWidth, TimeScale } from '../../../sim/page/geometry.ts'
import { wordsAt } from '../../../sim/page/hover.ts'
import { faultWordsOf } from '../../../sim/page/lane-drawing.ts'
import { arrowsIn } from '../../../sim/page/messages.ts'
import { operationsOf } from '../../../sim/page/operations.ts'
import { pickedAt } from '../../../sim/page/picking.ts'
import {
  explainingEvents,
  hashOf,
  panned,
  showing,
  showingNextChain,
  spanWords,
  viewOfHash,
  wholeView,
  zoomed,
} from '../../../sim/page/view.ts'
import { fitted, Words } from '../../../sim/page/words.ts'
import { type FilmOverview, noAnswer, stillWaiting } from '../../../sim/picture/film-format.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

const lane = { kind: 'server', lives: [], roles: [], progress: [], beliefs: [], clock: [], releases: [] } as const
const machine = (name: string) => ({ ...lane, name, density: [1] })
const overview: FilmOverview = {
  scenario: 'test',
  seed: 1,
  build: '1.4.0',
  endUs: 10_000_000,
  events: 4,
  agents: {},
  machines: [machine('world'), machine('s1'), machine('s2'), { ...machine('s3'), density: [0] }],
  story: [],
  violations: [],
  faults: [],
  bars: [],
  operations: { atUs: [], tookUs: [], status: [], n: [], machine: [] },
  pieces: [],
  leftOut: [],
}
const whole = wholeView(overview)

describe('what a page of a run shows', () => {
  it('keeps the moment under the mouse where it is, and stays within the run', () => {
    const near = zoomed(whole, 4_000_000, 0.1, overview)
    expect([near.fromUs, near.toUs]).toEqual([3_600_000, 4_600_000])
    expect(zoomed(near, 4_000_000, 100, overview)).toMatchObject({ fromUs: 0, toUs: 10_000_000 })
    expect(panned(near, -9_000_000, overview)).toMatchObject({ fromUs: 0, toUs: 1_000_000 })
    const nearest = zoomed(near, 4_000_000, 0, overview)
    expect(nearest.toUs - nearest.fromUs).toBe(1000)
    expect(showing(near, 9_900_000, overview)).toMatchObject({ fromUs: 9_000_000, cursorUs: 9_900_000 })
  })

  it('is in the link, and comes back from it', () => {
    const view = { ...zoomed(whole, 4_000_000, 0.1, overview), cursorUs: 4_100_000, machine: 's2', selected: 3 }
    expect(hashOf(view)).toBe('#t=4.1&n=s2&e=3&w=1')
    expect(viewOfHash(hashOf(view), whole, overview)).toEqual(view)
    expect(viewOfHash('#t=nonsense&n=nobody&e=-1', whole, overview)).toEqual(whole)
    expect(viewOfHash('#t=99', whole, overview).cursorUs).toBe(10_000_000)
  })

  it('explains one violation at a time, and keeps in the link which', () => {
    const violation = (n: number, first: number) => {
      const link = (at: number) => ({ n: at, atUs: at * 1_000_000, node: 's1', what: '', why: '' })
      return { n, atUs: n * 1_000_000, code: 'R1', text: '', chain: [link(first), link(n)] }
    }
    const broken = { ...overview, violations: [violation(5, 2), violation(7, 6)] }
    expect([...explainingEvents(broken, whole)]).toEqual([2, 5])
    const first = showingNextChain(whole, broken)
    expect(first).toMatchObject({ violation: 0, selected: 5, cursorUs: 5_000_000 })
    const second = showingNextChain(first, broken)
    expect(second).toMatchObject({ violation: 1, selected: 7, cursorUs: 7_000_000 })
    expect([...explainingEvents(broken, second)]).toEqual([6, 7])
    expect(viewOfHash(hashOf(second), whole, broken).violation).toBe(1)
    expect(viewOfHash('#v=3', whole, broken).violation).toBe(0)
    expect(showingNextChain(second, broken).violation).toBe(0)
    expect(showingNextChain(whole, overview)).toBe(whole)
  })

  it('has the names of agents in place of their IDs', () => {
    const id = '00000000-0000-4000-8000-000000000001'
    const event: TraceRecord = { n: 1, t: 0, node: 's2', kind: 'note', causes: [], text: `hears of ${id}` }
    expect(eventWords(event, { agents: { [id]: 's1' } })).toBe('hears of s1')
    expect(eventWords(event, overview)).toBe(`hears of ${id}`)
  })

  it('says how long a part of the plots lasts, however near', () => {
    expect([2_400_000, 319_000, 5_300, 333.3].map(spanWords)).toEqual(['2.4 s', '319 ms', '5.3 ms', '333 us'])
  })

  it('says what is wrong with the links of a machine, cut or slow', () => {
    const fault = (kind: 'cut' | 'link', machines: readonly number[], text: string) => {
      return { kind, machines, text, fromUs: 0, toUs: 10_000_000 }
    }
    const faults = [fault('cut', [1, 2], 's1 to s2: cut'), fault('link', [2, 1], 's2 to s1: 600 to 1200 ms')]
    const [box] = geometryOf(overview).lanes
    if (box === undefined) expect.fail('s1 has no lane')
    expect(faultWordsOf(faults, box.place, box.lane, overview)).toBe('cut from s2, links to s2: 600 to 1200 ms')
  })

  it('has no lane for what never did anything, nor for the world', () => {
    expect(geometryOf(overview).lanes.map((box) => box.lane.name)).toEqual(['s1', 's2'])
  })

  it('puts bars that hold at one time below each other', () => {
    const bar = (fromUs: number, toUs: number) => ({ row: 'roots', text: '', fromUs, toUs })
    const { rows } = geometryOf({ ...overview, bars: [bar(0, 5), bar(3, 8), bar(5, 9)] })
    const tops = rows[0]?.boxes.map(({ top }) => top - (rows[0]?.top ?? 0))
    expect(tops).toEqual([0, 16, 0])
  })

  it('counts operations by the time of their question, failures apart, and none that still waits', () => {
    const operations = {
      atUs: [0, 1, 2, 9_999_999],
      tookUs: [2000, 4000, 5, 1],
      status: [200, 404, stillWaiting, noAnswer],
      n: [1, 2, 3, 4],
      machine: [1, 1, 1, 1],
    }
    const counted = countedIn({ operations }, whole)
    expect([counted.answered[0], counted.failed[0], counted.failed[parts - 1]]).toEqual([2, 0, 1])
    expect([counted.median[0], counted.slow[0], counted.median[1]]).toEqual([2, 2, null])
  })

  it('shades times of several faults once', () => {
    const faults = [
      { fromUs: 0, toUs: 5 },
      { fromUs: 3, toUs: 9 },
      { fromUs: 9, toUs: 10 },
      { fromUs: 20, toUs: 21 },
    ]
    expect(joined(faults)).toEqual([
      [0, 10],
      [20, 21],
    ])
  })
})

describe('requests', () => {
  it('of clients are rows of their lane, each as long as it took; the one that is hit is named', () => {
    const lanes = overview.machines.with(2, { ...machine('clients-1'), kind: 'other' })
    const film = {
      ...overview,
      machines: lanes,
      operations: {
        atUs: [1_000_000, 0, 4_000_000],
        tookUs: [2_000_000, 2_000_000, 1_000_000],
        status: [500, 200, 200],
        n: [8, 7, 9],
        machine: [2, 2, 2],
      },
    }
    const operations = operationsOf(film)
    expect(operations.get(2)?.map(({ n, row }) => [n, row])).toEqual([
      [7, 0],
      [8, 1],
      [9, 0],
    ])
    const scene = {
      geometry: geometryOf(film),
      scale: new TimeScale(whole, nameWidth + 1000),
      pieces: [],
      arrows: [],
      view: whole,
      operations,
      overview: film,
    }
    const top = scene.geometry.lanes.find(({ place }) => place === 2)?.top ?? 0
    expect(pickedAt(nameWidth + 250, top + 9, scene)).toEqual({ machine: 'clients-1', n: 8 })
    expect(wordsAt(nameWidth + 250, top + 9, scene)[1]).toBe('request of 1.000 s: answered 500 after 2000.0 ms')
    expect(pickedAt(nameWidth + 350, top + 9, scene).n).toBeUndefined()
  })
})

describe('words', () => {
  const context = { fillText: (text: string) => written.push(text), fillRect: () => undefined, measureText: widthOf }
  const written: string[] = []

  it('never cover one another: those that come first keep their place', () => {
    const words = new Words(context as never, { lane: '' } as never)
    const all = [words.write('leader', 0, 8, ''), words.writePlated('cut', 60, 12, ''), words.write('own', 30, 8, '')]
    expect([...all, words.writePlated('own', 30, 20, '')]).toEqual([true, true, false, true])
    expect(written).toEqual(['leader', 'cut', 'own'])
  })

  it('end with an ellipsis where there is no room for all, and are left out where nothing could be read', () => {
    expect([fitted('contenders', 100, 10), fitted('contenders', 72, 10), fitted('contenders', 45, 10)]).toEqual([
      'contenders',
      'conten…',
      '',
    ])
  })
})

function widthOf(text: string): { readonly width: number } {
  return { width: text.length * 8 }
}

describe('messages of a page', () => {
  const means = [
    { layer: 'raft', name: 'vote-request', pre: false, term: 2, lastIndex: 1, lastTerm: 1, transfer: false },
  ]
  const rpc = [{ layer: 'rpc', name: 'ping' }, ...means]
  const events = [
    { n: 1, t: 1_000_000, node: 's1', kind: 'segmentSent', causes: [], to: 's2', stream: 1, size: 9, means: rpc },
    { n: 2, t: 2_000_000, node: 's2', kind: 'segment', causes: [1], from: 's1', stream: 1, size: 9, means: rpc },
    { n: 3, t: 3_000_000, node: 's2', kind: 'segmentLost', causes: [2], to: 's1', stream: 1, tries: 0, means },
    { n: 4, t: 4_000_000, node: 's2', kind: 'log', causes: [2], text: 'a' },
  ] as TraceRecord[]
  const piece = { span: { fromUs: 0, toUs: 4, first: 1, last: 4 }, states: {}, events }

  it('go from their sending to their arrival, or nowhere; a vote within a frame is a vote', () => {
    expect(arrowsIn([piece])).toEqual([
      { from: 's1', to: 's2', fromUs: 1_000_000, toUs: 2_000_000, layer: 'votes', isLost: false, n: 2 },
      { from: 's2', to: 's1', fromUs: 3_000_000, toUs: 3_000_000, layer: 'votes', isLost: true, n: 3 },
    ])
  })

  it('are hit between their ends, and events on their lane', () => {
    const geometry = geometryOf(overview)
    const scale = new TimeScale(whole, nameWidth + 1000)
    const scene = { geometry, scale, pieces: [piece], arrows: arrowsIn([piece]), view: whole, operations: new Map() }
    const [s1, s2] = geometry.lanes.map(({ top, height }) => top + height / 2)
    const between = pickedAt(nameWidth + 150, ((s1 ?? 0) + (s2 ?? 0)) / 2, scene)
    expect(between.n).toBe(2)
    expect(pickedAt(nameWidth + 400, s2 ?? 0, scene)).toEqual({ machine: 's2', n: 4 })
    const hidden = { ...scene, view: { ...whole, hidden: new Set(['votes'] as const) } }
    expect(pickedAt(nameWidth + 150, ((s1 ?? 0) + (s2 ?? 0)) / 2, hidden).n).toBeUndefined()
  })
})
