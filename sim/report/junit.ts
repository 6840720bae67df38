import { forkFlags } from './forks.ts'
import type { SeedRecord } from './seed-record.ts'
import { failureLines } from './terminal-report.ts'

/**
 * The report for engines of continuous integration: one suite per scenario, one case per seed, in the form of Ant's
 * JUnit task, as Jenkins and GitLab document it.
 */

export const junitHead = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc-sim">'
export const junitTail = '</testsuites>'

/** An unmet demand on all seeds of a scenario together. */
export interface Missed {
  /** `file:line:column` */
  readonly place: string
  readonly message: string
}

interface Suite {
  readonly scenario: string
  readonly file: string
  /** Its cases, each as text. */
  readonly cases: readonly JunitCase[]
}

export interface JunitCase {
  readonly text: string
  readonly kind: 'passed' | 'failure' | 'error'
  readonly seconds: number
}

export function suiteText({ scenario, file, cases }: Suite): string {
  const count = (kind: JunitCase['kind']): number => cases.filter((one) => one.kind === kind).length
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0)
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="0"`
  const head = `  <testsuite name="${quoted(scenario)}" ${counts} time="${seconds.toFixed(3)}" file="${quoted(file)}">`
  return [head, ...cases.map(({ text }) => text), '  </testsuite>'].join('\n')
}

/** A seed without a reliable verdict is an error, and so is an undecided one: neither has passed. */
export function seedCase(record: SeedRecord): JunitCase {
  const { file, seed, forks, verdict, wallMs, failures, invariant } = record
  const seconds = wallMs / 1000
  const name = `seed ${seed}${forkFlags(forks)}`
  const named = `classname="${quoted(file)}" name="${quoted(name)}" time="${seconds.toFixed(3)}"`
  if (verdict === 'passed') return { kind: 'passed', seconds, text: `    <testcase ${named}/>` }
  const kind = verdict === 'failed' ? 'failure' : 'error'
  const type = verdict === 'failed' ? (invariant ?? 'expectation') : verdict
  const [first] = failures
  const message = verdict === 'failed' && first !== undefined ? `${first.place}: ${first.message}` : verdict
  return { kind, seconds, text: wrongCase(named, kind, type, message, failureLines(record).join('\n')) }
}

export function missedCase(file: string, { place, message }: Missed): JunitCase {
  const named = `classname="${quoted(file)}" name="${quoted(`all seeds: ${place}`)}" time="0.000"`
  return { kind: 'failure', seconds: 0, text: wrongCase(named, 'failure', 'demand', message, `${place}: ${message}`) }
}

/** Seeds that were not run: one line says what is missing. */
export function missingCase(file: string, text: string): JunitCase {
  const named = `classname="${quoted(file)}" name="${quoted(text)}" time="0.000"`
  return { kind: 'error', seconds: 0, text: wrongCase(named, 'error', 'missing', text, text) }
}

function wrongCase(named: string, kind: 'failure' | 'error', type: string, message: string, text: string): string {
  const element = `<${kind} type="${quoted(type)}" message="${quoted(message)}">${escaped(text)}</${kind}>`
  return `    <testcase ${named}>\n      ${element}\n    </testcase>`
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}

/** Control characters and lone surrogates are not allowed in XML 1.0, escaped or not. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
