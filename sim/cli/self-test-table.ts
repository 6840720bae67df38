import { causeCommands } from '../report/terminal-report.ts'
import type { Hunt } from '../self-test/hunts.ts'
import type { Finding } from '../self-test/search.ts'
import type { BugOutcome, NoSearch, SoundOutcome, Verdict } from '../self-test/self-test.ts'

/** The text of each verdict. Only verdicts of wrong rows are in capitals, so that the eye finds them. */
const verdictTexts: Readonly<Record<Verdict, string>> = {
  found: 'found',
  'not-found': 'NOT FOUND',
  'found-by-another': 'WRONG LAW',
  'nothing-found': 'quiet',
  'false-alarm': 'FALSE ALARM',
  'no-search': 'NO SEARCH',
}

/** A row of the table in both printed forms. */
export interface TableRow {
  readonly text: string
  /** For programs. */
  readonly json: object
  /** What is wrong with the row, and why, in one sentence. Undefined: the row is as expected. */
  readonly wrong: string | undefined
  /** For a wrong row, the commands that repeat it, shrink it and explain it. */
  readonly again?: readonly string[]
}

export const headLine = line('#', 'planted bug', 'verdict', 'by', 'seeds', 'time', '')

export function bugRow(outcome: BugOutcome, rated: number): TableRow {
  const { bug, search, verdict, passed, rate } = outcome
  const { finding, findings, ...cost } = search
  const { seconds } = cost
  const wrong = whyBugIsWrong(outcome)
  const text = line(
    String(bug.row),
    bug.name,
    verdictTexts[verdict],
    finding === undefined ? '-' : codeOf(finding),
    String(search.seeds),
    secondsText(seconds),
    wrong ?? bug.about,
  )
  const often = rate === undefined ? {} : { rate: { found: rate, seeds: rated, all: findings.length } }
  const named = { row: bug.row, bug: bug.name, hunt: bug.hunt, verdict, passed, expected: bug.foundBy }
  const json = { ...named, finding, ...cost, ...often }
  return {
    text,
    json: wrong === undefined ? json : { ...json, why: wrong },
    wrong,
    again: againWith(bug.name, finding),
  }
}

function againWith(bug: string, finding: Finding | undefined): readonly string[] {
  if (finding === undefined) return [`repeat with: svc-sim self-test --bug ${bug}`]
  const run = `--bug ${bug} --seed ${finding.seed}`
  return [`repeat with: svc-sim run ${run}`, ...causeCommands(run)]
}

export function soundRow({ hunt, search, verdict, passed }: SoundOutcome): TableRow {
  const { finding, findings: _, ...cost } = search
  const { seconds } = cost
  const wrong =
    finding === undefined
      ? undefined
      : `the sound program broke ${codeOf(finding)} in ${hunt.name} at seed ${finding.seed}: ${finding.message}`
  const by = finding === undefined ? '-' : codeOf(finding)
  const cells = [verdictTexts[verdict], by, String(search.seeds), secondsText(seconds), wrong ?? ''] as const
  const json = { row: null, bug: null, hunt: hunt.name, verdict, passed, finding, ...cost }
  return {
    text: line('-', `none, ${hunt.name}`, ...cells),
    json: wrong === undefined ? json : { ...json, why: wrong },
    wrong,
    again: finding === undefined ? [] : soundAgain(hunt, finding),
  }
}

/** A program that is tuned for its hunt exists only as a copy, which no command can name. */
function soundAgain({ name, tuning }: Hunt, { seed }: Finding): readonly string[] {
  const run = `scenarios/hunts/${name}.yaml --seed ${seed}`
  if (tuning.length > 0) return []
  return [`repeat with: svc-sim run ${run}`, ...causeCommands(run)]
}

/** A row without a search: a patch did not fit, or a copy did not end in the way of a run. */
export function noSearchRow({ bug, hunt, error }: NoSearch): TableRow {
  const [row, name] = bug === undefined ? ['-', `none, ${hunt.name}`] : [String(bug.row), bug.name]
  // The text about a patch that does not fit has several lines; all of it goes to standard error.
  const wrong = `there was no search: ${error.split('\n', 1)[0] ?? error}`
  const json = { row: bug?.row ?? null, bug: bug?.name ?? null, hunt: hunt.name, verdict: 'no-search', passed: false }
  return {
    text: line(row, name, verdictTexts['no-search'], '-', '-', '-', wrong),
    json: { ...json, why: error },
    wrong,
  }
}

/** The end of the table: passed, or which rows are wrong, and why. */
export function endLines(rows: readonly TableRow[], totalSeconds: number): string {
  const wrong = rows.filter((row) => row.wrong !== undefined)
  if (wrong.length === 0) return `passed: ${rows.length} rows in ${secondsText(totalSeconds)}\n`
  const list = wrong
    .flatMap(({ text, again = [] }) => [`  ${text}`, ...again.map((line) => `       ${line}`)])
    .map((line) => `${line}\n`)
    .join('')
  return `FAILED: ${wrong.length} of ${rows.length} rows are wrong, in ${secondsText(totalSeconds)}\n${list}`
}

function whyBugIsWrong({ bug, search, verdict }: BugOutcome): string | undefined {
  const { finding } = search
  const able = bug.foundBy.join(' or ')
  if (verdict === 'not-found') {
    const seeds = search.seeds === 1 ? 'one seed' : `${search.seeds} seeds`
    return `${seeds} of ${bug.hunt} broke nothing, and ${able} should have noticed`
  }
  if (verdict !== 'found-by-another' || finding === undefined) return undefined
  return `${codeOf(finding)} noticed first, at seed ${finding.seed}, where the row says ${able}: ${finding.message}`
}

export function codeOf({ code }: { readonly code: string | undefined }): string {
  return code ?? 'scenario'
}

function line(
  number: string,
  name: string,
  verdict: string,
  by: string,
  seeds: string,
  time: string,
  note: string,
): string {
  const found = `${verdict.padEnd(11)} ${by.padEnd(8)}`
  return `${number.padStart(3)}  ${name.padEnd(31)} ${found} ${seeds.padStart(5)} ${time.padStart(8)}  ${note}`.trimEnd()
}

function secondsText(value: number): string {
  return `${value.toFixed(1)} s`
}
