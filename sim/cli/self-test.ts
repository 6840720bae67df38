import type { PlantedBug } from '../self-test/planted-bug.ts'
import { plantedBugs } from '../self-test/planted-bugs.ts'
import { type BugOutcome, type SoundOutcome, selfTest } from '../self-test/self-test.ts'
import { exits, type SimTerminal } from './terminal.ts'

export interface SelfTestFlags {
  readonly bug?: readonly string[]
  readonly seeds: number
  readonly json?: boolean
}

/** `svc-sim self-test`: one line for each bug as it is found, or not, and for each hunt of the sound program. */
export async function runSelfTest(flags: SelfTestFlags, terminal: SimTerminal): Promise<number> {
  const { out, error, wallMs } = terminal
  const chosen = bugsNamed(flags.bug)
  if (typeof chosen === 'string') {
    error(`${chosen}\n`)
    return exits.usage
  }
  const isJson = flags.json === true
  const startedMs = wallMs()
  const tell = (report: object, text: string): void => out(isJson ? `${JSON.stringify(report)}\n` : `${text}\n`)
  if (!isJson) out(`${headLine}\n`)
  const passed = await selfTest({
    workshop: terminal.createWorkshop(),
    wallMs,
    bugs: chosen,
    seeds: flags.seeds,
    onBug: (outcome) => tell(bugReport(outcome), bugLine(outcome)),
    onSound: (outcome) => tell(soundReport(outcome), soundLine(outcome)),
    onError: (text) => error(`${text}\n`),
  })
  if (!isJson) out(`${passed ? 'passed' : 'FAILED'} in ${seconds((wallMs() - startedMs) / 1000)}\n`)
  return passed ? exits.passed : exits.failed
}

/** By row or by name; all if none is named. What is wrong with a name, as a text. */
function bugsNamed(names: readonly string[] | undefined): readonly PlantedBug[] | string {
  if (names === undefined) return plantedBugs
  const chosen = new Set<PlantedBug>()
  for (const name of names) {
    const named = plantedBugs.filter((bug) => bug.name === name || String(bug.row) === name)
    if (named.length === 0) {
      const known = plantedBugs.map((bug) => `${bug.row} ${bug.name}`).join(', ')
      return `no planted bug is called '${name}': there are ${known}`
    }
    for (const bug of named) chosen.add(bug)
  }
  return plantedBugs.filter((bug) => chosen.has(bug))
}

const headLine = row('#', 'planted bug', 'found by', 'seeds', 'time', '')

function bugLine({ bug, search, passed }: BugOutcome): string {
  const { finding } = search
  const by = finding === undefined ? 'NOT FOUND' : (finding.code ?? 'scenario')
  const unexpected = finding !== undefined && !passed
  const note = unexpected ? `expected ${bug.foundBy.join(', ')}: ${finding.message}` : bug.about
  return row(String(bug.row), bug.name, by, String(search.seeds), seconds(search.seconds), note)
}

function soundLine({ hunt, search, passed }: SoundOutcome): string {
  const { finding } = search
  const note = finding === undefined ? '' : `seed ${finding.seed}: ${finding.message}`
  const by = passed ? 'nothing' : 'FALSE ALARM'
  return row('-', `none, ${hunt.name}`, by, String(search.seeds), seconds(search.seconds), note)
}

function row(number: string, name: string, by: string, seeds: string, time: string, note: string): string {
  return `${number.padStart(2)}  ${name.padEnd(27)} ${by.padEnd(11)} ${seeds.padStart(5)} ${time.padStart(8)}  ${note}`.trimEnd()
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`
}

function bugReport({ bug, search, passed }: BugOutcome): object {
  return { row: bug.row, bug: bug.name, hunt: bug.hunt, passed, ...search }
}

function soundReport({ hunt, search, passed }: SoundOutcome): object {
  return { row: null, bug: null, hunt: hunt.name, passed, ...search }
}
