import { compareText } from '../../src/base/bytes.ts'
import { overusedExcuses } from '../checkers/excuse-shares.ts'
import { sumOfJudged } from '../checkers/judged-tally.ts'
import { forkFlags } from '../report/forks.ts'
import { grouped, judgedLines } from '../report/judged-lines.ts'
import { type SeedVerdict, seedVerdicts } from '../report/seed-record.ts'
import { causeLines, markLines, repeatCommand } from '../report/terminal-report.ts'
import { reachedMarks } from '../scenario/demands.ts'
import type { FailureGroup } from './failure-groups.ts'
import { rareInBoth, reachedAlone } from './guided-tally.ts'
import type { Ledger } from './ledger.ts'

/** Maximum number of kinds of failures that are printed with their seeds. */
const kindsShown = 50
/** Maximum number of scenario titles that are printed for one kind. */
const titlesShown = 5

type Account = Ledger['accounts'][number]

/**
 * `Crash and recover: 250 of 250 seeds up to 998, all passed`. `wanted`: the requested number, if known. Without
 * verdicts if `isSure` is false.
 */
export function scenarioLine(account: Account, wanted: number, reached: number | undefined, isSure = true): string {
  const { scenario, table } = account
  const of = Number.isFinite(wanted) ? ` of ${grouped(wanted)}` : ''
  const upTo = reached === undefined ? '' : ` up to ${reached}`
  const verdict = table.seeds === 0 || !isSure ? '' : `, ${wrongText(account)}`
  return `${scenario.scenario}: ${grouped(table.seeds)}${of} seeds${upTo}${verdict}`
}

/** Whether every recorded seed of it has passed. */
export function isSound({ failed, undecided, table }: Account): boolean {
  return failed === 0 && undecided === 0 && table.open.length === 0
}

function wrongText({ failed, undecided, table }: Account): string {
  const counts = [['failed', failed], ['undecided', undecided], ...table.open] as const
  const wrong = counts.flatMap(([verdict, seeds]) => (seeds === 0 ? [] : [`${grouped(seeds)} ${verdict}`]))
  return wrong.length === 0 ? 'all passed' : wrong.join(', ')
}

/**
 * Demands on all seeds of a scenario together that are not met, and excuses of laws that took more facts than allowed.
 */
export function missedLines(ledger: Ledger): readonly string[] {
  const lines = ledger.accounts.flatMap((account) => {
    const { scenario, file } = account.scenario
    return ledger.missedOf(account).map(({ message }) => `${scenario} (${file}): ${message}`)
  })
  return [...lines.toSorted(compareText), ...overusedLines(ledger)]
}

/** Minimum number of pages for judging excuses: a page about outages excuses most of its facts. */
const pagesLeast = 40

function overusedLines({ accounts, judged }: Ledger): readonly string[] {
  if (accounts.filter(({ table }) => table.seeds > 0).length < pagesLeast) return []
  return overusedExcuses(sumOfJudged([judged])).map(({ code, excuse, share, shareMax }) => {
    const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
    return `${code}: its excuse '${excuse}' took ${percent(share)} of its facts, and may take ${percent(shareMax)}`
  })
}

/** Failures by their kind, each with the commands that repeat its first ones. */
export function failureGroupLines({ failureGroups: groups, furtherFailures: others }: Ledger): readonly string[] {
  const shown = groups.slice(0, kindsShown).flatMap(groupLines)
  const more = groups.slice(kindsShown).reduce((sum, { failures }) => sum + failures, others)
  return [...shown, ...(more === 0 ? [] : [`and ${grouped(more)} failures of further kinds`])]
}

