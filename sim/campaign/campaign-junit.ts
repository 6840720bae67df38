import { compareText } from '../../src/base/bytes.ts'
import { forkFlags } from '../report/forks.ts'
import { type JunitCase, junitHead, junitTail, missedCase, missingCase, seedCase, suiteText } from '../report/junit.ts'
import { rejudged, type SeedRecord } from '../report/seed-record.ts'
import type { Ledger } from './ledger.ts'
import type { ManifestScenario } from './manifest.ts'
import type { Arrival } from './seed-table.ts'

/** Maximum number of cases of one report: hardly any engine reads more. */
const casesMax = 1_000_000

interface SeedOfPage {
  readonly seed: number
  readonly forks: string
  readonly hasRun: boolean
  /** The files have two runs of it. */
  readonly isOther: boolean
  readonly case: JunitCase
}

/** The report of a campaign in JUnit's form: equal for equal records, in whatever order and however often they come. */
export class CampaignJunit {
  readonly #pages = new Map<string, Map<string, SeedOfPage>>()
  #cases = 0

  /** False: there is no room for it. */
  take(record: SeedRecord, arrival: Arrival): boolean {
    const { page, seed, trace } = record
    const forks = forkFlags(record.forks)
    const name = `${seed}${forks}`
    const cases = this.#pages.get(page) ?? new Map<string, SeedOfPage>()
    this.#pages.set(page, cases)
    const before = cases.get(name)
    if (before === undefined && ++this.#cases > casesMax) return false
    const isOther = arrival === 'first other run' || arrival === 'other run' || before?.isOther === true
    const told = isOther ? ofTwoRuns(record) : record
    const one = { seed, forks, isOther, hasRun: trace !== null, case: seedCase(told) }
    if (before === undefined || isOther || isBetter(one, before)) cases.set(name, one)
    return true
  }

  /** The lines of the report. `missing`: by page, what was not run, one line per gap. */
  lines(ledger: Ledger, missing: ReadonlyMap<string, readonly string[]>): readonly string[] {
    const accounts = ledger.accounts.toSorted(({ scenario: one }, { scenario: other }) => byTitle(one, other))
    const suites = accounts.map((account) => {
      const { scenario, file, page } = account.scenario
      const seeds = [...(this.#pages.get(page)?.values() ?? [])].toSorted(bySeed)
      const missed = ledger.missedOf(account).map(({ message }) => missedCase(file, { place: file, message }))
      const gaps = (missing.get(page) ?? []).map((text) => missingCase(file, text))
      return suiteText({ scenario, file, cases: [...seeds.map((seed) => seed.case), ...missed, ...gaps] })
    })
    return [junitHead, ...suites, junitTail]
  }
}

/** A run replaces a verdict without a run; of two of one kind, the text decides, not the order of arrival. */
function isBetter(one: SeedOfPage, other: SeedOfPage): boolean {
  return one.hasRun === other.hasRun ? compareText(one.case.text, other.case.text) < 0 : one.hasRun
}

/** A seed with two runs has no reliable verdict. */
function ofTwoRuns(record: SeedRecord): SeedRecord {
  const bare = { ...record, failures: [], notes: [], wallMs: 0 }
  return rejudged(bare, 'not deterministic', ['the files have two different runs of this seed'])
}

function bySeed(one: SeedOfPage, other: SeedOfPage): number {
  return one.seed - other.seed || compareText(one.forks, other.forks)
}

function byTitle(one: ManifestScenario, other: ManifestScenario): number {
  return compareText(one.scenario, other.scenario) || compareText(one.page, other.page)
}
