import { compareText } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import { type Judged, sumOfJudged } from '../checkers/judged-tally.ts'
import { forkFlags } from '../report/forks.ts'
import { hasFailed, type SeedRecord, type SeedVerdict } from '../report/seed-record.ts'
import { FactTally, MarkTally, type MissedDemand, missedInCampaign } from '../scenario/demands.ts'
import { byFrequency, type FailureGroup, FailureGroups } from './failure-groups.ts'
import { failureKind, fingerprintOf, kindWithoutRun } from './fingerprint.ts'
import { GuidedTally } from './guided-tally.ts'
import { demandsOf, type ManifestScenario } from './manifest.ts'
import { type Arrival, chunksMax, SeedTable } from './seed-table.ts'

/** Maximum number of seeds with two different runs that are listed. */
const otherRunsKept = 20

/** A seed that had two runs, although a run depends only on its seed. */
export interface OtherRun {
  readonly scenario: string
  readonly seed: number
  /** For a guided run, the options that name it. */
  readonly forks: string
  /** Every run that was seen: the beginning of its trace and its verdict. */
  readonly runs: readonly string[]
}

interface OtherRunsOfSeed extends Omit<OtherRun, 'runs'> {
  readonly page: string
  readonly runs: Set<string>
}

/** The counts of one scenario of a campaign. */
interface PageAccount {
  scenario: ManifestScenario
  readonly table: SeedTable
  readonly marks: MarkTally
  readonly facts: FactTally
  /** Number of its failed runs. */
  failed: number
  undecided: number
}

export interface LedgerOptions {
  readonly scenarios: readonly ManifestScenario[]
  readonly sha256: (bytes: Uint8Array) => Uint8Array
}

/** The result of taking a record. */
export interface Taken {
  readonly arrival: Arrival
  /** For a new failure, the number of failures of its kind including it. */
  readonly ofKind?: number
  readonly fingerprint?: string
}

/**
 * The result of a campaign's records. Their order does not matter, and a record that comes twice counts once. The
 * memory is limited by the number of seeds (a few bytes each), of scenarios and of kinds of failures.
 */
export class Ledger {
  /** Runs with forks, beside the seeds. */
  readonly guided: GuidedTally = new GuidedTally()
  readonly #failures = new FailureGroups()
  /** Examples of seeds without a run. Their number is in the tables, because a run may still come. */
  readonly #open = new FailureGroups()
  readonly #options: LedgerOptions
  readonly #accounts = new Map<string, PageAccount>()
  /** The verdicts of runs, including guided ones. */
  readonly #verdicts = new Map<SeedVerdict, number>()
  readonly #otherRuns: OtherRunsOfSeed[] = []
  #judged: Judged = sumOfJudged([])
  #runs = 0
  #cpuMs = 0
  #again = 0
  #chunks = 0
  #seedsWithOtherRuns = 0

  constructor(options: LedgerOptions) {
    this.#options = options
    for (const scenario of options.scenarios) this.add(scenario)
  }

  /** A scenario of the campaign; one that is already known is the same, perhaps under another file name. */
  add(scenario: ManifestScenario): void {
    const there = this.#accounts.get(scenario.page)
    if (there !== undefined) {
      if (compareText(scenario.file, there.scenario.file) < 0) there.scenario = scenario
      return
    }
    const mayGrow = (): boolean => this.#chunks < chunksMax && ++this.#chunks > 0
    const tallies = { marks: new MarkTally(), facts: new FactTally(demandsOf(scenario)), failed: 0, undecided: 0 }
    this.#accounts.set(scenario.page, { scenario, table: new SeedTable(mayGrow), ...tallies })
  }

  hasRun(page: string, seed: number): boolean {
    return this.#accounts.get(page)?.table.hasRun(seed) ?? false
  }

