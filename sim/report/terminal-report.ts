import type { UndecidedKey } from '../checkers/keys/linearizable-keys.ts'
import type { Mark } from '../checkers/marks.ts'
import { type RunFailure, type RunResult, type RunVerdict, type StoryLine, timeText, verdictOf } from './run-report.ts'

/** What a person reads in a terminal. */

const marks = { step: '*', fault: '!', note: ' ', failure: 'x' } as const

/** `   12.345s ! crash s2`. */
export function storyText(line: StoryLine): string {
  return `${timeText(line.atUs)} ${marks[line.kind]} ${line.text}`
}

/** How many failures are shown: the first tells, the rest mostly follow from it. */
const failuresShown = 5

/**
 * The first things that were not met, and how to see them again. `history`: the file that has what clients asked of keys,
 * if it was written.
 */
export function failureLines(result: RunResult, history?: string, replay?: string): readonly string[] {
  if (verdictOf(result) === 'passed') return []
  const lines = result.failures
    .slice(0, failuresShown)
    .map((failure) => `${timeText(failure.atUs)} ${failure.place}: ${failure.message}`)
  const more = result.failures.length - lines.length
  if (more > 0) lines.push(`and ${more} more that followed`)
  const undecided = result.undecided.map(
    ({ key, operations, steps }) =>
      `key '${key}': no verdict on ${operations} operations within ${steps} steps; raise the bound with --steps`,
  )
  lines.push(...undecided.slice(0, failuresShown))
  return [
    ...lines,
    ...historyLines(result, history),
    `seed ${result.seed}; repeat with: ${repeatCommand(result, replay)}`,
  ]
}

/** Where keys were not linearizable: where their history is, or how to get it. */
function historyLines({ failures, undecided }: RunResult, history: string | undefined): readonly string[] {
  if (undecided.length === 0 && !failures.some(({ code }) => code === 'K1')) return []
  if (history !== undefined) return [`history of the keys: ${history}; look at it with: ${lincheckCommand(history)}`]
  return [`for the history of the keys add: --history keys.jsonl; look at it with: ${lincheckCommand('keys.jsonl')}`]
}

function lincheckCommand(file: string): string {
  return `svc-sim lincheck ${file} --html ${file.replace(/\.jsonl$/, '')}.html`
}

/** How many runs of a campaign went through each of these states. */
export function markLines(wanted: readonly Mark[], runs: readonly (readonly Mark[])[]): readonly string[] {
  return wanted.map((mark) => {
    const count = runs.filter((reached) => reached.includes(mark)).length
    return count === 0 ? `never reached: ${mark}` : `reached in ${count} of ${runs.length} seeds: ${mark}`
  })
}

/** In capitals what somebody must look at. */
export function verdictText(result: RunResult): string {
  const verdict = verdictOf(result)
  return verdict === 'passed' ? verdict : verdict.toUpperCase()
}

export function verdictLines(result: RunResult, wallMs: number, verified: boolean): readonly string[] {
  const verdict = verdictText(result)
  const repeated = verified ? ', run twice with equal traces' : ''
  return [
    `${verdict}: ${result.scenario}, seed ${result.seed}${repeated}`,
    `  ${seconds(result.virtualUs)} virtual seconds in ${(wallMs / 1000).toFixed(2)} s, ${result.events} events, ` +
      `${result.elections} elections, ${result.writesAcknowledged} writes acknowledged`,
    `  trace ${result.trace.hash}`,
  ]
}

/** One line for one seed of many. */
export function seedLine(result: RunResult, wallMs: number, verdict: string, verified = false): string {
  const parts = [
    `seed ${result.seed}`,
    verified ? `${verdict} twice` : verdict,
    `${seconds(result.virtualUs)} virtual s in ${(wallMs / 1000).toFixed(2)} s`,
    `${result.events} events`,
    `trace ${result.trace.hash.slice(0, 16)}`,
  ]
  return parts.join(', ')
}

/** `replay`: the list of decisions that was run; it knows its seed. */
export function repeatCommand(result: RunResult, replay?: string): string {
  return `svc-sim run ${result.file} ${replay === undefined ? `--seed ${result.seed}` : `--replay ${replay}`}`
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(3)
}

/** One seed for programs: a line of JSON with `run --json`. */
export interface SeedReport {
  readonly scenario: string
  readonly file: string
  readonly seed: number
  readonly passed: boolean
  readonly verdict: RunVerdict
  readonly failures: readonly RunFailure[]
  readonly undecided: readonly UndecidedKey[]
  readonly virtualUs: number
  readonly wallMs: number
  readonly events: number
  readonly trace: string
  readonly marks: readonly string[]
}

export function seedReport(result: RunResult, wallMs: number): SeedReport {
  const { scenario, file, seed, failures, undecided, virtualUs, events } = result
  const shown = failures.slice(0, failuresShown)
  return {
    scenario,
    file,
    seed,
    passed: verdictOf(result) === 'passed',
    verdict: verdictOf(result),
    failures: shown,
    undecided,
    virtualUs,
    wallMs: Math.round(wallMs),
    events,
    trace: result.trace.hash,
    marks: result.marks,
  }
}
