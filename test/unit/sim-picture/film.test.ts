import { describe, expect, it } from 'vitest'
import { FilmMaker } from '../../../sim/picture/film.ts'
import { noAnswer, stillWaiting } from '../../../sim/picture/film-format.ts'
import { filmPage } from '../../../sim/picture/film-page.ts'
import type { RecordKind, TraceHeader, TraceRecord } from '../../../sim/report/trace-record.ts'

const header: TraceHeader = {
  v: 1,
  scenario: 'A <test> costs $1',
  seed: 7,
  build: '1.4.0',
  nodes: ['s1', 's2', 'clients-1'],
}

type Given = readonly [node: string, kind: RecordKind, fields: object]

/** Events with numbers that rise by one and times that rise by a second, each caused by the one before. */
function events(...given: readonly Given[]): TraceRecord[] {
  return given.map(([node, kind, fields], at) => {
    return { n: at + 1, t: at * 1_000_000, node, kind, causes: at === 0 ? [] : [at], ...fields } as TraceRecord
  })
}

function filmOf(list: readonly TraceRecord[]) {
  const film = new FilmMaker({
    header,
    gzip: (bytes) => bytes,
    evidenceOf: () => ['elections', 'requests'],
    demandOf: (code) => (code === 'R1' ? 'one leader for each term' : undefined),
  })
  for (const event of list) film.add(event)
  return film.end()
}

function overviewOf(...given: readonly Given[]) {
  return filmOf(events(...given)).overview
}

const leads = (term: number, replicated: object = {}) => ({
  state: {
    datacenter: 'dc1',
    process: { release: '1.4.0', clock: { aheadMs: 0 } },
    consensus: { role: 'leader', term, log: { committed: term * 10, applied: term } },
    replicated,
  },
})