  take(record: SeedRecord): Taken {
    const account = this.#accounts.get(record.page)
    invariant(account !== undefined, 'a record is of a scenario of the campaign', { page: record.page })
    const kind = failureKind(record)
    const isGuided = record.forks !== undefined
    const arrival = isGuided ? this.#takeGuided(account, record, kind !== undefined) : this.#takePlain(account, record)
    if (arrival === 'first other run') this.#seedsWithOtherRuns++
    if (arrival === 'again') this.#again++
    const isNew = arrival === 'new'
    if (kind === undefined || arrival === 'no room') return { arrival }
    const groups = record.trace === null && !isGuided ? this.#open : this.#failures
    const fingerprint = record.fingerprint ?? fingerprintOf(kind, this.#options.sha256)
    groups.offer(fingerprint, record)
    return { arrival, fingerprint, ...(isNew ? { ofKind: groups.count(fingerprint, record) } : {}) }
  }

  /** Scenarios in their order, with their counts. */
  get accounts(): readonly Readonly<PageAccount>[] {
    return [...this.#accounts.values()]
  }

  /** Number of seeds of all scenarios that have a record. */
  get records(): number {
    return this.accounts.reduce((sum, { table }) => sum + table.seeds, 0)
  }

  /** Number of seeds of all scenarios that have a run. */
  get runs(): number {
    return this.#runs
  }

  /** Number of seeds that had a verdict without a run, and have a run now. */
  get recovered(): number {
    return this.accounts.reduce((sum, { table }) => sum + table.recovered, 0)
  }

  /** Number of records that were already known. */
  get again(): number {
    return this.#again
  }

  /** CPU time of the counted records, in milliseconds. */
  get cpuMs(): number {
    return this.#cpuMs
  }

  get judged(): Judged {
    return this.#judged
  }

  /** Number of seeds with each verdict. */
  get verdicts(): ReadonlyMap<SeedVerdict, number> {
    const verdicts = new Map(this.#verdicts)
    for (const { table } of this.#accounts.values()) {
      for (const [verdict, seeds] of table.open) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + seeds)
    }
    return verdicts
  }

  /** The most frequent kind first. */
  get failureGroups(): readonly FailureGroup[] {
    return [...this.#failures.groups, ...this.#openGroups()].toSorted(byFrequency)
  }

  /** Number of failures beyond the maximum number of kinds. */
  get furtherFailures(): number {
    return this.#failures.others
  }

  /** Number of such seeds, and the first of them. */
  get otherRuns(): { readonly seeds: number; readonly shown: readonly OtherRun[] } {
    const shown = this.#otherRuns.map(({ scenario, seed, forks, runs }) => {
      return { scenario, seed, forks, runs: [...runs].toSorted(compareText) }
    })
    return { seeds: this.#seedsWithOtherRuns, shown }
  }

  /** Marks of the seeds of all scenarios together. */
  get marks(): MarkTally {
    const all = new MarkTally()
    for (const { marks } of this.#accounts.values()) all.addAll(marks)
    return all
  }

  /** Demands on the seeds of a scenario together that they do not meet. */
  missedOf({ scenario, marks, facts }: Pick<PageAccount, 'scenario' | 'marks' | 'facts'>): readonly MissedDemand[] {
    return missedInCampaign(demandsOf(scenario), marks, facts)
  }

  #takePlain(account: PageAccount, record: SeedRecord): Arrival {
    const arrival = account.table.put(record)
    if (arrival === 'new' && record.trace !== null) this.#count(account, record)
    if (arrival !== 'first other run' && arrival !== 'other run') return arrival
    const { trace, verdict } = account.table.runOf(record.seed)
    this.#otherRun(account, record, `${trace} ${verdict}`)
    return arrival
  }

  /**
   * Beside the seeds: it counts as a run and as a failure, but demands apply only to seeds, whose draws were not
   * chosen.
   */
  #takeGuided(account: PageAccount, record: SeedRecord, isFailed: boolean): Arrival {
    const { arrival, before } = this.guided.take(record, isFailed)
    if (before !== undefined) this.#otherRun(account, record, before)
    if (arrival !== 'new') return arrival
    const { verdict, cpuMs, counts } = record
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1)
    this.#cpuMs += cpuMs
    this.#judged = sumOfJudged([this.#judged, counts])
    return arrival
  }

  #openGroups(): readonly FailureGroup[] {
    return [...this.#accounts.values()].flatMap(({ scenario: { scenario, page }, table }) =>
      table.open.map(([verdict, failures]) => {
        const fingerprint = fingerprintOf(kindWithoutRun(verdict, page), this.#options.sha256)
        const examples = this.#open.examplesOf(fingerprint).filter(({ seed }) => !table.hasRun(seed))
        return { fingerprint, failures, guided: 0, scenarios: [scenario], examples }
      }),
    )
  }

  #count(account: PageAccount, record: SeedRecord): void {
    const { verdict, marks, counts, undecided } = record
    this.#runs++
    this.#cpuMs += record.cpuMs
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1)
    if (hasFailed(record)) account.failed++
    else if (verdict === 'undecided') account.undecided++
    account.marks.add(marks)
    account.facts.add({ judged: counts, undecided })
    this.#judged = sumOfJudged([this.#judged, counts])
  }

  /** Those with the smallest seeds are kept, in whatever order they come. */
  #otherRun({ scenario: { scenario, page } }: PageAccount, record: SeedRecord, before: string): void {
    const { seed, trace, verdict } = record
    const forks = forkFlags(record.forks)
    const runs = [before, `${trace?.slice(0, 16)} ${verdict}`]
    const there = this.#otherRuns.find((one) => one.page === page && one.seed === seed && one.forks === forks)
    if (there === undefined) this.#otherRuns.push({ page, scenario, seed, forks, runs: new Set(runs) })
    else for (const run of runs) there.runs.add(run)
    const texts = ({ page: of, forks: and }: OtherRunsOfSeed): string => `${of}${and}`
    this.#otherRuns.sort((one, other) => one.seed - other.seed || compareText(texts(one), texts(other)))
    this.#otherRuns.length = Math.min(this.#otherRuns.length, otherRunsKept)
  }
}
