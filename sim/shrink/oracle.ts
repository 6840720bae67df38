import { Lane, type SentPage } from '../pool/lane.ts'
import type { Worker } from '../pool/worker.ts'
import type { Account } from '../scenario/account.ts'
import { loadScenario } from '../scenario/language/load.ts'
import { type Keyed, rulesOf } from './page.ts'
import { type Wrong, wrongIn } from './violation.ts'

export interface Candidate {
  readonly page: Keyed
  readonly seed: number
}

/** A page that fails with its seed, and how. */
export interface Failing extends Candidate {
  readonly wrong: Wrong
  readonly account: Account
}

/** How much may be spent; what is absent has no limit. */
export interface Budget {
  /** Number of runs. With nothing but this limit the same command comes to the same page. */
  readonly runs?: number | undefined
  /** CPU time of all runs, in milliseconds. */
  readonly cpuMs?: number | undefined
}

export interface OracleOptions {
  readonly startWorker: () => Worker
  /** Number of runs at the same time. */
  readonly jobs: number
  readonly budget: Budget
  /** The name of the page, for messages. */
  readonly file: string
  readonly searchStepsMax?: number | undefined
}

/** What a run must do wrong, and when a run that has not done it is given up. */
export interface Wanted {
  readonly kind: string
  /** It shows only when the cluster comes to rest: runs are made to their end. */
  readonly atRest: boolean
  /** How long after the last fault a run is waited for, in milliseconds. */
  readonly afterFaultsMs: number
}

type Outcome = Failing | 'fails not' | 'unread'

/**
 * Runs candidates until one fails as it is wanted. The candidates are judged in their order whatever the number of
 * jobs, and only those up to the first that fails count, so that the answers, and with a budget in runs all that
 * follows from them, depend on nothing but the questions.
 */
export class Oracle {
  readonly #options: OracleOptions
  readonly #lanes: readonly Lane[]
  readonly #known = new Map<string, Outcome>()
  readonly #pages = new WeakMap<Keyed, SentPage | undefined>()
  #runs = 0
  #cpuMs = 0

  constructor(options: OracleOptions) {
    const { startWorker, jobs, searchStepsMax } = options
    this.#options = options
    const plain = { startWorker, pages: [], verify: false, confirm: false, searchStepsMax }
    this.#lanes = Array.from({ length: jobs }, () => new Lane(plain))
  }

  get runs(): number {
    return this.#runs
  }

  get cpuMs(): number {
    return this.#cpuMs
  }

  get isSpent(): boolean {
    const { runs = Number.POSITIVE_INFINITY, cpuMs = Number.POSITIVE_INFINITY } = this.#options.budget
    return this.#runs >= runs || this.#cpuMs >= cpuMs
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }

  /** How this fails, whatever is wrong; undefined: it does not. It counts like any run. */
  async failure(candidate: Candidate): Promise<Failing | undefined> {
    const [lane] = this.#lanes
    this.#runs++
    const outcome = lane === undefined ? 'unread' : await this.#judge(lane, candidate, undefined)
    return typeof outcome === 'string' ? undefined : outcome
  }

  /** The first of these that fails as it is wanted; undefined: none does, or there is nothing left to spend. */
  async first(candidates: readonly Candidate[], wanted: Wanted): Promise<Failing | undefined> {
    const outcomes: Outcome[] = []
    let next = 0
    let found = Number.POSITIVE_INFINITY
    const left = (this.#options.budget.runs ?? Number.POSITIVE_INFINITY) - this.#runs
    const work = async (lane: Lane): Promise<void> => {
      while (next < Math.min(candidates.length, found) && !this.isSpent) {
        const at = next++
        const candidate = candidates[at] as Candidate
        const outcome = this.#known.get(nameOf(candidate, wanted)) ?? (await this.#judge(lane, candidate, wanted))
        outcomes[at] = outcome
        if (typeof outcome !== 'string') found = Math.min(found, at)
      }
    }
    await Promise.all(this.#lanes.map(work))
    return this.#taken(candidates, wanted, outcomes, left)
  }

  /** What came out, in the order of the candidates, as far as the budget goes. */
  #taken(candidates: readonly Candidate[], wanted: Wanted, outcomes: Outcome[], left: number): Failing | undefined {
    let spent = 0
    for (const [at, candidate] of candidates.entries()) {
      const outcome = outcomes[at]
      if (outcome === undefined || spent >= left) return undefined
      const name = nameOf(candidate, wanted)
      if (!this.#known.has(name) && outcome !== 'unread') {
        spent++
        this.#runs++
      }
      this.#known.set(name, outcome)
      if (typeof outcome !== 'string') return outcome
    }
    return undefined
  }

  async #judge(lane: Lane, candidate: Candidate, wanted: Wanted | undefined): Promise<Outcome> {
    const page = this.#read(candidate.page)
    if (page === undefined) return 'unread'
    const ended = await lane.probe({ page, seed: candidate.seed }, wishOf(candidate, wanted))
    if (ended?.account === undefined) return 'fails not'
    this.#cpuMs += ended.record.cpuMs
    const wrong = wrongIn(ended.record, ended.account, candidate.page)
    if (wrong === undefined || (wanted !== undefined && wrong.kind !== wanted.kind)) return 'fails not'
    return { ...candidate, wrong, account: ended.account }
  }

  /** Undefined: it makes no sense, such as a step that asks for what a step that is gone has saved. */
  #read(page: Keyed): SentPage | undefined {
    // Of a page with many seeds each lane, and each worker, gets the same one.
    if (this.#pages.has(page)) return this.#pages.get(page)
    // JSON is YAML.
    const text = JSON.stringify(page)
    const loaded = loadScenario(this.#options.file, text)
    const read = loaded.ok ? { loaded: loaded.value, text, hash: '' } : undefined
    this.#pages.set(page, read)
    return read
  }
}

function wishOf({ page }: Candidate, wanted: Wanted | undefined): Parameters<Lane['probe']>[1] {
  if (wanted === undefined || wanted.atRest) return {}
  // Without rules every moment is behind the last of them.
  return { ends: rulesOf(page).length === 0 ? {} : { afterFaultsMs: wanted.afterFaultsMs } }
}

function nameOf({ page, seed }: Candidate, { afterFaultsMs }: Wanted): string {
  return `${seed} ${afterFaultsMs} ${JSON.stringify(page)}`
}