describe('the film of a run', () => {
  it('has lives, roles, progress and releases of each machine in steps', () => {
    const { machines, endUs } = overviewOf(
      ['s1', 'boot', { boot: 1, ...leads(2) }],
      ['s1', 'log', { text: 'a', state: { consensus: { log: { applied: 20 } } } }],
      ['s1', 'pause', {}],
      ['s1', 'resume', { waiting: 0, state: { consensus: { role: 'follower', term: 3 } } }],
      ['s1', 'crash', { boot: 1, text: '', state: { consensus: null } }],
    )
    expect(endUs).toBe(4_000_000)
    expect(machines.map(({ name, kind }) => [name, kind])).toEqual([
      ['world', 'other'],
      ['s1', 'server'],
      ['s2', 'other'],
      ['clients-1', 'other'],
    ])
    expect(machines[1]).toMatchObject({
      lives: [
        [0, 'up'],
        [2_000_000, 'paused'],
        [3_000_000, 'up'],
        [4_000_000, 'down'],
      ],
      roles: [
        [0, 'leader', 2],
        [3_000_000, 'follower', 3],
        [4_000_000, '', 0],
      ],
      progress: [
        [0, 20, 2],
        [1_000_000, 20, 20],
        [3_000_000, 20, 20],
      ],
      releases: [[0, '1.4.0']],
    })
    expect(machines[1]?.density.reduce((sum, count) => sum + count)).toBe(5)
  })

  it('has what members are believed to be, and the steps of clocks', () => {
    const members = (status: unknown) => ({ state: { pools: { lan: { members: { s2: status } } } } })
    const clock = (aheadMs: number) => ({ state: { process: { clock: { aheadMs } } } })
    const { machines } = overviewOf(
      ['s1', 'log', { text: 'a', ...members({ status: 'alive' }) }],
      ['s1', 'log', { text: 'a', ...members({ status: 'suspect' }) }],
      ['s1', 'log', { text: 'a', ...members(null) }],
      ['s1', 'log', { text: 'a', ...clock(5) }],
      ['s1', 'log', { text: 'a', ...clock(20) }],
      ['s1', 'log', { text: 'a', ...clock(-3000) }],
    )
    expect(machines[1]?.beliefs.map(([, ...belief]) => belief)).toEqual([
      ['s2', 'alive'],
      ['s2', 'suspect'],
      ['s2', 'forgotten'],
    ])
    expect(machines[1]?.clock).toEqual([
      [3_000_000, 5],
      [5_000_000, -3000],
    ])
  })

  it('has faults from their beginning until they are mended, or until the end', () => {
    const { faults } = overviewOf(
      ['s1', 'link', { to: 's2', text: 'cut' }],
      ['s2', 'diskFault', { text: 'syncs fail', value: 1 }],
      ['s1', 'link', { to: 's2', text: 'healed' }],
      ['s1', 'clock', { text: 'wall clock stepped, ms', value: 90 }],
      ['s2', 'log', { text: 'the end' }],
    )
    expect(faults).toEqual([
      { kind: 'cut', fromUs: 0, toUs: 2_000_000, machines: [1, 2], text: 's1 to s2: cut' },
      { kind: 'disk', fromUs: 1_000_000, toUs: 4_000_000, machines: [2], text: 's2: syncs fail' },
      { kind: 'clock', fromUs: 3_000_000, toUs: 3_000_000, machines: [1], text: 's1: its wall clock jumps by +0.09 s' },
    ])
  })

  it('tells links that are slow from those that are cut, and both from a machine that accepts no connection', () => {
    const { faults } = overviewOf(
      ['s1', 'link', { to: 's2', text: '{"latencyMs":[600,1200],"loss":0.2}' }],
      ['s1', 'link', { to: 's1', text: 'refuses' }],
      ['s1', 'link', { to: 's2', text: 'cut' }],
      ['s1', 'link', { to: 's2', text: 'as usual' }],
      ['s1', 'link', { to: 's1', text: 'accepts' }],
      ['s2', 'log', { text: 'the end' }],
    )
    const times = { fromUs: 0, toUs: 3_000_000 }
    expect(faults).toEqual([
      { kind: 'link', ...times, machines: [1, 2], text: 's1 to s2: 600 to 1200 ms, 20 % lost' },
      { kind: 'refusal', fromUs: 1_000_000, toUs: 4_000_000, machines: [1], text: 's1: refuses connections' },
      { kind: 'cut', fromUs: 2_000_000, toUs: 5_000_000, machines: [1, 2], text: 's1 to s2: cut' },
    ])
  })

  it('knows agents by the IDs that they announce', () => {
    const hello = (id: string, node: string) => {
      return { layer: 'rpc', name: 'hello', id, node, datacenter: 'dc1', address: '10.0.1.1:8300', protocol: 1 }
    }
    const { agents } = overviewOf(
      ['s2', 'segment', { from: 's1', stream: 1, size: 9, means: [hello('0000-1', 's1'), hello('s2', 's2')] }],
      ['s1', 'segment', { from: 's2', stream: 1, size: 9 }],
    )
    expect(agents).toEqual({ '0000-1': 's1' })
  })

  it('says in which datacenter an agent is, and what a broken invariant demands', () => {
    const { machines, violations } = overviewOf(
      ['s1', 'log', { text: 'a', ...leads(2) }],
      ['world', 'violation', { code: 'R1', text: 's1 and s2 lead' }],
      ['world', 'violation', { code: 'a.yaml:3:5', text: 'not met' }],
    )
    expect(machines.map(({ datacenter }) => datacenter)).toEqual([undefined, 'dc1', undefined, undefined])
    expect(violations.map(({ demands }) => demands)).toEqual(['one leader for each term', undefined])
  })

  it('has bars of what leaders have replicated, and of nothing that followers have', () => {
    const mesh = (roots: readonly string[]) => ({ mesh: { roots, crossings: 0 }, sessions: [], locks: [] })
    const { bars } = overviewOf(
      ['s1', 'log', { text: 'a', ...leads(2, mesh(['aa (active)'])) }],
      ['s2', 'log', { text: 'a', state: { datacenter: 'dc1', consensus: { role: 'follower' }, replicated: mesh([]) } }],
      ['s1', 'log', { text: 'a', state: { replicated: mesh(['aa', 'bb (active)']) } }],
      ['s1', 'log', { text: 'a', state: { replicated: mesh(['bb (active)']) } }],
    )
    expect(bars).toEqual([
      { row: 'dc1 roots', text: 'aa (active)', fromUs: 0, toUs: 2_000_000 },
      { row: 'dc1 roots', text: 'aa', fromUs: 2_000_000, toUs: 3_000_000 },
      { row: 'dc1 roots', text: 'bb (active)', fromUs: 2_000_000, toUs: 3_000_000 },
    ])
  })

  it('has each request of a client with its answer, in their order on a connection, and those without one', () => {
    const request = { means: [{ layer: 'http', name: 'request', method: 'GET', target: '/', bytes: 0 }] }
    const answer = (status: number) => ({ means: [{ layer: 'http', name: 'answer', status, bytes: 0 }] })
    const { operations } = overviewOf(
      ['clients-1', 'segmentSent', { to: 's1', stream: 4, size: 1, ...request }],
      ['clients-1', 'segmentSent', { to: 's1', stream: 4, size: 1, ...request }],
      ['clients-1', 'segment', { from: 's1', stream: 4, size: 1, ...answer(200) }],
      ['clients-1', 'streamControl', { stream: 4, text: 'reset' }],
      ['clients-1', 'segmentSent', { to: 's1', stream: 5, size: 1, ...request }],
      ['s1', 'log', { text: 'a' }],
    )
    expect(operations).toEqual({
      atUs: [0, 1_000_000, 4_000_000],
      tookUs: [2_000_000, 2_000_000, 1_000_000],
      status: [200, noAnswer, stillWaiting],
      n: [1, 2, 5],
      machine: [3, 3, 3],
    })
  })

  it('has the events that explain a violation, the violation last', () => {
    const { violations } = overviewOf(
      ['s1', 'log', { text: '[INFO] raft: entering leader state term=2' }],
      ['world', 'violation', { code: 'R1', text: 's1 and s2 lead in term 2' }],
    )
    expect(violations).toMatchObject([{ n: 2, atUs: 1_000_000, code: 'R1' }])
    expect(violations[0]?.chain.at(-1)).toMatchObject({ n: 2, what: expect.stringContaining('s1 and s2 lead') })
  })

  it('is cut into pieces, each with the states at its beginning', () => {
    const many = Array.from({ length: 3100 }, (_, at) => {
      return ['s1', 'log', at === 0 ? { text: 'a', state: { datacenter: 'dc1' } } : { text: 'a' }] as const
    })
    const { overview, pieces } = filmOf(events(...many))
    expect(overview.pieces.map(({ first, last }) => [first, last])).toEqual([
      [1, 3000],
      [3001, 3100],
    ])
    const [first, second] = pieces.map((text) => JSON.parse(Buffer.from(text, 'base64').toString()))
    expect(first.states.s1).toEqual({})
    expect(second.states.s1).toEqual({ datacenter: 'dc1' })
    expect(second.events).toHaveLength(100)
  })

  it('is data in its page: what a scenario is called is text there, and a dollar a dollar', () => {
    const template = '<title><!-- title --></title><!-- film --><script>0</script><!-- pieces -->'
    const page = filmPage(template, filmOf(events(['s1', 'log', { text: 'a' }])), (bytes) => bytes)
    expect(page).toContain('<title>A &lt;test&gt; costs $1, seed 7</title><script type="text/plain" id="overview">')
    expect(page).toMatch(/<\/script><script>0<\/script><script type="text\/plain" class="piece">[^<]+<\/script>$/)
    expect(page).not.toContain('<test>')
  })
})
