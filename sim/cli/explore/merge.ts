import { compareText } from '../../../src/base/bytes.ts'
import { CampaignJunit } from '../../campaign/campaign-junit.ts'
import { type Gap, type Gaps, gapsIn, gapText } from '../../campaign/gaps.ts'
import { Ledger } from '../../campaign/ledger.ts'
import { cannotJoin, type Manifest, otherBuildText } from '../../campaign/manifest.ts'
import { countOfShare, type SeedSpan, spanText } from '../../campaign/share.ts'
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
import { grouped } from '../../report/judged-lines.ts'
import { LineFile } from '../line-file.ts'
import { oneFileTwice } from '../one-file.ts'
import { exitOf, exits, graver, type SimTerminal } from '../terminal.ts'
import { readCampaign } from './campaign-file.ts'

export interface MergeFlags {
  /** Where to write the report for continuous integration. */
  readonly junit?: string
  readonly quiet?: boolean
}

/** Maximum number of gaps of one scenario that are listed. */
const gapsShown = 20

/** The requested seeds, how many shares they were divided into, and the scenarios. */
interface Asked {
  readonly span: SeedSpan
  readonly of: number
  /** Pages by their hashes. */
  readonly pages: Set<string>
}

/**
 * `svc-sim merge`: the result of a campaign's files together, whatever their order, and however often each is named.
 */
export async function merge(files: readonly string[], flags: MergeFlags, terminal: SimTerminal): Promise<number> {
  const { junit } = flags
  const inputs = files.map((file) => ({ as: 'the campaign', file }))
  const misuse =
    junit === undefined ? undefined : await oneFileTwice(terminal.disk, inputs, [{ as: '--junit', file: junit }])
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  const report = junit === undefined ? undefined : await LineFile.create(terminal, junit)
  if (junit !== undefined && report === undefined) return exits.usage
  const platform = terminal.createPlatform()
  const merged = new Merged(platform.sha256, terminal, report)
  try {
    for (const file of files) {
      const problem = await merged.read(file)
      if (problem === undefined) continue
      terminal.error(`${problem}\n`)
      return exits.usage
    }
    const exit = merged.end(flags)
    const unwritten = await report?.end()
    if (unwritten !== undefined) terminal.error(`${unwritten}\n`)
    return unwritten === undefined ? exit : graver(exit, exits.usage)
  } finally {
    platform.close()
  }
}

class Merged {
  readonly #terminal: SimTerminal
  readonly #ledger: Ledger
  readonly #asked = new Map<string, Asked>()
  readonly #junit: { readonly cases: CampaignJunit; readonly file: LineFile } | undefined
  /** One file for each list of scenarios, the first one first. */
  readonly #joined = new Map<string, { readonly file: string; readonly manifest: Manifest }>()

  constructor(sha256: (bytes: Uint8Array) => Uint8Array, terminal: SimTerminal, report: LineFile | undefined) {
    this.#terminal = terminal
    this.#junit = report === undefined ? undefined : { cases: new CampaignJunit(), file: report }
    this.#ledger = new Ledger({ scenarios: [], sha256 })
  }

  /** Why the file cannot be counted with the others; undefined: it was counted. */
  async read(file: string): Promise<string | undefined> {
    const read = await readCampaign(this.#terminal, file, {
      manifest: (manifest) => this.#join(file, manifest),
      record: (record) => {
        const { arrival } = this.#ledger.take(record)
        const hasRoom = arrival !== 'no room' && (this.#junit?.cases.take(record, arrival) ?? true)
        return hasRoom ? undefined : 'more seeds than can be merged at once: merge the files in several parts'
      },
    })
    if (!read.ok) return read.error
    const { isEmpty, tornBytes } = read.value
    if (isEmpty) this.#terminal.error(`${file}: has no whole line: the command that wrote it ended at once\n`)
    else if (tornBytes > 0) this.#terminal.error(`${file}: its last line is torn, and does not count\n`)
    return undefined
  }

