import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Reply, requestSchema } from '../../../sim/pool/messages.ts'
import { everySeed, type PoolOptions, runPool } from '../../../sim/pool/pool.ts'
import { SeedQueue } from '../../../sim/pool/seed-queue.ts'
import { pageOf } from '../../../sim/pool/seed-runs.ts'
import { sentPage, WorkerDidNotStart } from '../../../sim/pool/warm-worker.ts'
import type { Worker, WorkerSaid } from '../../../sim/pool/worker.ts'
import { type SeedRecord, withoutRun } from '../../../sim/report/seed-record.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'

const text = 'scenario: One\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\n'
const loaded = loadScenario('one.yaml', text)
if (!loaded.ok) throw new Error('the page does not load')
const platform = createPlatform()
const page = sentPage(pageOf(loaded.value, platform), text, true)
platform.close()

type Verdict = 'passed' | 'failed' | 'ends' | 'ends before it begins' | 'hangs'

/**
 * Workers whose verdict on a seed depends on it, on the number of runs before it, and on the number of the worker; each
 * run takes as many turns as `delay` says.
 */
function workers(
  verdictOn: (seed: number, runsBefore: number, worker: number) => Verdict,
  delay: (seed: number) => number = () => 0,
) {
  const ran: number[] = []
  let working = 0
  let most = 0
  let started = 0
  const killed = new Set<number>()
  const start = (): Worker => {
    const worker = ++started
    const said: WorkerSaid[] = [{ line: JSON.stringify({ kind: 'ready' }) }]
    let runs = 0
    let waits = 0
    let isEnded = false
    let isHung = false
    let wakes = (): void => undefined
    const say = (reply: Reply): void => void said.push({ line: JSON.stringify(reply) })
    return {
      send: (line) => {
        const request = requestSchema.parse(JSON.parse(line))
        if (request.kind !== 'seed') return
        const { page: number, seed } = request
        ran.push(seed)
        most = Math.max(most, ++working)
        const verdict = verdictOn(seed, runs, worker)
        if (verdict !== 'ends before it begins') say({ kind: 'begun', page: number, seed })
        waits = delay(seed)
        isHung = verdict === 'hangs'
        isEnded = verdict !== 'passed' && verdict !== 'failed'
        const of = { scenario: 'One', file: 'one.yaml', page: page.hash, seed }
        const record = withoutRun(of, verdict === 'failed' ? 'failed' : 'passed', [], { wallMs: 0, cpuMs: 0 })
        const trace = (verdict === 'failed' ? 'f' : 'a').repeat(64)
        if (!isEnded) say({ kind: 'ended', record: { ...record, trace }, runsBefore: runs++ })
      },
      next: async () => {
        if (said.length === 1) for (; waits > 0; waits--) await Promise.resolve()
        const next = said.shift()
        if (next === undefined && isHung) await new Promise<void>((resolve) => (wakes = resolve))
        if (said.length === 0) working--
        return next ?? { end: { code: undefined, signal: isEnded ? 'SIGKILL' : undefined, errors: '' } }
      },
      kill: () => {
        said.length = 0
        isHung = false
        killed.add(worker)
        wakes()
      },
    }
  }
  return { start, ran, most: () => most, killed }
}

async function run(crew: ReturnType<typeof workers>, options: Partial<PoolOptions> = {}) {
  const records: SeedRecord[] = []
  await runPool({
    pages: [page],
    turns: everySeed([page], { first: 1, last: 40 }),
    jobs: 4,
    verify: false,
    untilFailure: false,
    confirm: true,
    searchStepsMax: undefined,
    startWorker: crew.start,
    onRecord: (record) => void records.push(record),
    ...options,
  })
  return records.map(({ seed, verdict }) => [seed, verdict] as const)
}

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

