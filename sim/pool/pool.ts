import { invariant } from '../../src/base/invariant.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import { Lane, type LaneOptions, type SentTurn } from './lane.ts'
import { type Batch, SeedQueue } from './seed-queue.ts'

export interface PoolOptions extends LaneOptions {
  /** Number of seeds that run at the same time. */
  readonly jobs: number
  readonly seeds: { readonly first: number; readonly last: number }
  /** Nothing behind the first seed that failed is run. */
  readonly untilFailure: boolean
  /** In the order of files and seeds, whatever order they were run in. */
  readonly onRecord: (record: SeedRecord) => void
  /** At once, in the order in which they come. `before`: number of seeds before it that are not done yet. */
  readonly onJudged?: ((record: SeedRecord, before: number) => void) | undefined
}

/** Runs every seed of every page, and gives the records in their order. */
export async function runPool(options: PoolOptions): Promise<void> {
  const { pages, seeds } = options
  const total = pages.length * (seeds.last - seeds.first + 1)
  const pool = new Pool(options, total)
  try {
    await pool.run()
  } finally {
    pool.close()
  }
}

class Pool {
  readonly #options: PoolOptions
  readonly #queue: SeedQueue
  readonly #lanes: readonly Lane[]
  readonly #working = new Map<Lane, { at: number; readonly done: Promise<Lane> }>()
  /** By place: records that wait for those before them. */
  readonly #waiting = new Map<number, SeedRecord>()
  #oldest = 0
  #isClosed = false

  constructor(options: PoolOptions, total: number) {
    const jobs = Math.min(options.jobs, total)
    this.#options = options
    this.#queue = new SeedQueue(total, jobs)
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

  async #runBatch(lane: Lane, { first, last }: Batch): Promise<Lane> {
    for (let at = first; at <= last && this.#wants(at); at++) {
      const working = this.#working.get(lane)
      if (working !== undefined) working.at = at
      const following = at < last ? at + 1 : undefined
      const record = await lane.judge(this.#turn(at), following === undefined ? undefined : this.#turn(following))
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

  #turn(at: number): SentTurn {
    const { pages, seeds } = this.#options
    const count = seeds.last - seeds.first + 1
    const page = pages[Math.floor(at / count)]
    invariant(page !== undefined, 'a place in the order is that of a seed of a page', { at })
    return { page, seed: seeds.first + (at % count) }
  }
}
