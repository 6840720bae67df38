import type { Command } from 'commander'
import type { PlantedBug } from '../self-test/planted-bug.ts'
import { plantedBugs } from '../self-test/planted-bugs.ts'
import { type BugOutcome, selfTest } from '../self-test/self-test.ts'
import { canBeWritten } from './files.ts'
import { type Ended, gathered, jobCount, seedCount } from './flag-values.ts'
import { LineFile } from './line-file.ts'
import { oneFileTwice } from './one-file.ts'
import { readPages } from './pages.ts'
import { selfTestPage } from './self-test-page.ts'
import { bugRow, endLines, headLine, noSearchRow, soundRow, type TableRow } from './self-test-table.ts'
import { exits, type SimTerminal } from './terminal.ts'

export interface SelfTestFlags {
  readonly bug?: readonly string[]
  readonly seeds: number
  /** Number of seeds that each bug is tried with, whether or not one finds it. */
  readonly rate?: number
  readonly json?: boolean
  /** Where to write the page about every bug. */
  readonly markdown?: string
  /** Where to write the trace of the run that found the bug. */
  readonly trace?: string
  /** Number of copies that run at the same time; absent: one per core. */
  readonly jobs?: number
}

export function addSelfTest(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('self-test')
    .description('Plant known bugs into copies of this program, one at a time, and report which invariant finds each.')
    .option('--bug <row or name>', 'hunt only for this bug; may be repeated', gathered)
    .option('--seeds <n>', 'give up on a bug after this many seeds', seedCount, 400)
    .option('--trace <file>', 'write the trace of the run that found the bug (one bug)')
    .option('--jobs <n>', 'number of bugs to hunt for at a time; one for each core if not given', jobCount)
    .option('--rate <n>', 'run at least this many seeds for each bug, and report how many of them find it', seedCount)
    .option('--json', 'print one line of JSON for each row of the table')
    .option('--markdown <file>', 'write a page about each bug: what finds it, at which seed, and how often')
    .action(async (flags: SelfTestFlags) => {
      ended(await runSelfTest(flags, terminal))
    })
}

/** `svc-sim self-test`: one line for each bug, found or not, and for each hunt of the sound program. */
export async function runSelfTest(flags: SelfTestFlags, terminal: SimTerminal): Promise<number> {
  const { out, error, wallMs } = terminal
  const chosen = bugsNamed(flags.bug)
  if (typeof chosen === 'string') {
    error(`${chosen}\n`)
    return exits.usage
  }
  const misuse = await misuseOf(flags, chosen, terminal)
  if (misuse !== undefined) {
    error(`${misuse}\n`)
    return exits.usage
  }
  if (flags.trace !== undefined && !(await canBeWritten(terminal, flags.trace))) return exits.usage
  const made = { version: terminal.version, seeds: flags.seeds, rate: flags.rate ?? 0 }
  const page = flags.markdown === undefined ? undefined : await LineFile.create(terminal, flags.markdown)
  if (flags.markdown !== undefined && page === undefined) return exits.usage
  const workshop = terminal.createWorkshop()
  const names = [...new Set(chosen.map(({ hunt }) => hunt))]
  const files = names.map((name) => workshop.scenario(`hunts/${name}.yaml`))
  // A planted bug must be found by an invariant, not by an unmet demand.
  const pages = await readPages(files, { demands: false }, terminal)
  if (pages === undefined) return exits.usage
  const isJson = flags.json === true
  const startedMs = wallMs()
  const rows: TableRow[] = []
  const outcomes: BugOutcome[] = []
  const tell = (row: TableRow): void => {
    rows.push(row)
    out(isJson ? `${JSON.stringify(row.json)}\n` : `${row.text}\n`)
  }
  if (!isJson) out(`${headLine}\n`)
  const passed = await selfTest({
    workshop,
    wallMs,
    bugs: chosen,
    pages: new Map(pages.map((page, at) => [names[at] ?? '', page])),
    seeds: flags.seeds,
    rate: made.rate,
    trace: flags.trace,
    jobs: flags.jobs ?? terminal.cores,
    onBug: (outcome) => {
      outcomes.push(outcome)
      tell(bugRow(outcome, made.rate))
    },
    onSound: (outcome) => tell(soundRow(outcome)),
    onNoSearch: (none) => {
      tell(noSearchRow(none))
      error(`${none.error}\n`)
    },
  })
  if (!isJson) out(endLines(rows, (wallMs() - startedMs) / 1000))
  page?.add(selfTestPage(outcomes, made))
  const unwritten = await page?.end()
  if (unwritten === undefined) return passed ? exits.passed : exits.failed
  error(`${unwritten}\n`)
  return exits.usage
}

async function misuseOf(
  { trace, markdown }: SelfTestFlags,
  chosen: readonly PlantedBug[],
  { disk }: SimTerminal,
): Promise<string | undefined> {
  if (trace !== undefined && chosen.length !== 1) return '--trace writes one run: name one bug with --bug'
  const outputs = [
    { as: '--markdown', file: markdown },
    { as: '--trace', file: trace },
  ]
  return oneFileTwice(disk, [], outputs)
}

/** By row or by name; all if none is named. A text says what is wrong with a name. */
export function bugsNamed(names: readonly string[] | undefined): readonly PlantedBug[] | string {
  if (names === undefined) return plantedBugs
  const chosen = new Set<PlantedBug>()
  for (const name of names) {
    const named = plantedBugs.filter((bug) => bug.name === name || String(bug.row) === name)
    if (named.length === 0) {
      return `no planted bug is called '${name}': ${knownBugs(name)}`
    }
    for (const bug of named) chosen.add(bug)
  }
  return plantedBugs.filter((bug) => chosen.has(bug))
}

/** Maximum number of bugs that a refusal names. */
const namedMax = 8
const shortWord = 3

/** Bugs that share a word with a name that none has; if there are none, the first ones. */
function knownBugs(name: string): string {
  const words = name.split('-').filter((word) => word.length > shortWord)
  const alike = plantedBugs.filter((bug) => bug.name.split('-').some((word) => words.includes(word)))
  const shown = (alike.length > 0 ? alike : plantedBugs).slice(0, namedMax).map((bug) => `${bug.row} ${bug.name}`)
  const more = plantedBugs.length - shown.length
  return `${alike.length > 0 ? 'alike are' : 'there are'} ${shown.join(', ')}, and ${more} others (docs/self-test.md has all)`
}
