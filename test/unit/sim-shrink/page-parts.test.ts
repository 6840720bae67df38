import { describe, expect, it } from 'vitest'
import type { SeedRecord } from '../../../sim/report/seed-record.ts'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { earlierPages, explicitPages, rounderPages, withoutLimits } from '../../../sim/shrink/explicit.ts'
import type { Failing } from '../../../sim/shrink/oracle.ts'
import type { Keyed } from '../../../sim/shrink/page.ts'
import {
  bounded,
  capped,
  loosened,
  pageWith,
  sizeOf,
  sizeText,
  unitsOf,
  untilFailure,
} from '../../../sim/shrink/parts.ts'
import { shrunkText } from '../../../sim/shrink/shrunk-page.ts'
import { fewerServers, simplerPages } from '../../../sim/shrink/simpler.ts'
import { wrongsIn } from '../../../sim/shrink/violation.ts'
import { recordOf } from '../sim-campaign/campaign-text.ts'

const page: Keyed = {
  scenario: 'Crashes',
  about: 'Servers crash.',
  tags: ['raft'],
  cluster: {
    dc1: { servers: { count: [3, 5] }, clients: { count: 2 }, config: { performance: { raft_multiplier: 1 } } },
  },
  network: { latency: '1ms..80ms', loss: '1%' },
  workload: { shoppers: { clients: 4, operations: ['kv.put', 'kv.get'], keys: 2, rate: '20/s' } },
  faults: [
    { when: 'leader elected', chance: '70%', after: '1ms..9ms', do: [{ crash: 'it', for: '200ms..900ms' }] },
    { every: '1s..3s', 'one of': [{ pause: 'leader', for: '1s' }, { cut: { from: 'leader', to: 'half of others' } }] },
    { at: '20s', do: [{ crash: 'all servers' }] },
  ],
  steps: [
    { step: 'they meet', eventually: { within: '20s', leader: 'exactly one' } },
    { step: 'time passes', wait: '25s' },
    { step: 'and more', wait: '5s' },
  ],
  quiet: { within: '90s' },
  demands: { judged: { R1: 2 } },
}

const failing: Failing = {
  page,
  seed: 7,
  wrong: { kind: 'R6\nx', text: 'R6 (votes): s1 wrote two votes', atUs: 9_200_300 },
  account: {
    firings: [
      { rule: 0, nth: 1, atUs: 1_004_000, it: 's2', afterMs: 4, did: [{ crash: 's2', for: '312.5ms' }] },
      { rule: 1, nth: 2, atUs: 3_812_340, afterMs: 0, did: [{ cut: { from: 's3', to: 's1, s2' } }] },
      { rule: 0, nth: 3, atUs: 8_650_700, it: 's3', afterMs: 7.251, did: [{ crash: 's3', for: '250ms' }] },
    ],
    stepsUs: [0, 1_900_000],
  },
}

const faultsOf = (from: Keyed | undefined): unknown => from?.['faults']

/** Every page on the way is in the language. */
function read(candidate: Keyed): readonly string[] {
  const loaded = loadScenario('page.yaml', JSON.stringify(candidate))
  return loaded.ok ? [] : loaded.error.map(problemText)
}

