import { describe, expect, it } from 'vitest'
import { Bars } from '../../../sim/picture/bars.ts'
import { Density } from '../../../sim/picture/density.ts'
import { FilmMaker } from '../../../sim/picture/film.ts'
import { Latest } from '../../../sim/picture/latest.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

const header = { v: 1 as const, scenario: 'long', seed: 1, build: '1.4.0', nodes: ['s1', 'clients-1'] }

function maker(options: { readonly packedCharsMax?: number; readonly operationsMax?: number } = {}): FilmMaker {
  return new FilmMaker({ header, gzip: (bytes) => bytes, evidenceOf: () => [], demandOf: () => undefined, ...options })
}

function event(n: number, fields: object): TraceRecord {
  return { n, t: n * 1000, node: 's1', kind: 'log', causes: [], text: 'a', ...fields } as TraceRecord
}

describe('the film of a long run', () => {
  it('forgets the oldest steps, but of each thing not the last that was said', () => {
    const steps = new Latest<readonly [number, string, string]>(24, ([, member]) => member)
    steps.push([0, 's9', 'alive'])
    for (let at = 1; at <= 1000; at++) steps.push([at, `s${at % 2}`, `word ${at}`])
    expect(steps.steps.length).toBeLessThanOrEqual(24)
    expect(steps.steps[0]).toEqual([0, 's9', 'alive'])
    expect(steps.last).toEqual([1000, 's0', 'word 1000'])
    expect(steps.forgotten.count + steps.steps.length).toBe(1001)
    expect(steps.forgotten.beforeUs).toBeGreaterThan(900)
    for (let at = 1001; at <= 3000; at++) steps.push([at, `s${at}`, 'each its own'])
    expect(steps.steps.length).toBeLessThanOrEqual(24)
    expect(steps.last?.[0]).toBe(3000)
  })

  it('counts events in memory that does not grow with their number, and where they were', () => {
    const density = new Density()
    for (let at = 0; at < 100_000; at++) density.add(at < 50_000 ? at : at * 1000)
    const steps = density.steps(100_000_000, 100)
    expect(steps.reduce((sum, count) => sum + count)).toBe(100_000)
    expect(steps[0]).toBe(50_000)
    expect(steps.slice(50).every((count) => Math.abs(count - 1000) < 30)).toBe(true)
    expect(steps.slice(1, 49).every((count) => count === 0)).toBe(true)
  })

  it('keeps the end of a run whose events have no room, with states that are right there, and says so', () => {
    const film = maker({ packedCharsMax: 1_000_000 })
    for (let n = 1; n <= 30_000; n++) film.add(event(n, n === 1 ? { state: { datacenter: 'dc1' } } : {}))
    expect(film.piece(0)).toBe('')
    const { overview, pieces } = film.end()
    const gone = overview.pieces.filter(({ isGone }) => isGone === true)
    expect(gone.length).toBeGreaterThan(0)
    expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThanOrEqual(1_000_000)
    expect(overview.leftOut).toEqual([{ what: 'events', count: gone.at(-1)?.last, beforeUs: gone.at(-1)?.toUs }])
    const kept = JSON.parse(Buffer.from(pieces.at(-1) ?? '', 'base64').toString())
    expect(kept.states.s1).toEqual({ datacenter: 'dc1' })
    expect(kept.events.at(-1).n).toBe(30_000)
    expect(overview.machines[1]?.density.reduce((sum, count) => sum + count)).toBe(30_000)
  })

  it('leaves the oldest requests, lines, faults and beliefs out, and says of each how many', () => {
    const film = maker({ operationsMax: 100 })
    const request = { means: [{ layer: 'http', name: 'request', method: 'GET', target: '/', bytes: 0 }] }
    const answer = { means: [{ layer: 'http', name: 'answer', status: 200, bytes: 0 }] }
    let n = 0
    const add = (fields: object): void => film.add(event(++n, fields))
    for (let at = 0; at < 300; at++) {
      add({ node: 'clients-1', kind: 'segmentSent', to: 's1', stream: 1, size: 1, ...request })
      add({ node: 'clients-1', kind: 'segment', from: 's1', stream: 1, size: 1, ...answer })
    }
    for (let at = 0; at < 12_000; at++) {
      add({ node: 'driver', kind: 'driver', story: 'note', text: `line ${at}` })
      add({ kind: 'diskFault', text: 'syncs fail', value: 1 - (at % 2) })
      const status = at % 2 === 0 ? 'alive' : 'failed'
      add({ state: { pools: { lan: { members: { s2: { status } } } } } })
      add({ state: { pools: { lan: { members: { s3: { status } } } } } })
    }
    const { story, operations, machines, leftOut } = film.end().overview
    expect(leftOut.map(({ what }) => what).toSorted()).toEqual(['beliefs', 'lines of the story', 'requests'])
    const left = (what: string): number => leftOut.find((each) => each.what === what)?.count ?? 0
    expect(left('requests') + operations.n.length).toBe(300)
    expect(left('lines of the story') + story.length).toBe(12_000)
    expect(story.at(-1)?.[2]).toBe('line 11999')
    expect(left('beliefs') + (machines[1]?.beliefs.length ?? 0)).toBe(24_000)
    expect(machines[1]?.beliefs.at(-1)?.slice(1)).toEqual(['s3', 'failed'])
  })

  it('has a bar for each token and for each leaf of every agent, over its life', () => {
    const bars = new Bars()
    const access = {
      mode: 'new',
      tokens: 2,
      policies: 1,
      named: { '00000000': 'Anonymous', ab12cd34: 'web, 1 policy' },
    }
    bars.leads(1, 'dc1', { access })
    bars.leads(5, 'dc1', { access: { ...access, tokens: 3, named: { '00000000': 'Anonymous' } } })
    bars.holdsLeaves(2, 'dc1', 'c1', { '3f:1a': 'web of root aa, for 60 s' })
    bars.holdsLeaves(2, 'dc1', 'c2', { '3f:1b': 'db of root aa, for 60 s' })
    bars.holdsLeaves(7, 'dc1', 'c1', { '40:00': 'web of root bb, for 60 s' })
    const shown = bars.ended(9).filter(({ row }) => row !== 'dc1 access control')
    expect(shown.map(({ row, text, fromUs, toUs }) => `${row}: ${text}, ${fromUs} to ${toUs}`)).toEqual([
      'dc1 leaves: web of root aa, for 60 s, at c1, number 3f:1a, 2 to 7',
      'dc1 leaves: db of root aa, for 60 s, at c2, number 3f:1b, 2 to 9',
      'dc1 leaves: web of root bb, for 60 s, at c1, number 40:00, 7 to 9',
      'dc1 tokens: ab12cd34 web, 1 policy, 1 to 5',
      'dc1 tokens: 00000000 Anonymous, 1 to 9',
      'dc1 tokens: 2 more tokens, 5 to 9',
    ])
  })
})
