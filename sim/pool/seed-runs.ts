import { hex, utf8 } from '../../src/base/bytes.ts'
import { ToldStates } from '../inspection/told-states.ts'
import type { DecisionReplay } from '../report/decision-list.ts'
import { firstDifference } from '../report/first-difference.ts'
import { forkFlags } from '../report/forks.ts'
import type { RunResult, StoryLine } from '../report/run-report.ts'
import { type RunCost, recordOf, rejudged, type SeedRecord } from '../report/seed-record.ts'
import type { TraceOptions } from '../report/trace.ts'
import { type Account, RunAccount } from '../scenario/account.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { ScenarioRun } from '../scenario/run.ts'
import type { EarlyEnd } from '../scenario/run-outcome.ts'
import type { Book } from '../world/decisions/book.ts'
import type { Fork } from '../world/decisions/decisions.ts'
import type { Platform } from '../world/platform.ts'

/** A scenario and the hash of its page's content, so that comments may change. */
export interface Page {
  readonly loaded: LoadedScenario
  readonly hash: string
}

export function pageOf(loaded: LoadedScenario, { sha256 }: Pick<Platform, 'sha256'>): Page {
  return { loaded, hash: hex(sha256(utf8(JSON.stringify(loaded.document.value)))) }
}

/** One seed of one page. */
export interface Turn {
  readonly page: Page
  readonly seed: number
  /** Times from which its run continues with other draws; absent: none. */
  readonly forks?: readonly Fork[] | undefined
}

/** What runs need of this process. */
export interface RunsOptions {
  readonly createPlatform: () => Platform
  readonly wallMs: () => number
  /** CPU time of this process so far. */
  readonly cpuMs: () => number
  /** Called as each run begins; the returned function is called at its end. */
  readonly onRun?: (turn: Turn, virtualUs: () => number) => () => void
  readonly searchStepsMax?: number | undefined
  /** The decisions to repeat; absent: those of the seeds. */
  readonly replay?: DecisionReplay | undefined
}

/** What a single run may report besides its verdict. */
export interface RunWishes {
  readonly onLine?: ((line: StoryLine) => void) | undefined
  readonly trace?: ((platform: Platform) => TraceOptions) | undefined
  readonly book?: Book | undefined
  /** Called as each turn begins, with its number and that of the event that it delivers. */
  readonly beforeTurn?: ((turn: number, event: number) => void) | undefined
  /** Make an account, from which a smaller page can be written. */
  readonly account?: { readonly ends?: EarlyEnd | undefined } | undefined
  /** The history of keys is part of the result. */
  readonly keepsHistory?: boolean | undefined
}

export interface Made extends RunCost {
  readonly result: RunResult
  /** The account, if requested. */
  readonly account?: Account | undefined
  /** Number of runs that this process made before. */
  readonly runsBefore: number
}

/** The runs of this process, one after another. */
export class SeedRuns {
  readonly #options: RunsOptions
  #runs = 0
  /** The run of the following turn, if it was made between two runs of one seed: it need not be repeated. */
  #ahead: (Made & Turn) | undefined

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** The run of a turn. */
  async first(turn: Turn, wishes: RunWishes = {}): Promise<Made> {
    const ahead = this.#ahead
    this.#ahead = undefined
    const isPlain = Object.values(wishes).every((wish) => wish === undefined)
    if (isPlain && ahead !== undefined && isSame(ahead, turn)) return ahead
    return this.#made(turn, wishes)
  }

  /**
   * Runs the same seed again, after another run: A-B-A in one process, so that leftovers of one run for the next (a
   * module's state, a cache) show, too. Returns the lines that distinguish two different runs; undefined: they are
   * equal.
   */
  async difference(turn: Turn, made: Made, following: Turn | undefined): Promise<readonly string[] | undefined> {
    // A run that was made ahead was followed by the repetition of the one before it.
    const hasRunOther = this.#runs > made.runsBefore + 1
    if (following !== undefined || !hasRunOther) {
      const between = following ?? { page: turn.page, seed: turn.seed + 1 }
      this.#ahead = { ...between, ...(await this.#made(between, {})) }
    }
    const { result: again } = await this.#made(turn, {})
    if (again.trace.hash === made.result.trace.hash) return undefined
    const traced = async (trace: TraceOptions): Promise<RunResult> =>
      (await this.#made(turn, { trace: () => trace })).result
    return firstDifference(made.result.trace, again.trace, traced)
  }

  /** The record of a turn; with `verify`, the seed is run twice. */
  async record(turn: Turn, made: Made, verify: boolean, following: Turn | undefined): Promise<SeedRecord> {
    const { forks } = turn
    const bare = recordOf(made.result, turn.page.hash, made)
    const record = forks === undefined ? bare : { ...bare, forks: [...forks] }
    if (!verify) return record
    const difference = await this.difference(turn, made, following)
    return difference === undefined ? { ...record, verified: true } : rejudged(record, 'not deterministic', difference)
  }

  async #made(turn: Turn, wishes: RunWishes): Promise<Made> {
    const { onLine, trace, account, book = this.#options.replay, keepsHistory, beforeTurn } = wishes
    const { createPlatform, wallMs, cpuMs, searchStepsMax, onRun } = this.#options
    const { page, seed, forks } = turn
    const platform = createPlatform()
    const runsBefore = this.#runs++
    const before = { wallMs: wallMs(), cpuMs: cpuMs() }
    try {
      const options = trace?.(platform)
      const states = options?.tellsStates === true ? (of: ScenarioRun) => new ToldStates(of) : undefined
      const traced = { loaded: page.loaded, seed, forks, platform, onLine, trace: options, states }
      const taken = account && new RunAccount(page.loaded)
      const asked = { searchStepsMax, keepsHistory, book, beforeTurn, account: taken, ends: account?.ends }
      const run = new ScenarioRun({ ...traced, ...asked })
      const ended = onRun?.(turn, () => run.simulation.nowUs)
      const result = await run.run()
      ended?.()
      const cost = { wallMs: wallMs() - before.wallMs, cpuMs: cpuMs() - before.cpuMs }
      return { result, account: taken?.account, runsBefore, ...cost }
    } finally {
      platform.close()
    }
  }
}

function isSame(one: Turn, other: Turn): boolean {
  const forks = (turn: Turn): string => forkFlags(turn.forks)
  return one.seed === other.seed && one.page === other.page && forks(one) === forks(other)
}
