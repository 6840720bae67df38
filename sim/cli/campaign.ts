import { type Judged, sumOfJudged } from '../checkers/judged-tally.ts'
import { type SentPage, WorkerDidNotStart } from '../pool/lane.ts'
import { runPool } from '../pool/pool.ts'
import { judgedLines } from '../report/judged-lines.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import { failureLines, markLines, seedLine } from '../report/terminal-report.ts'
import { missedInCampaign, reachedMarks, type SeedMarks } from '../scenario/demands.ts'
import type { RunFlags, SeedRange } from './run-flags.ts'
import { exitOf, exits, graver, type SimTerminal } from './terminal.ts'

/** CPU time that a seed may use while its virtual time stands still, in milliseconds. */
const usualStallMs = 120_000

/** Every seed of every page, in the pool; the exit code is that of the worst run. */
export async function runCampaign(
  pages: readonly SentPage[],
  seeds: SeedRange,
  flags: RunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { jobs = terminal.cores, stall = usualStallMs, verify = false, steps, untilFailure = false } = flags
  const campaign = new Campaign(pages, seeds, flags, terminal)
  try {
    await runPool({
      pages,
      seeds,
      jobs,
      verify,
      untilFailure,
      confirm: true,
      searchStepsMax: steps,
      startWorker: () => terminal.startWorker(stall),
      onRecord: (record) => campaign.take(record),
    })
  } catch (cause) {
    if (!(cause instanceof WorkerDidNotStart)) throw cause
    terminal.error(`${cause.message}\n`)
    return exits.noVerdict
  }
  return campaign.end()
}

/** What is said of one page. */
interface Tally {
  seeds: number
  failed: number
  undecided: number
  /** Empty in the total over several pages. */
  readonly ran: SeedMarks[]
  judged: Judged
}

/** Takes the records in their order, and tells what they come to. */
class Campaign {
  readonly #pages: readonly SentPage[]
  readonly #count: number
  readonly #flags: RunFlags
  readonly #terminal: SimTerminal
  readonly #total = newTally()
  #page = newTally()
  #at = 0
  #worst: number = exits.passed

  constructor(pages: readonly SentPage[], { first, last }: SeedRange, flags: RunFlags, terminal: SimTerminal) {
    this.#pages = pages
    this.#count = last - first + 1
    this.#flags = flags
    this.#terminal = terminal
  }

  take(record: SeedRecord): void {
    this.#worst = graver(this.#worst, exitOf(record))
    for (const tally of [this.#page, this.#total]) {
      tally.seeds++
      tally.judged = sumOfJudged([tally.judged, record.counts])
      if (hasFailed(record)) tally.failed++
      else if (record.verdict === 'undecided') tally.undecided++
    }
    this.#page.ran.push({ seed: record.seed, marks: record.marks })
    this.#tell(record)
    if (this.#page.seeds === this.#count) this.#endPage()
  }

  end(): number {
    // The seed that failed was not the last of its page.
    if (this.#page.seeds > 0) this.#endPage()
    if (this.#pages.length > 1) {
      this.#say(this.#totalText())
      this.#sayJudged(this.#total)
    }
    return this.#worst
  }

  #tell(record: SeedRecord): void {
    if (this.#flags.json === true) return this.#terminal.out(`${JSON.stringify(record)}\n`)
    if (record.verdict === 'passed' && this.#flags.quiet === true) return
    for (const line of [seedLine(record), ...failureLines(record)]) this.#terminal.out(`${line}\n`)
  }

  #endPage(): void {
    const page = this.#pages[this.#at++]
    const tally = this.#page
    this.#page = newTally()
    if (page === undefined) return
    const missed = this.#sayMarks(page, tally)
    if (missed > 0) this.#worst = graver(this.#worst, exits.failed)
    if (this.#flags.json === true) return
    const notMet = missed === 0 ? '' : `, ${missed === 1 ? '1 demand' : `${missed} demands`} not met`
    this.#say(`${page.loaded.scenario.scenario}: ${this.#summaryText(tally)}${notMet}`)
    this.#sayJudged(tally)
  }

  /** What the seeds of a page have reached; gives how many demands on all of them together are not met. */
  #sayMarks({ loaded: { document, scenario } }: SentPage, { ran }: Tally): number {
    const missed = missedInCampaign(scenario.demands, ran)
    for (const { path, message } of missed) this.#terminal.error(`${document.placeOfKey(path)}: ${message}\n`)
    if (this.#flags.quiet === true) return missed.length
    for (const line of markLines(reachedMarks(scenario.demands, ran), ran.length)) this.#say(line)
    return missed.length
  }

  #sayJudged({ judged }: Tally): void {
    if (this.#flags.quiet === true || this.#flags.json === true) return
    for (const line of judgedLines(judged)) this.#say(line)
  }

  /** For people: beside records for programs it goes to standard error. */
  #say(line: string): void {
    this.#terminal[this.#flags.json === true ? 'error' : 'out'](`${line}\n`)
  }

  #summaryText({ failed, undecided }: Tally): string {
    const count = this.#count
    const open = undecided === 0 ? [] : [`${undecided} undecided`]
    if (failed > 0 && this.#flags.untilFailure === true) {
      return ['stopped at the first seed that failed', ...open].join(', ')
    }
    if (failed > 0) return [`${failed} of ${count} seeds failed`, ...open].join(', ')
    return undecided > 0 ? `${undecided} of ${count} seeds undecided, none failed` : `all ${count} seeds passed`
  }

  #totalText(): string {
    const { seeds, failed, undecided } = this.#total
    const wrong = [
      ...(failed === 0 ? [] : [`${failed} failed`]),
      ...(undecided === 0 ? [] : [`${undecided} undecided`]),
    ]
    return `total: ${this.#at} scenarios, ${seeds} seeds, ${wrong.length === 0 ? 'all passed' : wrong.join(', ')}`
  }
}

function newTally(): Tally {
  return { seeds: 0, failed: 0, undecided: 0, ran: [], judged: sumOfJudged([]) }
}