  end({ quiet }: MergeFlags): number {
    const [first] = this.#joined.values()
    if (first === undefined) {
      this.#terminal.error('no file has a manifest: there is nothing to merge\n')
      return exits.usage
    }
    const { out, error } = this.#terminal
    const otherBuild = otherBuildText(first.manifest, this.#terminal.buildHash())
    if (otherBuild !== undefined) error(`${otherBuild}\n`)
    const say = (lines: readonly string[]): void => {
      for (const line of lines) out(`${line}\n`)
    }
    const ledger = this.#ledger
    const { lines, lacking, ofPage } = this.#missing(quiet === true)
    say(lines)
    for (const line of this.#junit?.cases.lines(ledger, ofPage) ?? []) this.#junit?.file.add(line)
    const others = otherRunLines(ledger)
    const missed = missedLines(ledger)
    if (others.length > 0) say(others)
    else {
      say([...failureGroupLines(ledger), ...missed, ...guidedLines(ledger)])
      if (quiet !== true) say(cameToLines(ledger))
    }
    const again = ledger.again === 0 ? '' : `; ${grouped(ledger.again)} lines were there more than once, and equal`
    const open = lacking === 0 ? '' : `; MISSING: ${grouped(lacking)} runs`
    const total = others.length > 0 ? `${ledger.accounts.length} scenarios, not deterministic` : totalText(ledger)
    say([`total: ${total}${open}${again}`])
    return this.#exit(others.length > 0, missed.length > 0, lacking > 0)
  }

  #join(file: string, manifest: Manifest): string | undefined {
    for (const joined of this.#joined.values()) {
      const why = cannotJoin(joined.manifest, manifest)
      if (why !== undefined) return `${why} as ${joined.file}: merge files of one program and one set of pages`
    }
    const list = JSON.stringify(manifest.scenarios)
    if (!this.#joined.has(list)) this.#joined.set(list, { file, manifest })
    const { seeds, shard, scenarios } = manifest
    const key = `${spanText(seeds)} ${shard.of}`
    const asked = this.#asked.get(key) ?? { span: seeds, of: shard.of, pages: new Set() }
    this.#asked.set(key, asked)
    for (const scenario of scenarios) {
      asked.pages.add(scenario.page)
      this.#ledger.add(scenario)
    }
    return undefined
  }

  #exit(hasOthers: boolean, hasMissed: boolean, isIncomplete: boolean): number {
    let exit: number = isIncomplete ? exits.incomplete : exits.passed
    if (hasMissed) exit = graver(exit, exits.failed)
    if (hasOthers) exit = graver(exit, exits.notDeterministic)
    for (const verdict of verdictsOf(this.#ledger)) exit = graver(exit, exitOf({ verdict }))
    return exit
  }

  #missing(quiet: boolean): Missing {
    const lines: string[] = []
    const ofPage = new Map<string, readonly string[]>()
    let lacking = 0
    for (const asked of [...this.#asked.values()].toSorted(byFirst)) {
      const accounts = this.#ledger.accounts.filter(({ scenario }) => asked.pages.has(scenario.page))
      const found = accounts.map((account) => ({ account, gaps: gapsIn(account.table, asked.span, asked.of) }))
      const absent = absentOfAll(found.map(({ gaps }) => gaps))
      const { span, of } = asked
      for (const index of absent)
        lines.push(`MISSING: shard ${index}/${of} of seeds ${spanText(span)}: nothing is there`)
      for (const { account, gaps } of found.toSorted((one, other) => byTitle(one.account, other.account))) {
        const wanted = countOfShare(span, { index: 1, of: 1 })
        const isWhole = gaps.seeds === 0 && gaps.absent.size === 0
        lacking += gaps.seeds + (Number.isFinite(wanted) ? 0 : gaps.absent.size)
        const isQuiet = quiet && isWhole && isSound(account)
        const told = this.#asked.size === 1 ? wanted : Number.POSITIVE_INFINITY
        // If a seed has two runs, the order of the files decides which of them counts.
        const isSure = this.#ledger.otherRuns.seeds === 0
        if (!isQuiet) lines.push(scenarioLine(account, told, gaps.reached, isSure))
        lines.push(...missingLines(gaps, absent, asked))
        const { page } = account.scenario
        const missing = missingLines(gaps, new Set(), asked).map((line) => line.trim())
        ofPage.set(page, [...(ofPage.get(page) ?? []), ...missing])
      }
    }
    return { lines, lacking, ofPage }
  }
}

interface Missing {
  /** One line for each scenario, and for its missing runs. */
  readonly lines: readonly string[]
  /** Number of missing runs. */
  readonly lacking: number
  readonly ofPage: ReadonlyMap<string, readonly string[]>
}

/** Shares of which every scenario lacks all runs. */
function absentOfAll([first, ...rest]: readonly Gaps[]): ReadonlySet<number> {
  return new Set([...(first?.absent ?? [])].filter((index) => rest.every(({ absent }) => absent.has(index))))
}

function missingLines(
  { gaps, seeds, absent }: Gaps,
  told: ReadonlySet<number>,
  { of, span }: Asked,
): readonly string[] {
  const own = gaps.filter(({ shard }) => !told.has(shard.index))
  const lines = own.slice(0, gapsShown).map((gap) => `  MISSING: ${missingText(gap, of)}`)
  const isOpen = span.last === undefined
  for (const index of isOpen ? absent : []) if (!told.has(index)) lines.push(`  MISSING: all of shard ${index}/${of}`)
  const shown = gaps.reduce((sum, gap, at) => (told.has(gap.shard.index) || at < gapsShown ? sum + gap.count : sum), 0)
  return own.length > gapsShown ? [...lines, `  MISSING: and ${grouped(seeds - shown)} seeds more`] : lines
}

function missingText(gap: Gap, of: number): string {
  const seeds = gap.count === 1 ? '1 seed' : `${grouped(gap.count)} seeds`
  return of === 1 ? `${gapText(gap)} (${seeds})` : `of shard ${gap.shard.index}/${of}: ${gapText(gap)} (${seeds})`
}

function byFirst(one: Asked, other: Asked): number {
  return one.span.first - other.span.first || (one.span.last ?? 0) - (other.span.last ?? 0) || one.of - other.of
}

type Account = Ledger['accounts'][number]

function byTitle({ scenario: one }: Account, { scenario: other }: Account): number {
  return compareText(one.scenario, other.scenario) || compareText(one.page, other.page)
}
