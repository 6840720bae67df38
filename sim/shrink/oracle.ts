import { BudgetedLanes, type BudgetedLanesOptions } from '../pool/budgeted-lanes.ts'
import type { Lane } from '../pool/lane.ts'
import type { SentPage } from '../pool/warm-worker.ts'
import type { Account } from '../scenario/account.ts'
import { loadScenario } from '../scenario/language/load.ts'
import { type Keyed, rulesOf } from './page.ts'
import { type Wrong, wrongsIn } from './violation.ts'

export interface Candidate {
  readonly page: Keyed
  readonly seed: number
}

/** A page that fails with its seed, and how. */
export interface Failing extends Candidate {
  readonly wrong: Wrong
  readonly account: Account
}

export interface OracleOptions extends BudgetedLanesOptions {
  /** The name of the page, for messages. */
  readonly file: string
}

/** What a run must do wrong, and when a run that has not done it is given up. */
export interface Wanted {
  readonly kind: string
  /** Other things may be wrong before it; otherwise it is the first that goes wrong. */
  readonly isLater: boolean
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
export class Oracle extends BudgetedLanes {
  readonly #options: OracleOptions
  readonly #known = new Map<string, Outcome>()
  readonly #pages = new WeakMap<Keyed, SentPage | undefined>()

  constructor(options: OracleOptions) {
    super(options)
    this.#options = options
  }

  /** How this fails, whatever is wrong, by the things that are wrong in their order; none: it does not. One run. */
  async failures(candidate: Candidate): Promise<readonly Failing[]> {
    const [lane] = this.lanes
    this.countRun()
    return lane === undefined ? [] : this.#failings(lane, candidate, {})
  }

  /** The first of these that fails as it is wanted; undefined: none does, or there is nothing left to spend. */
  async first(candidates: readonly Candidate[], wanted: Wanted): Promise<Failing | undefined> {
    const outcomes: Outcome[] = []
    let next = 0
    let found = Number.POSITIVE_INFINITY
    const left = this.runsLeft
    const work = async (lane: Lane): Promise<void> => {
      while (next < Math.min(candidates.length, found) && !this.isSpent) {
        const at = next++
        const candidate = candidates[at] as Candidate
        const outcome = this.#known.get(nameOf(candidate, wanted)) ?? (await this.#judge(lane, candidate, wanted))
        outcomes[at] = outcome
        if (typeof outcome !== 'string') found = Math.min(found, at)
      }
    }
    await Promise.all(this.lanes.map(work))
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
        this.countRun()
      }
      this.#known.set(name, outcome)
      if (typeof outcome !== 'string') return outcome
    }
    return undefined
  }

  async #judge(lane: Lane, candidate: Candidate, wanted: Wanted): Promise<Outcome> {
    if (this.#read(candidate.page) === undefined) return 'unread'
    const failings = await this.#failings(lane, candidate, wishOf(candidate, wanted))
    const looked = wanted.isLater ? failings : failings.slice(0, 1)
    return looked.find(({ wrong }) => wrong.kind === wanted.kind) ?? 'fails not'
  }

  async #failings(lane: Lane, candidate: Candidate, wish: Parameters<Lane['probe']>[1]): Promise<readonly Failing[]> {
    const page = this.#read(candidate.page)
    const ended = page && (await lane.probe({ page, seed: candidate.seed }, wish))
    if (ended?.account === undefined) return []
    const { record, account } = ended
    this.countCpuMs(record.cpuMs)
    return wrongsIn(record, account, candidate.page).map((wrong) => ({ ...candidate, wrong, account }))
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

function wishOf({ page }: Candidate, wanted: Wanted): Parameters<Lane['probe']>[1] {
  if (wanted.atRest) return {}
  // Without rules every moment is behind the last of them.
  return { ends: rulesOf(page).length === 0 ? {} : { afterFaultsMs: wanted.afterFaultsMs } }
}

function nameOf({ page, seed }: Candidate, { afterFaultsMs }: Wanted): string {
  return `${seed} ${afterFaultsMs} ${JSON.stringify(page)}`
}