describe('a failing page', () => {
  it('is cut behind its failure: rules that never fired, steps that had not begun, the end of the one under way', () => {
    const cut = untilFailure(failing)
    expect(read(cut)).toEqual([])
    expect(Object.keys(cut)).toEqual(['scenario', 'cluster', 'network', 'workload', 'faults', 'steps', 'lasts'])
    expect(faultsOf(cut)).toEqual((page['faults'] as Keyed[]).slice(0, 2))
    expect([cut['steps'], cut['lasts']]).toEqual([
      [
        { step: 'they meet', eventually: { within: '20s', leader: 'exactly one' } },
        { step: 'time passes', wait: '7301ms' },
      ],
      '9201ms',
    ])
  })

  it('keeps what comes after its steps where it failed when it came to rest', () => {
    const cut = untilFailure({ ...failing, account: { ...failing.account, restUs: 9_000_000 } })
    expect(cut['steps']).toEqual(page['steps'])
    expect(cut['quiet']).toEqual(page['quiet'])
    expect(cut['demands']).toBeUndefined()
  })

  it('is made of firings and steps, of which any part is a page', () => {
    const units = unitsOf(failing)
    expect(units).toHaveLength(5)
    const part = pageWith(page, units.slice(1, 3))
    expect(read(part)).toEqual([])
    expect(faultsOf(part)).toEqual([
      { ...(page['faults'] as Keyed[])[0], nth: [3] },
      { ...(page['faults'] as Keyed[])[1], nth: [2] },
    ])
    expect(read(pageWith(page, []))).toEqual([])
    expect(read(pageWith(page, units))).toEqual([])
  })

  it('limits its rules to what they did, and is not bound to one seed without its lists', () => {
    const limited = bounded({ ...failing, page: pageWith(page, unitsOf(failing).slice(0, 3)) })
    expect((faultsOf(limited) as Keyed[]).map(({ nth, times }) => [nth, times])).toEqual([
      [[1, 3], 2],
      [[2], 1],
    ])
    const loose = loosened(limited)
    expect((faultsOf(loose) as Keyed[]).map(({ nth, times }) => [nth, times])).toEqual([
      [undefined, 2],
      [undefined, 1],
    ])
    expect(faultsOf(withoutLimits(loose))).toEqual((page['faults'] as Keyed[]).slice(0, 2))
    expect(faultsOf(capped(loose, 0, 0))).toEqual([(faultsOf(loose) as Keyed[])[1]])
    expect(read(loose)).toEqual([])
  })

  it('has its faults written as people write them, at their time or by what they follow', () => {
    const [timed, counted] = explicitPages(failing)
    expect(read(timed as Keyed)).toEqual([])
    expect(faultsOf(timed)).toEqual([
      { at: '1004ms', do: [{ crash: 's2', for: '312.5ms' }] },
      { at: '8650.7ms', do: [{ crash: 's3', for: '250ms' }] },
      { at: '3812.34ms', do: [{ cut: { from: 's3', to: 's1, s2' } }] },
      { at: '20s', do: [{ crash: 'all servers' }] },
    ])
    expect(read(counted as Keyed)).toEqual([])
    expect((faultsOf(counted) as Keyed[]).slice(0, 2)).toEqual([
      { when: 'leader elected', nth: 1, after: '4ms', do: [{ crash: 'it', for: '312.5ms' }] },
      { when: 'leader elected', nth: 3, after: '7.251ms', do: [{ crash: 'it', for: '250ms' }] },
    ])
    expect(explicitPages({ ...failing, page: counted as Keyed })).toEqual([])
  })

  it('has rounder times, and earlier ones', () => {
    const [timed] = explicitPages(failing)
    const [round] = rounderPages(timed as Keyed)
    expect(faultsOf(round)).toEqual([
      { at: '1s', do: [{ crash: 's2', for: '300ms' }] },
      { at: '8700ms', do: [{ crash: 's3', for: '300ms' }] },
      { at: '3800ms', do: [{ cut: { from: 's3', to: 's1, s2' } }] },
      { at: '20s', do: [{ crash: 'all servers' }] },
    ])
    const late = {
      ...page,
      faults: [
        { at: '9500ms', do: [{ crash: 's1' }] },
        { at: '12s', do: [{ crash: 's2' }] },
      ],
    }
    const [early] = earlierPages(late)
    expect((faultsOf(early) as Keyed[]).map(({ at }) => at)).toEqual(['3500ms', '6s'])
    expect(earlierPages({ ...late, faults: [{ at: '2s', do: [{ crash: 's1' }] }] })).toEqual([])
  })

  it('may lack servers, agents, clients and settings, one at a time; where a name is gone the page says so', () => {
    expect(fewerServers(page).map(({ dropped }) => dropped)).toEqual([
      'servers of dc1: 5 → 3',
      'servers of dc1: 5 → 1',
      'servers of dc1: 5 → 5',
    ])
    const simpler = simplerPages(page)
    expect(simpler.map(({ dropped }) => dropped)).toEqual([
      'of a fault: {"pause":"leader","for":"1s"}',
      'of a fault: {"cut":{"from":"leader","to":"half of others"}}',
      'client agents of dc1',
      'client agents of dc1: 2 → 1',
      'workload',
      'clients of shoppers: 4 → 1',
      'clients of shoppers: 4 → 2',
      'keys of shoppers: 2 → 1',
      'operations of shoppers: kv.put, kv.get → kv.put',
      'operations of shoppers: kv.put, kv.get → kv.get',
      'watchers of shoppers: usual → 0',
      'network',
      'config of dc1: performance',
      'network: latency',
      'network: loss',
    ])
    for (const each of simpler) expect(read(each.page), each.dropped).toEqual([])
  })

  it('is written with its seed and what a reader should know, and says the same as data', () => {
    const small = { ...failing, page: untilFailure(failing) }
    const shrunk = { before: sizeOf(failing), failing: small, dropped: ['workload', 'network: loss'] }
    const origin = { file: 'a.yaml', seed: 3, command: 'svc-sim shrink a.yaml --seed 3', program: 'svc-sim 1.4.0' }
    const text = shrunkText(shrunk, { ...origin, runs: 40, cpuMs: 21_400 })
    const loaded = loadScenario('a.shrunk.yaml', text)
    expect(loaded.ok && loaded.value.document.value).toEqual({ ...small.page, scenario: 'Crashes, shrunk', seed: 7 })
    const comment = text.split('\n').filter((line) => line.startsWith('#'))
    expect(comment).toContain('# R6 (votes): s1 wrote two votes (at 9.200 virtual s)')
    expect(comment).toContain(`# before: ${sizeText(sizeOf(failing))}`)
    expect(comment).toContain('# - network: loss')
    expect(text).toContain('  - { step: time passes, wait: 7301ms }\n')
    expect(text).toContain('network: { latency: 1ms..80ms, loss: 1% }\n')
  })
})

