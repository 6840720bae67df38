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

/** A page that fails with its seed, and its failure. */
export interface Failing extends Candidate {
  readonly wrong: Wrong
  readonly account: Account
}

export interface OracleOptions extends BudgetedLanesOptions {
  /** The page's file name, for messages. */
  readonly file: string
}

/** The failure that a run must have, and when a run without it is stopped. */
export interface Wanted {
  readonly kind: string
  /** Other failures may precede it; otherwise it must be the first. */
  readonly isLater: boolean
  /** It shows only when the cluster comes to rest, so runs are made to their end. */
  readonly atRest: boolean
  /** How long after the last fault a run continues, in milliseconds. */
  readonly afterFaultsMs: number
}

type Outcome = Failing | 'fails not' | 'unread'

/**
 * Runs candidates until one has the wanted failure. The candidates are judged in their order whatever the number of
 * jobs, and only those up to the first failing one count. So the answers depend only on the questions, and with a
 * budget in runs, so does everything that follows from them.
 */
export class Oracle extends BudgetedLanes {
  readonly #options: OracleOptions
  readonly #known = new Map<string, Outcome>()
  readonly #pages = new WeakMap<Keyed, SentPage | undefined>()

  constructor(options: OracleOptions) {
    super(options)
    this.#options = options
  }

  /** The failing forms of this candidate, one for each failure in order; empty: it does not fail. One run. */
  async failures(candidate: Candidate): Promise<readonly Failing[]> {
    const [lane] = this.lanes
    this.countRun()
    return lane === undefined ? [] : this.#failings(lane, candidate, {})
  }

  /** The first candidate with the wanted failure; undefined: there is none, or the budget is spent. */
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

  /** The results in the order of the candidates, as far as the budget allows. */
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

  /** Undefined: the page is invalid, such as one with a step that refers to what a removed step saved. */
  #read(page: Keyed): SentPage | undefined {
    // For a page with many seeds, each lane and each worker gets the same object.
    if (this.#pages.has(page)) return this.#pages.get(page)
    // JSON is a subset of YAML.
    const text = JSON.stringify(page)
    const loaded = loadScenario(this.#options.file, text)
    const read = loaded.ok ? { loaded: loaded.value, text, hash: '' } : undefined
    this.#pages.set(page, read)
    return read
  }
}

function wishOf({ page }: Candidate, wanted: Wanted): Parameters<Lane['probe']>[1] {
  if (wanted.atRest) return {}
  // Without rules, every moment is after the last firing.
  return { ends: rulesOf(page).length === 0 ? {} : { afterFaultsMs: wanted.afterFaultsMs } }
}

function nameOf({ page, seed }: Candidate, { afterFaultsMs }: Wanted): string {
  return `${seed} ${afterFaultsMs} ${JSON.stringify(page)}`
}