function groupLines({ fingerprint, failures, guided, scenarios, examples }: FailureGroup): readonly string[] {
  const named = scenarios.slice(0, titlesShown).join(', ')
  const more = scenarios.length > titlesShown ? ` and ${scenarios.length - titlesShown} more` : ''
  const count = failures === 1 ? '1 failure' : `${grouped(failures)} failures`
  const forked =
    guided === 0 ? '' : `; ${guided === failures ? 'by guided runs alone' : `${grouped(guided)} by guided runs`}`
  const head = `${count} of kind ${fingerprint}, in ${named}${more}${forked}`
  const told = examples.flatMap((example) => [
    `  seed ${example.seed}${forkFlags(example.forks)} of ${example.scenario}, ${example.verdict.toUpperCase()}: ${example.what}`,
    `    repeat with: ${repeatCommand(example)}`,
    ...causeLines(example).map((line) => `    ${line}`),
  ])
  const rest = failures - examples.length
  return [head, ...told, ...(rest <= 0 || examples.length === 0 ? [] : [`  and ${grouped(rest)} more`])]
}

/** Which states and failures guided runs found that plain seeds did not, and the other way round. */
export function guidedLines({ guided, marks: plain, runs, failureGroups }: Ledger): readonly string[] {
  if (guided.runs === 0) return []
  const alone = (text: string, found: readonly string[]): string =>
    `  ${text}: ${found.length === 0 ? 'none' : found.join(', ')}`
  const kinds = failureGroups.filter((group) => group.guided === group.failures).length
  const both = rareInBoth(plain, guided.marks)
  return [
    `guided: ${guided.runs === 1 ? '1 run' : `${grouped(guided.runs)} runs`} beside ${grouped(runs)} plain ones`,
    alone('marks that guided runs alone reached', reachedAlone(guided.marks, plain)),
    alone('marks that plain runs alone reached', reachedAlone(plain, guided.marks)),
    alone('rare marks of both, plain and guided', both),
    `  kinds of failures that guided runs alone found: ${kinds} of ${failureGroups.length}`,
  ]
}

/** The marks that the campaign reached, and the judged facts. */
export function cameToLines(ledger: Ledger): readonly string[] {
  return [...markLines(reachedMarks(undefined, ledger.marks), ledger.runs), ...judgedLines(ledger.judged)]
}

/** Seeds that had two runs: no other count has a meaning then. */
export function otherRunLines({ otherRuns: { seeds, shown } }: Ledger): readonly string[] {
  if (seeds === 0) return []
  const told = shown.map(
    ({ scenario, seed, forks, runs }) => `  seed ${seed}${forks} of ${scenario}: ${runs.join('; ')}`,
  )
  const head = `NOT DETERMINISTIC: ${grouped(seeds)} ${seeds === 1 ? 'seed has' : 'seeds have'} more than one run`
  return [head, ...told, ...(seeds > shown.length ? [`  and ${grouped(seeds - shown.length)} more`] : [])]
}

/** `1,204 runs, 12 failed of 2 kinds, 1 undecided, 3,301 s of CPU time`. */
export function totalText({ accounts, records, guided, verdicts, failureGroups, recovered, cpuMs }: Ledger): string {
  const wrong = seedVerdicts.flatMap((verdict) => {
    const count = verdict === 'passed' ? 0 : (verdicts.get(verdict) ?? 0)
    return count === 0 ? [] : [`${grouped(count)} ${verdict}`]
  })
  const kinds = failureGroups.length
  const verdict = wrong.length === 0 ? ['all passed'] : wrong
  const of = kinds < 2 ? [] : [`${grouped(kinds)} kinds of failures`]
  const scenarios = accounts.length === 1 ? '1 scenario' : `${grouped(accounts.length)} scenarios`
  const runs = records === 1 ? '1 run' : `${grouped(records)} runs`
  const beside = guided.runs === 0 ? '' : ` and ${grouped(guided.runs)} guided`
  const late = recovered === 0 ? [] : [`${grouped(recovered)} had no verdict at first`]
  if (records === 0) return `${scenarios}, no run`
  return [scenarios, `${runs}${beside}`, ...verdict, ...of, ...late, `${(cpuMs / 1000).toFixed(0)} s of CPU time`].join(
    ', ',
  )
}

/** Verdicts that occurred, for the exit code. */
export function verdictsOf({ verdicts }: Ledger): readonly SeedVerdict[] {
  return [...verdicts.keys()]
}