describe('what a run did wrong', () => {
  const failed = (message: string, code?: 'R1'): SeedRecord => {
    const failure = { atUs: 1, place: 'a.yaml:1:9', message, ...(code === undefined ? {} : { code }) }
    return { ...recordOf('A', 1, 'failed'), failures: [failure] }
  }
  const account = { firings: [], stepsUs: [0], unmet: ['steps', 1, 'wait'] }

  it('is the same whatever nodes, numbers and lists its message names', () => {
    const kind = (message: string) => wrongsIn(failed(message, 'R1'), account, page)[0]?.kind
    expect(kind('s1 and s2 lead in term 4')).toBe(kind('s3 and s5 lead in term 17'))
    expect(kind('s1 knows s2, s3')).toBe(kind('s4 knows s5'))
    expect(kind('s1 and s2 lead in term 4')).not.toBe(kind('s1 forgot its term'))
  })

  it('is of a step by its title, wherever in the page it stands', () => {
    const [wrong] = wrongsIn(failed('not so'), account, page)
    const shorter = { ...page, steps: (page['steps'] as Keyed[]).slice(1) }
    const [again] = wrongsIn(failed('not so'), { ...account, unmet: ['steps', 0, 'wait'] }, shorter)
    expect(wrong?.text).toBe("step 'time passes', wait: not so")
    expect(again?.kind).toBe(wrong?.kind)
    expect(wrongsIn(failed('not so'), account, shorter)[0]?.kind).not.toBe(wrong?.kind)
  })

  it('is nothing where a run passed', () => {
    expect(wrongsIn(recordOf('A', 1), account, page)).toEqual([])
  })
})
