import { invariant } from '../../src/base/invariant.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import { usualSeed } from '../scenario/language/load.ts'
import { Lane } from './lane.ts'
import { type Batch, SeedQueue, type Turns } from './seed-queue.ts'
import type { LaneOptions, SentPage, SentTurn } from './warm-worker.ts'

export interface PoolOptions extends LaneOptions {
  /** Number of seeds that run at the same time. */
  readonly jobs: number
  readonly turns: Turns<SentTurn>
  /** Maximum number of turns that a worker gets at a time; with few, the pool can stop soon. */
  readonly batchMax?: number | undefined
  /** Nothing after the first failing seed is run. */
  readonly untilFailure: boolean
  /** In the order of the turns, whatever order they were run in. */
  readonly onRecord: (record: SeedRecord) => void
  /** Called at once, in the order of completion. `before`: number of earlier seeds that are not done yet. */
  readonly onJudged?: ((record: SeedRecord, before: number) => void) | undefined
}

/**
 * Every seed of every page: page by page, each from its first seed on. Undefined: for each page, the seed that it
 * names.
 */
export function everySeed(
  pages: readonly SentPage[],
  seeds: { readonly first: number; readonly last: number } | undefined,
): Turns<SentTurn> {
  const turns = (function* () {
    for (const page of pages) {
      const own = usualSeed(page.loaded)
      const { first, last } = seeds ?? { first: own, last: own }
      for (let seed = first; seed <= last; seed++) yield { page, seed }
    }
  })()
  return { count: pages.length * countOf(seeds), next: () => turns.next().value ?? undefined }
}

/** Number of seeds of each page. */
export function countOf(seeds: { readonly first: number; readonly last: number } | undefined): number {
  return seeds === undefined ? 1 : seeds.last - seeds.first + 1
}

/** Runs all turns, and reports the records in their order. */
export async function runPool(options: PoolOptions): Promise<void> {
  const pool = new Pool(options)
  try {
    await pool.run()
  } finally {
    pool.close()
  }
}

class Pool {
  readonly #options: PoolOptions
  readonly #queue: SeedQueue<SentTurn>
  readonly #lanes: readonly Lane[]
  readonly #working = new Map<Lane, { at: number; readonly done: Promise<Lane> }>()
  /** By position, records that wait for earlier ones. */
  readonly #waiting = new Map<number, SeedRecord>()
  #oldest = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    const jobs = Math.min(options.jobs, options.turns.count)
    this.#options = options
    this.#queue = new SeedQueue(options.turns, jobs, options.batchMax)
    this.#lanes = Array.from({ length: jobs }, () => new Lane(options))
  }

  async run(): Promise<void> {
    for (;;) {
      for (const lane of this.#lanes) {
        if (this.#working.has(lane)) continue
        const batch = this.#queue.take(this.#oldest)
        if (batch === undefined) break
        this.#working.set(lane, { at: batch.first, done: this.#runBatch(lane, batch) })
      }
      if (this.#working.size === 0) break
      const free = await Promise.race([...this.#working.values()].map(({ done }) => done))
      this.#working.delete(free)
    }
    const oldest = this.#oldest
    invariant(!this.#queue.wants(oldest), 'every seed that is wanted has a record at the end', { oldest })
  }

  close(): void {
    this.#isClosed = true
    for (const lane of this.#lanes) lane.close()
  }

  async #runBatch(lane: Lane, { first, turns }: Batch<SentTurn>): Promise<Lane> {
    for (const [place, turn] of turns.entries()) {
      const at = first + place
      if (!this.#wants(at)) break
      const working = this.#working.get(lane)
      if (working !== undefined) working.at = at
      const record = await lane.judge(turn, turns[place + 1])
      if (record !== undefined && this.#wants(at)) this.#judged(at, record)
    }
    return lane
  }

  #wants(at: number): boolean {
    return !this.#isClosed && this.#queue.wants(at)
  }

  #judged(at: number, record: SeedRecord): void {
    const { untilFailure, onJudged, onRecord } = this.#options
    const judgedBefore = [...this.#waiting.keys()].filter((other) => other < at).length
    onJudged?.(record, at - this.#oldest - judgedBefore)
    this.#waiting.set(at, record)
    if (untilFailure && hasFailed(record)) {
      this.#queue.endAt(at)
      for (const [lane, working] of this.#working) if (!this.#queue.wants(working.at)) lane.abandon()
    }
    for (;;) {
      const next = this.#waiting.get(this.#oldest)
      if (next === undefined || !this.#queue.wants(this.#oldest)) return
      this.#waiting.delete(this.#oldest)
      this.#oldest++
      onRecord(next)
    }
  }
}
