import { rejudged, type SeedRecord, withoutRun } from '../report/seed-record.ts'
import type { Ended } from './messages.ts'
import {
  type Broken,
  type LaneOptions,
  type Outcome,
  type SentTurn,
  WarmWorker,
  type Wish,
  WorkerDidNotStart,
} from './warm-worker.ts'

/** One place of the pool: a warm worker, and fresh ones that confirm its findings. One of them works at any time. */
export class Lane {
  readonly #options: LaneOptions
  #warm: WarmWorker | undefined
  #working: WarmWorker | undefined
  #abandoned = false
  #isClosed = false

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** The record of one seed; undefined: it was abandoned. `following`: the next seed of this lane. */
  async judge(turn: SentTurn, following: SentTurn | undefined): Promise<SeedRecord | undefined> {
    this.#abandoned = false
    let outcome = await this.#runWarm(turn, following)
    // This time the seed itself is run between its two runs: another one there may be what ends workers.
    if (outcome.kind === 'other') outcome = await this.#runWarm(turn, turn)
    if (outcome.kind === 'abandoned') return undefined
    if (outcome.kind === 'other') throw new WorkerDidNotStart(endedTwice(turn))
    if (outcome.kind === 'ended') {
      const { record, runsBefore } = outcome.ended
      if (!this.#options.confirm || record.verdict === 'passed' || record.verdict === 'undecided') return record
      // A worker's first run is one in a fresh process.
      return runsBefore === 0 ? record : this.#confirmed(turn, record)
    }
    const record = brokenRecord(turn, outcome.broken)
    // The end of a process can have an outside cause, even in its first run.
    const isSure = record.verdict === 'stuck' && outcome.runsBefore === 0
    return this.#options.confirm && !isSure ? this.#confirmed(turn, record) : record
  }

  /**
   * One run and its account, in the warm worker; nothing is confirmed. The page need not be one of the options': it is
   * sent with the turn, and forgotten with the next one. Undefined: the process ended.
   */
  async probe(turn: SentTurn, wish: Wish): Promise<Ended | undefined> {
    this.#abandoned = false
    if (this.#isOver) return undefined
    this.#warm ??= new WarmWorker(this.#options)
    const outcome = await this.#run(this.#warm, turn, undefined, wish)
    return outcome.kind === 'ended' ? outcome.ended : undefined
  }

  /** The seed that is being run is not needed any more. */
  abandon(): void {
    this.#abandoned = true
    this.#working?.kill()
  }

  /** Ends its workers. It starts none afterwards, and judges nothing more. */
  close(): void {
    this.#isClosed = true
    this.#working?.kill()
    this.#warm?.kill()
    this.#warm = undefined
  }

  async #runWarm(turn: SentTurn, following: SentTurn | undefined): Promise<Outcome> {
    if (this.#isOver) return { kind: 'abandoned' }
    this.#warm ??= new WarmWorker(this.#options)
    return this.#run(this.#warm, turn, following)
  }

  async #runFresh(turn: SentTurn, following: SentTurn | undefined): Promise<Outcome> {
    if (this.#isOver) return { kind: 'abandoned' }
    const worker = new WarmWorker(this.#options)
    try {
      return await this.#run(worker, turn, following)
    } finally {
      worker.kill()
    }
  }

  /** Runs the same seed in a process that has run nothing before. Another result there is a bug of its own kind. */
  async #confirmed(turn: SentTurn, warm: SeedRecord): Promise<SeedRecord | undefined> {
    let outcome = await this.#runFresh(turn, undefined)
    // The kernel kills processes for lack of memory: a process that did not reach its run says nothing about the seed.
    if (outcome.kind === 'other') outcome = await this.#runFresh(turn, turn)
    if (outcome.kind === 'abandoned') return undefined
    if (outcome.kind === 'other') throw new WorkerDidNotStart(endedTwice(turn))
    const fresh = outcome.kind === 'ended' ? outcome.ended.record : brokenRecord(turn, outcome.broken)
    if (fresh.verdict === warm.verdict && fresh.trace === warm.trace) {
      return fresh.trace === null ? rejudged(fresh, fresh.verdict, ['a fresh process ended in the same way']) : fresh
    }
    const both = [
      `in a process that had run other seeds: ${shortText(warm)}`,
      `in a fresh process: ${shortText(fresh)}`,
    ]
    // The end of a process can have an outside cause: the verdict stays, with the last output of the fresh process.
    if (warm.trace === null) return rejudged(warm, warm.verdict, both.slice(1))
    return rejudged(warm, 'leftover state', both)
  }

  get #isOver(): boolean {
    return this.#abandoned || this.#isClosed
  }

  async #run(worker: WarmWorker, turn: SentTurn, following: SentTurn | undefined, wish?: Wish): Promise<Outcome> {
    this.#working = worker
    const outcome = await worker.run(turn, following, wish)
    this.#working = undefined
    if (outcome.kind !== 'ended' && worker === this.#warm) this.#warm = undefined
    return this.#isOver ? { kind: 'abandoned' } : outcome
  }
}

function brokenRecord({ page, seed, forks }: SentTurn, { verdict, notes }: Broken): SeedRecord {
  const { file, scenario } = page.loaded
  const of = {
    scenario: scenario.scenario,
    file,
    page: page.hash,
    seed,
    ...(forks === undefined ? {} : { forks: [...forks] }),
  }
  return withoutRun(of, verdict, notes, { wallMs: 0, cpuMs: 0 })
}

function endedTwice({ page, seed }: SentTurn): string {
  return `a worker ended twice before seed ${seed} of ${page.loaded.file} began: is there enough memory for --jobs?`
}

function shortText({ verdict, trace, failures }: SeedRecord): string {
  const [first] = failures
  const why = first === undefined ? '' : `, ${first.place}: ${first.message}`
  return `${verdict}${trace === null ? '' : `, trace ${trace.slice(0, 16)}`}${why}`
}
