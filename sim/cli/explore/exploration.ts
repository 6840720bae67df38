import { shownOfKind } from '../../campaign/failure-groups.ts'
import { gapsIn } from '../../campaign/gaps.ts'
import type { Ledger } from '../../campaign/ledger.ts'
import type { Manifest } from '../../campaign/manifest.ts'
import { countOfShare } from '../../campaign/share.ts'
import {
  cameToLines,
  failureGroupLines,
  guidedLines,
  isSound,
  missedLines,
  otherRunLines,
  scenarioLine,
  totalText,
  verdictsOf,
} from '../../campaign/summary.ts'
import { annotation } from '../../report/annotations.ts'
import { grouped } from '../../report/judged-lines.ts'
import { hasFailed, type SeedRecord } from '../../report/seed-record.ts'
import { failureLines, seedLine, verdictWord } from '../../report/terminal-report.ts'
import type { LineFile } from '../line-file.ts'
import { annotationsMax, workspaceOf } from '../outputs.ts'
import type { Progress } from '../progress.ts'
import type { Screen } from '../screen.ts'
import { exitOf, exits, graver, type SimTerminal } from '../terminal.ts'
import type { ExploreFlags } from './flags.ts'

interface ExplorationParts {
  readonly manifest: Manifest
  readonly ledger: Ledger
  readonly lines: LineFile | undefined
  readonly screen: Screen
  readonly progress: Progress
  readonly flags: ExploreFlags
  readonly terminal: SimTerminal
}

/** Maximum number of undecided seeds that are printed as they come. */
const undecidedShown = 10

/** Receives the records of one share, writes and prints them, and prints the result at the end. */
export class Exploration {
  readonly #parts: ExplorationParts
  #annotated = 0
  #undecided = 0

  constructor(parts: ExplorationParts) {
    this.#parts = parts
  }

  take(record: SeedRecord): void {
    const { manifest, ledger, lines } = this.#parts
    const { fingerprint, ofKind = 0 } = ledger.take(record)
    const named = fingerprint === undefined ? record : { ...record, fingerprint }
    const kept = ofKind > shownOfKind ? withoutDetails(named) : named
    lines?.add(JSON.stringify({ ...kept, build: manifest.build }))
    if (record.verdict === 'undecided') this.#undecided++
    const isToldOf = hasFailed(record) ? ofKind <= shownOfKind : this.#undecided <= undecidedShown
    if (record.verdict !== 'passed' && isToldOf) this.#tell(record)
  }

  /** Prints the result, and returns the exit code. `isCutShort`: some seeds could not be run by any worker. */
  end(isCutShort: boolean): number {
    const { ledger, screen, flags } = this.#parts
    const missed = missedLines(ledger)
    for (const line of [...this.#scenarioLines(), ...failureGroupLines(ledger), ...missed]) screen.line(line)
    for (const line of guidedLines(ledger)) screen.line(line)
    if (flags.quiet !== true) for (const line of cameToLines(ledger)) screen.line(line)
    for (const line of otherRunLines(ledger)) screen.line(line)
    const lacking = this.#lacking()
    const why = isCutShort ? 'CUT SHORT' : 'TIME SPENT'
    const open = lacking === 0 ? '' : `; ${why}: ${grouped(lacking)} of ${grouped(this.#wanted())} runs were not made`
    const seconds = (this.#parts.progress.elapsedMs / 1000).toFixed(1)
    screen.line(`total: ${totalText(ledger)}, in ${seconds} s${open}`)
    const exit = this.#exit(missed.length > 0, lacking > 0)
    return isCutShort ? graver(exit, exits.noVerdict) : exit
  }

  #exit(hasMissed: boolean, isIncomplete: boolean): number {
    const { ledger } = this.#parts
    let exit: number = isIncomplete ? exits.incomplete : exits.passed
    if (hasMissed) exit = graver(exit, exits.failed)
    if (ledger.otherRuns.seeds > 0) exit = graver(exit, exits.notDeterministic)
    for (const verdict of verdictsOf(ledger)) exit = graver(exit, exitOf({ verdict }))
    return exit
  }

  #scenarioLines(): readonly string[] {
    const { manifest, ledger, flags } = this.#parts
    const { seeds, shard } = manifest
    const wanted = countOfShare(seeds, shard)
    return ledger.accounts.flatMap((account) => {
      const { table } = account
      const isQuiet = flags.quiet === true && isSound(account) && table.seeds >= wanted
      return isQuiet ? [] : [scenarioLine(account, wanted, gapsIn(table, seeds, shard.of).reached)]
    })
  }

  #wanted(): number {
    const { manifest, ledger } = this.#parts
    return ledger.accounts.length * countOfShare(manifest.seeds, manifest.shard)
  }

  /** Number of requested runs that were not made; 0 if only a time limit was given. */
  #lacking(): number {
    const wanted = this.#wanted()
    return Number.isFinite(wanted) ? wanted - this.#parts.ledger.records : 0
  }

  #tell(record: SeedRecord): void {
    const { screen, terminal } = this.#parts
    const named = `${record.scenario}, ${seedLine(record)}`
    screen.line(screen.judged(record.verdict, verdictWord(record), named))
    for (const line of failureLines(record)) screen.line(line)
    const workspace = workspaceOf(terminal.environment)
    if (workspace !== undefined && ++this.#annotated <= annotationsMax) screen.line(annotation(record, workspace))
  }
}

/** The first failures of one kind are kept with all details; of further ones, only their seeds are kept. */
function withoutDetails(record: SeedRecord): SeedRecord {
  const { failures, moreFailures } = record
  return { ...record, failures: [], moreFailures: failures.length + moreFailures, notes: [], undecided: [] }
}
