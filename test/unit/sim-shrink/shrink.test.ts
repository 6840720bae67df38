import { describe, expect, it } from 'vitest'
import type { RunBudget } from '../../../sim/pool/budgeted-lanes.ts'
import type { Request } from '../../../sim/pool/messages.ts'
import { requestSchema } from '../../../sim/pool/messages.ts'
import type { Worker, WorkerSaid } from '../../../sim/pool/worker.ts'
import { withoutRun } from '../../../sim/report/seed-record.ts'
import type { Account } from '../../../sim/scenario/account.ts'
import { Oracle } from '../../../sim/shrink/oracle.ts'
import { type Keyed, keyedAt, rulesOf } from '../../../sim/shrink/page.ts'
import { sizeOf } from '../../../sim/shrink/parts.ts'
import { shrink } from '../../../sim/shrink/shrink.ts'

/** What runs of a page with a seed come to. */
interface World {
  readonly firings: Account['firings']
  /** What went wrong, and when; undefined: nothing. */
  readonly message: string | undefined
}

/** Events of a made-up cluster: so many of each kind, at times of the seed's own. */
const eventsMax = 6

/**
 * A law like that of a subtle bug: it needs three servers, a crash of one rule and a pause of the other, and of ten
 * seeds one, which depends on what else there is, so that dropping anything brings other chance.
 */
function worldOf(page: Keyed, seed: number): World {
  const rules = rulesOf(page)
  const firings = rules.flatMap((rule, place) => {
    const { nth, times = eventsMax, at } = rule
    const all = at === undefined ? Array.from({ length: eventsMax }, (_, before) => before + 1) : [1]
    const wanted = all.filter((each) => nth === undefined || [nth].flat().includes(each)).slice(0, Number(times))
    return wanted.map((each) => ({ rule: place, nth: each, atUs: 500_000 * each, afterMs: 0, did: didOf(rule) }))
  })
  const servers = Number(keyedAt(keyedAt(keyedAt(page, 'cluster'), 'dc1') as Keyed, 'servers')['count'])
  const has = (what: string): boolean => firings.some(({ did }) => JSON.stringify(did).includes(what))
  const isDrawn = (seed + firings.length + Object.keys(page).length) % 10 === 0
  const fails = servers >= 3 && has('crash') && has('pause') && isDrawn
  return { firings, message: fails ? `s${seed % 3} and s${seed % 2} lead in term ${seed}` : undefined }
}

function didOf(rule: Keyed): Account['firings'][number]['did'] {
  const list = (rule['do'] ?? rule['one of']) as Account['firings'][number]['did']
  return list.slice(0, 1)
}

/** Workers that know the law, and how many of them run at a time. `unmet`: what the page demands instead of the law. */
function workers(ran: string[], unmet?: string[]): () => Worker {
  return () => {
    const pages = new Map<number, Keyed>()
    const said: WorkerSaid[] = [{ line: JSON.stringify({ kind: 'ready' }) }]
    const answer = (request: Request): void => {
      if (request.kind === 'page') {
        pages.set(request.page, JSON.parse(request.text) as Keyed)
        return
      }
      const { page: number, seed } = request
      const page = pages.get(number) as Keyed
      ran.push(`${seed} ${JSON.stringify(page)}`)
      const { firings, message } = worldOf(page, seed)
      const of = { scenario: 'A', file: 'a.yaml', page: '0'.repeat(64), seed }
      const bare = withoutRun(of, message === undefined ? 'passed' : 'failed', [], { wallMs: 1, cpuMs: 100 })
      const whose = unmet === undefined ? ({ place: 'R1 (one leader)', code: 'R1' } as const) : { place: 'a.yaml:9:3' }
      const failure = { atUs: 11_000_000, ...whose, message }
      // It follows from the first one, as a broken promise to a client does, but also where something else is wrong.
      const later = { atUs: 12_000_000, place: 'K1 (keys)', code: 'K1', message: 'a write is lost' } as const
      const failures = message === undefined ? [] : [failure, later]
      const record = { ...bare, trace: 'a'.repeat(64), failures }
      const account: Account = { firings, stepsUs: [], ...(unmet === undefined ? {} : { unmet }) }
      said.push({ line: JSON.stringify({ kind: 'begun', page: number, seed }) })
      said.push({ line: JSON.stringify({ kind: 'ended', record, runsBefore: 0, account }) })
    }
    return {
      send: (line) => answer(requestSchema.parse(JSON.parse(line))),
      next: async () => {
        // The longer the page, the later its answer: what comes first is not what was asked first.
        for (let waits = (ran.at(-1)?.length ?? 0) % 7; waits > 0; waits--) await Promise.resolve()
        return said.shift() ?? { end: { code: 0, signal: undefined, errors: '' } }
      },
      kill: () => said.splice(0),
    }
  }
}

