import { failureKind } from '../../campaign/fingerprint.ts'
import { type ForkPoint, ForkTally } from '../../forking/tally.ts'
import { runPool } from '../../pool/pool.ts'
import type { SentPage, SentTurn } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import type { SeedRecord } from '../../report/seed-record.ts'
import { Screen } from '../screen.ts'
import type { SimTerminal } from '../terminal.ts'
import type { ForkFlags } from './flags.ts'

/** Runs of one page in the pool, with a line of progress. */
export class Runs {
  readonly #page: SentPage
  readonly #startWorker: () => Worker
  readonly #flags: ForkFlags
  readonly #terminal: SimTerminal

  constructor(page: SentPage, startWorker: () => Worker, flags: ForkFlags, terminal: SimTerminal) {
    this.#page = page
    this.#startWorker = startWorker
    this.#flags = flags
    this.#terminal = terminal
  }

  async of(turns: readonly SentTurn[]): Promise<readonly SeedRecord[]> {
    const { jobs = this.#terminal.cores, steps, quiet } = this.#flags
    const records: SeedRecord[] = []
    const screen = new Screen(this.#terminal, () =>
      quiet === true || turns.length === 1 ? undefined : `${records.length} of ${turns.length} runs`,
    )
    const left = turns.values()
    try {
      await runPool({
        pages: [this.#page],
        turns: { count: turns.length, next: () => left.next().value },
        jobs,
        verify: false,
        untilFailure: false,
        confirm: false,
        searchStepsMax: steps,
        startWorker: this.#startWorker,
        onRecord: (record) => void records.push(record),
      })
    } finally {
      screen.close()
    }
    return records
  }

  async pointsOf(record: SeedRecord, times: readonly number[], tries: number): Promise<readonly ForkPoint[]> {
    const { seed } = record
    const forks = times.flatMap((atMs) => Array.from({ length: tries }, (_, at) => ({ atMs, seed: at + 1 })))
    const records = await this.of(forks.map((fork) => ({ page: this.#page, seed, forks: [fork] })))
    const kind = failureKind(record)
    return times.map((atMs, place) => {
      const tally = new ForkTally(atMs, kind)
      for (const [at, each] of records.slice(place * tries, (place + 1) * tries).entries()) tally.take(each, at + 1)
      return tally.point
    })
  }
}