describe('the pool', () => {
  it('takes of each page its own seed where none is given', () => {
    const own = { ...page, loaded: { ...page.loaded, scenario: { ...page.loaded.scenario, seed: 17 } } }
    const turns = everySeed([page, own], undefined)
    expect([turns.count, turns.next(), turns.next(), turns.next()]).toEqual([
      2,
      { page, seed: 1 },
      { page: own, seed: 17 },
      undefined,
    ])
  })

  it('gives every seed once and in order, whichever is slow, and runs no more at a time than it has jobs', async () => {
    const crew = workers(
      () => 'passed',
      (seed) => (seed % 7) * 5,
    )
    expect(await run(crew)).toEqual(upTo(40).map((seed) => [seed, 'passed']))
    expect(crew.ran.toSorted((a, b) => a - b)).toEqual(upTo(40))
    expect(crew.most()).toBeLessThanOrEqual(4)
  })

  it('runs a seed that failed once more in a fresh worker, and tells another verdict there as one of its own', async () => {
    const crew = workers((seed, runsBefore) => (seed === 20 || (seed === 30 && runsBefore > 0) ? 'failed' : 'passed'))
    const records = await run(crew, { jobs: 1 })
    expect(records.filter(([, verdict]) => verdict !== 'passed')).toEqual([
      [20, 'failed'],
      [30, 'leftover state'],
    ])
    expect(crew.ran.filter((seed) => seed === 20 || seed === 30)).toEqual([20, 20, 30, 30])
  })

  it('tells of a worker that ended, once it has ended in the same way again, and continues with another', async () => {
    const crew = workers((seed) => (seed === 5 ? 'ends' : 'passed'))
    const records = await run(crew, { jobs: 2 })
    expect(records.filter(([, verdict]) => verdict !== 'passed')).toEqual([[5, 'died']])
    expect(records).toHaveLength(40)
  })

  it('asks a second fresh worker where the first one ended before its run, as one does that the kernel kills', async () => {
    const crew = workers((seed, _, worker) => {
      if (seed !== 20) return 'passed'
      return worker === 2 ? 'ends before it begins' : 'failed'
    })
    const records = await run(crew, { jobs: 1 })
    expect(records.filter(([, verdict]) => verdict !== 'passed')).toEqual([[20, 'failed']])
    expect(records).toHaveLength(40)
    expect(crew.ran.filter((seed) => seed === 20)).toHaveLength(3)
  })

  it('never loses a seed that failed: where no fresh worker comes to its run, the command has no verdict', async () => {
    const crew = workers((seed, _, worker) => {
      if (seed !== 20) return 'passed'
      return worker === 1 ? 'failed' : 'ends before it begins'
    })
    await expect(run(crew, { jobs: 1 })).rejects.toThrow(WorkerDidNotStart)
    await expect(run(crew, { jobs: 1 })).rejects.toThrow(/before seed 20 of one\.yaml began/)
  })

  it('ends every worker when one does not start, also those that confirm', async () => {
    const confirming = 3
    const crew = workers((seed, _, worker) => {
      if (worker === confirming) return 'hangs'
      if (seed === 2) return 'failed'
      return seed < 30 ? 'passed' : 'ends before it begins'
    })
    await expect(run(crew, { jobs: 2 })).rejects.toThrow(WorkerDidNotStart)
    expect(crew.ran.filter((seed) => seed === 2)).toHaveLength(2)
    expect([...crew.killed]).toContain(confirming)
  })

  it('stops at the first failure in the order of seeds, though a later one came first', async () => {
    const crew = workers(
      (seed) => (seed === 3 || seed >= 10 ? 'failed' : 'passed'),
      (seed) => (seed < 10 ? 200 : 0),
    )
    expect(await run(crew, { untilFailure: true })).toEqual([
      [1, 'passed'],
      [2, 'passed'],
      [3, 'failed'],
    ])
  })

  it('takes nothing from a worker that is not of the form of a reply', async () => {
    const liar: Worker = {
      send: () => undefined,
      next: async () => ({ line: '{"kind":"ended"}' }),
      kill: () => undefined,
    }
    await expect(run({ ...workers(() => 'passed'), start: () => liar })).rejects.toThrow()
  })
})

describe('the queue of seeds', () => {
  const numbers = (count: number, last = count) => {
    let next = 0
    return { count, next: () => (next < last ? next++ : undefined) }
  }

  it.each([
    [1, 1],
    [10, 3],
    [1000, 4],
  ])('deals each of %i seeds to one of %i workers, in batches that do not overlap', (total, jobs) => {
    const queue = new SeedQueue(numbers(total), jobs)
    const dealt: number[] = []
    for (let batch = queue.take(dealt.length); batch !== undefined; batch = queue.take(dealt.length)) {
      expect(batch.first).toBe(dealt.length)
      dealt.push(...batch.turns)
    }
    expect(dealt).toEqual(Array.from({ length: total }, (_, at) => at))
  })

  it('ends where there are no more turns, though more were announced', () => {
    const queue = new SeedQueue(numbers(Number.POSITIVE_INFINITY, 11), 2)
    expect(queue.take(0)?.turns).toHaveLength(8)
    expect(queue.take(0)?.turns).toEqual([8, 9, 10])
    expect(queue.take(0)).toBeUndefined()
    expect([queue.wants(10), queue.wants(11)]).toEqual([true, false])
  })

  it('deals no more while too many results wait for an older one', () => {
    const queue = new SeedQueue(numbers(100_000), 1)
    let dealt = 0
    for (let batch = queue.take(0); batch !== undefined; batch = queue.take(0)) dealt = batch.first
    expect(dealt).toBeLessThan(10_100)
    expect(queue.take(5_000)).toBeDefined()
  })
})