const page: Keyed = {
  scenario: 'Crashes and pauses',
  cluster: { dc1: { servers: { count: 5 }, clients: { count: 2 } } },
  network: { latency: '1ms..80ms', loss: '1%' },
  workload: { shoppers: { clients: 4, operations: ['kv.put', 'kv.get'], keys: 2, rate: '20/s' } },
  faults: [
    { when: 'leader elected', do: [{ crash: 'it', for: '1s' }] },
    {
      every: '1s..2s',
      'one of': [
        { pause: 'leader', for: '1s' },
        { 'stall disk': 'leader', for: '1s' },
      ],
    },
    { when: 'entry committed', do: [{ partition: 'leader', for: '1s' }] },
  ],
  lasts: '30s',
}
const seed =
  Array.from({ length: 10 }, (_, at) => at + 1).find((each) => worldOf(page, each).message !== undefined) ?? 0

async function shrunkWith(jobs: number, budget: RunBudget, violation?: number) {
  const ran: string[] = []
  const oracle = new Oracle({ startWorker: workers(ran), jobs, budget, file: 'a.yaml' })
  const shrunk = await shrink({ page, seed }, { oracle, violation })
  oracle.close()
  return { shrunk, runs: oracle.runs, cpuMs: oracle.cpuMs, ran }
}

describe('shrinking a page', () => {
  it('comes to the few faults, the servers and the clients that its failure needs, and still fails', async () => {
    const { shrunk, runs } = await shrunkWith(1, { runs: 900 })
    const { failing, before, dropped } = typeof shrunk !== 'object' ? expect.fail('it does not fail') : shrunk
    expect(before).toMatchObject({ servers: 5, clients: 2, groups: 1, faults: 18 })
    expect(sizeOf(failing)).toMatchObject({ servers: 3, clients: 0, groups: 0, faults: 2 })
    expect(worldOf(failing.page, failing.seed).message).toBeDefined()
    expect(failing.page['network']).toBeUndefined()
    expect(JSON.stringify(rulesOf(failing.page))).not.toContain('times')
    expect(dropped).toContain('workload')
    expect(runs).toBeLessThan(900)
  })

  it('gives the same page for the same number of runs, with any number of jobs', async () => {
    for (const runs of [1, 8, 90]) {
      const [one, three] = [await shrunkWith(1, { runs }), await shrunkWith(3, { runs })]
      expect(one.runs).toBeLessThanOrEqual(runs)
      expect(three.shrunk).toEqual(one.shrunk)
      expect(three.runs).toBe(one.runs)
    }
  })

  it('ends when its CPU time is spent, with what it has, which fails', async () => {
    const { shrunk, cpuMs } = await shrunkWith(2, { cpuMs: 2_000 })
    expect(cpuMs).toBeLessThanOrEqual(2_000 + 200)
    const { failing } = typeof shrunk !== 'object' ? expect.fail('it does not fail') : shrunk
    expect(worldOf(failing.page, failing.seed).message).toBeDefined()
  })

  it('runs nothing twice', async () => {
    const { ran } = await shrunkWith(1, { runs: 90 })
    // The waiting time behind the last fault may change, so that a run is given more of it.
    expect(new Set(ran).size).toBeGreaterThan(0.8 * ran.length)
  })

  it('follows the violation that was asked for, whatever goes wrong before it', async () => {
    const { shrunk } = await shrunkWith(1, { runs: 300 }, 2)
    const { failing } = typeof shrunk !== 'object' ? expect.fail('it does not fail') : shrunk
    expect(failing.wrong).toMatchObject({ text: 'K1 (keys): a write is lost', atUs: 12_000_000 })
    expect(sizeOf(failing).faults).toBeLessThan(18)
    expect((await shrunkWith(1, { runs: 300 }, 3)).shrunk).toBe(2)
  })

  it('has nothing to say of a seed that does not fail', async () => {
    const oracle = new Oracle({ startWorker: workers([]), jobs: 1, budget: {}, file: 'a.yaml' })
    expect(await shrink({ page, seed: seed + 1 }, { oracle })).toBe(0)
    oracle.close()
  })

  it('leaves a page alone of which a demand was not reached: a smaller one reaches less', async () => {
    const ran: string[] = []
    const unmet = ['demands', 'marks', 'two leaders alive']
    const oracle = new Oracle({ startWorker: workers(ran, unmet), jobs: 1, budget: {}, file: 'a.yaml' })
    expect(await shrink({ page, seed }, { oracle })).toBe('unreached')
    expect(ran).toHaveLength(1)
    oracle.close()
  })
})
