import { type Judged, sumOfJudged } from '../checkers/judged-tally.ts'
import { countOf, everySeed, runPool } from '../pool/pool.ts'
import { type SentPage, WorkerDidNotStart } from '../pool/warm-worker.ts'
import { judgedLines } from '../report/judged-lines.ts'
import type { Missed } from '../report/junit.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import { failureLines, markLines, seedLine, verdictWord } from '../report/terminal-report.ts'
import { FactTally, MarkTally, missedInCampaign, reachedMarks } from '../scenario/demands.ts'
import type { Demands } from '../scenario/language/demands.ts'
import { Outputs } from './outputs.ts'
import { plantedIn } from './plant-flags.ts'
import { Progress } from './progress.ts'
import { type RunFlags, type SeedRange, usualStallMs } from './run-flags.ts'
import { Screen } from './screen.ts'
import { exitOf, exits, graver, type SimTerminal } from './terminal.ts'

/**
 * Runs every seed of every page, or each page with its own seeds, in the pool; the exit code is that of the worst run.
 */
export async function runCampaign(
  pages: readonly SentPage[],
  seeds: SeedRange | undefined,
  flags: RunFlags,
  terminal: SimTerminal,
  onRecord: (record: SeedRecord) => void = () => {},
): Promise<number> {
  const { jobs = terminal.cores, stall = usualStallMs, verify = false, steps, untilFailure = false } = flags
  const outputs = await Outputs.open(flags, terminal)
  if (outputs === undefined) return exits.usage
  const progress = new Progress(pages.length * countOf(seeds), terminal.wallMs)
  const screen = new Screen(terminal, () => progress.text())
  const planted = plantedIn(flags)
  const campaign = new Campaign(pages, seeds, { flags, screen, outputs, progress })
  try {
    await runPool({
      pages,
      turns: everySeed(pages, seeds),
      jobs,
      verify,
      untilFailure,
      confirm: true,
      searchStepsMax: steps,
      startWorker: () => terminal.startWorker(stall),
      onRecord: (made) => {
        const record = planted === undefined ? made : { ...made, planted }
        campaign.take(record)
        onRecord(record)
      },
      onJudged: (record, before) => {
        progress.judged(record)
        if (!untilFailure || before === 0 || !hasFailed(record)) return
        screen.note(`seed ${record.seed} of ${record.file} fails; ${before} seeds before it are not done yet`)
      },
    })
  } catch (cause) {
    if (!(cause instanceof WorkerDidNotStart)) throw cause
    screen.note(cause.message)
    campaign.isCutShort()
  }
  screen.close()
  const worst = campaign.end()
  return (await outputs.end()) ? worst : graver(worst, exits.usage)
}

/** The counts of one page. */
interface Tally {
  seeds: number
  failed: number
  undecided: number
  /** Empty in the total over several pages. */
  readonly marks: MarkTally
  readonly facts: FactTally
  judged: Judged
}

interface CampaignParts {
  readonly flags: RunFlags
  readonly screen: Screen
  readonly outputs: Outputs
  readonly progress: Progress
}

/** Receives the records in their order, and reports their result. */
class Campaign {
  readonly #pages: readonly SentPage[]
  readonly #count: number
  readonly #flags: RunFlags
  readonly #screen: Screen
  readonly #outputs: Outputs
  readonly #progress: Progress
  readonly #total = newTally()
  #page: Tally
  #at = 0
  #worst: number = exits.passed
  #cutShort = false

  constructor(pages: readonly SentPage[], seeds: SeedRange | undefined, parts: CampaignParts) {
    this.#pages = pages
    this.#count = countOf(seeds)
    this.#flags = parts.flags
    this.#screen = parts.screen
    this.#outputs = parts.outputs
    this.#progress = parts.progress
    this.#page = newTally(demandsOn(pages[0]))
  }

