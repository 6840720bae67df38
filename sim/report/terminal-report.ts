import { forkFlags } from './forks.ts'
import { type StoryLine, timeText } from './run-report.ts'
import type { SeedRecord } from './seed-record.ts'
import { shellWord } from './shell-word.ts'

/** The output for readers in a terminal. */

/** Maximum width of the lines about a scenario. */
const aboutWidth = 100

const marks = { step: '*', fault: '!', note: ' ', failure: 'x' } as const

/** `   12.345s ! crash s2`. */
export function storyText(line: StoryLine): string {
  return `${timeText(line.atUs)} ${marks[line.kind]} ${line.text}`
}

/** What was not met, or why the seed has no reliable verdict, and at the end how to continue. */
export function failureLines(record: SeedRecord): readonly string[] {
  return [...reasonLines(record), ...againLines(record)]
}

/**
 * What was not met, or why the seed has no reliable verdict. `history`: the file with the clients' operations on keys,
 * if it was written.
 */
export function reasonLines(record: SeedRecord, history?: string): readonly string[] {
  if (record.verdict === 'passed') return []
  const lines = record.failures.map(({ atUs, place, message }) => `${timeText(atUs)} ${place}: ${message}`)
  if (record.moreFailures > 0) lines.push(`and ${record.moreFailures} more that followed`)
  const undecided = record.undecided.map(
    ({ key, operations, steps }) =>
      `key '${key}': no verdict on ${operations} operations within ${steps} steps; raise the bound with --steps`,
  )
  return [...record.notes, ...lines, ...undecided, ...historyLines(record, history)]
}

/** The commands to repeat a failure, shrink it, and explain it. `replay`: the list of decisions that was run. */
export function againLines(record: SeedRecord, replay?: string): readonly string[] {
  if (record.verdict === 'passed') return []
  const again = `seed ${record.seed}; repeat with: ${repeatCommand(record, replay)}`
  return replay === undefined ? [again, ...causeLines(record)] : [again]
}

/**
 * The commands that lead to the cause of a failure; none if there is nothing to shrink, such as for a run with forks,
 * or one without a verdict.
 */
export function causeLines({ file, seed, forks, verdict, planted }: Repeated): readonly string[] {
  return verdict === 'failed' && forks === undefined
    ? causeCommands(`${shellWord(file)} --seed ${seed}${plantedText(planted)}`)
    : []
}

/** The fields that identify a run in a command. */
type Repeated = Pick<SeedRecord, 'file' | 'seed' | 'forks' | 'verdict' | 'planted'>

function plantedText(planted: string | undefined): string {
  return planted === undefined ? '' : ` ${planted}`
}

/** The same for a run that is known to fail: `FILE --seed N`. */
export function causeCommands(run: string): readonly string[] {
  return [`make it smaller with: svc-sim shrink ${run}`, `explain it with: svc-sim explain ${run}`]
}

/** If keys were not linearizable: where their history is, or how to get it. */
function historyLines({ failures, undecided }: SeedRecord, history: string | undefined): readonly string[] {
  if (undecided.length === 0 && !failures.some(({ code }) => code === 'K1')) return []
  if (history !== undefined) return [`history of the keys: ${history}; look at it with: ${lincheckCommand(history)}`]
  return [`for the history of the keys add: --history keys.jsonl; look at it with: ${lincheckCommand('keys.jsonl')}`]
}

function lincheckCommand(file: string): string {
  return `svc-sim lincheck ${shellWord(file)} --html ${shellWord(`${file.replace(/\.jsonl$/, '')}.html`)}`
}

/** How many runs of a campaign reached each of these states. */
export function markLines(
  reached: readonly { readonly mark: string; readonly seeds: number }[],
  seeds: number,
): readonly string[] {
  if (reached.length === 0) return []
  return [`marks in ${seeds} seeds: ${reached.map(({ mark, seeds: count }) => `${mark} ${count}`).join(', ')}`]
}

/** In capitals if a person must look at it. */
export function verdictWord({ verdict }: SeedRecord): string {
  return verdict === 'passed' ? verdict : verdict.toUpperCase()
}

/** The title of a scenario and its description, before its story. */
export function aboutLines({
  scenario,
  about = '',
}: {
  readonly scenario: string
  readonly about?: string | undefined
}): readonly string[] {
  const words = about.split(/\s+/).filter(Boolean)
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < aboutWidth) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return [scenario, ...lines]
}

export function verdictLines(record: SeedRecord): readonly string[] {
  const { verified, scenario, seed, wallMs, events, elections, writesAcknowledged } = record
  const repeated = verified ? ', run twice with equal traces' : ''
  return [
    `${verdictWord(record)}: ${scenario}, seed ${seed}${repeated}`,
    `  ${seconds(record.virtualUs)} virtual seconds in ${(wallMs / 1000).toFixed(2)} s, ${events} events, ` +
      `${elections} elections, ${writesAcknowledged} writes acknowledged`,
    ...(record.marks.length === 0 ? [] : [`  marks: ${record.marks.join(', ')}`]),
    `  trace ${record.trace ?? 'none'}`,
  ]
}

/** One line for one seed of many. */
export function seedLine(record: SeedRecord): string {
  const { seed, trace, virtualUs, wallMs, events, verified } = record
  if (trace === null) return `seed ${seed}, ${verdictWord(record)}`
  const parts = [
    `seed ${seed}`,
    `${verdictWord(record)}${verified ? ' twice' : ''}`,
    `${seconds(virtualUs)} virtual s in ${(wallMs / 1000).toFixed(2)} s`,
    `${events} events`,
    `trace ${trace.slice(0, 16)}`,
  ]
  return parts.join(', ')
}

/**
 * `replay`: the list of decisions that was run, which has its seed. A seed whose two runs differ is again run twice.
 */
export function repeatCommand({ file, seed, forks, verdict, planted }: Repeated, replay?: string): string {
  const what = replay === undefined ? `--seed ${seed}${forkFlags(forks)}` : `--replay ${shellWord(replay)}`
  return `svc-sim run ${shellWord(file)} ${what}${plantedText(planted)}${verdict === 'not deterministic' ? ' --verify' : ''}`
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(3)
}