  take(record: SeedRecord): void {
    this.#worst = graver(this.#worst, exitOf(record))
    for (const tally of [this.#page, this.#total]) {
      tally.seeds++
      tally.judged = sumOfJudged([tally.judged, record.counts])
      if (hasFailed(record)) tally.failed++
      else if (record.verdict === 'undecided') tally.undecided++
    }
    this.#page.marks.add(record.marks)
    this.#page.facts.add({ judged: record.counts, undecided: record.undecided })
    this.#tell(record)
    this.#outputs.take(record, this.#screen)
    if (this.#page.seeds === this.#count) this.#endPage()
  }

  /**
   * Some seeds could not be run by any worker: from here on, the output is about those that ran, and is no verdict on
   * all.
   */
  isCutShort(): void {
    this.#worst = graver(this.#worst, exits.noVerdict)
    this.#cutShort = true
  }

  end(): number {
    // The seed that failed, or the last one that ran, was not the last of its page.
    if (this.#page.seeds > 0) this.#endPage()
    const isMany = this.#pages.length > 1
    if (this.#cutShort && (isMany || this.#total.seeds === 0 || this.#flags.json === true))
      this.#say(`ended after ${this.#total.seeds} of ${this.#pages.length * this.#count} seeds`)
    if (isMany) {
      this.#say(this.#totalText())
      this.#sayJudged(this.#total)
    }
    return this.#worst
  }

  #tell(record: SeedRecord): void {
    if (this.#flags.json === true) return
    if (record.verdict === 'passed' && this.#flags.quiet === true) return
    this.#screen.line(this.#screen.judged(record.verdict, verdictWord(record), seedLine(record)))
    for (const line of failureLines(record)) this.#screen.line(line)
  }

  #endPage(): void {
    const page = this.#pages[this.#at++]
    const tally = this.#page
    this.#page = newTally(demandsOn(this.#pages[this.#at]))
    if (page === undefined) return
    const missed = this.#sayMarks(page, tally)
    if (missed.length > 0) this.#worst = graver(this.#worst, exits.failed)
    this.#outputs.endPage(page, missed)
    if (this.#flags.json === true) return
    const notMet =
      missed.length === 0 ? '' : `, ${missed.length === 1 ? '1 demand' : `${missed.length} demands`} not met`
    this.#say(`${page.loaded.scenario.scenario}: ${this.#summaryText(tally)}${notMet}`)
    this.#sayJudged(tally)
  }

  /**
   * Prints the marks that the seeds of a page have reached; returns the demands on all of them together that are not
   * met.
   */
  #sayMarks({ loaded: { document, scenario } }: SentPage, { marks, facts }: Tally): readonly Missed[] {
    const missed = missedInCampaign(scenario.demands, marks, facts)
    const placed = missed.map(({ path, message }) => ({ place: document.placeOfKey(path), message }))
    for (const { place, message } of placed) this.#say(`${place}: ${message}`)
    if (this.#flags.quiet === true) return placed
    for (const line of markLines(reachedMarks(scenario.demands, marks), marks.seeds)) this.#say(line)
    return placed
  }

  #sayJudged({ judged }: Tally): void {
    if (this.#flags.quiet === true || this.#flags.json === true) return
    for (const line of judgedLines(judged)) this.#say(line)
  }

  /** Output for people: if records for programs are printed, it goes to standard error. */
  #say(line: string): void {
    if (this.#flags.json === true) this.#screen.note(line)
    else this.#screen.line(line)
  }

  #summaryText({ seeds, failed, undecided }: Tally): string {
    const count = this.#count
    const open = undecided === 0 ? [] : [`${undecided} undecided`]
    if (this.#cutShort) return [`ended after ${seeds} of ${count} seeds`, `${failed} failed`, ...open].join(', ')
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
    const seconds = (this.#progress.elapsedMs / 1000).toFixed(1)
    const ran = this.#cutShort ? 'none failed' : 'all passed'
    const verdict = wrong.length === 0 ? ran : wrong.join(', ')
    return `total: ${counted(this.#at, 'scenario')}, ${counted(seeds, 'seed')}, ${verdict}, in ${seconds} s`
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function newTally(demands?: Demands): Tally {
  const tallies = { marks: new MarkTally(), facts: new FactTally(demands), judged: sumOfJudged([]) }
  return { seeds: 0, failed: 0, undecided: 0, ...tallies }
}

function demandsOn(page: SentPage | undefined): Demands | undefined {
  return page?.loaded.scenario.demands
}
