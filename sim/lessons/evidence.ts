import type { TaskOf } from './lesson.ts'

type Evidence = TaskOf<'cause'>['evidence']

/** An event of a trace in words. */
export interface ToldEvent {
  readonly n: number
  /** Virtual time, in microseconds. */
  readonly atUs: number
  readonly node: string
  readonly words: string
}

/** What the run of a planted program broke, for the first time. */
export interface Failure {
  /** Virtual time, in microseconds. */
  readonly atUs: number
  /** What its message names, by the groups of the lesson's expression: `leader` is `s5`. */
  readonly names: Readonly<Record<string, string>>
}

/** Where a lesson quotes a name of the failure: `${leader}`. Another build has other runs, with other names. */
const quotation = /\$\{(\w+)\}/g

/** The failure that the lesson is about, if this event is it. */
export function failureIn(
  { violation }: Evidence,
  { atUs, words }: Pick<ToldEvent, 'atUs' | 'words'>,
): Failure | undefined {
  const found = new RegExp(violation, 'u').exec(words)
  return found === null ? undefined : { atUs, names: { ...found.groups } }
}

/** Whether an event is one of those that show the cause of the failure. */
export function isEvidence(evidence: Evidence, failure: Failure, { atUs, node, words }: Omit<ToldEvent, 'n'>): boolean {
  const { names } = failure
  const isOfNode = evidence.node === undefined || quoted(evidence.node, names) === node
  const beforeUs = failure.atUs - atUs
  const isInTime = beforeUs >= 0 && beforeUs <= (evidence.within ?? Number.POSITIVE_INFINITY) * 1_000
  return isOfNode && isInTime && new RegExp(saysOf(evidence, names), 'u').test(words)
}

/** What is wrong with the expressions of a lesson: the key, and why. */
export function problemsOf(evidence: Evidence): readonly (readonly [key: 'violation' | 'says', problem: string])[] {
  if (!isExpression(evidence.violation)) return [['violation', "'violation' is no regular expression"]]
  const named = new Set([...evidence.violation.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => name))
  const asked = [...`${evidence.node ?? ''} ${evidence.says}`.matchAll(quotation)].map(([, name = '']) => name)
  const unknown = asked.find((name) => !named.has(name))
  if (unknown !== undefined) return [['says', `'violation' has no group called ${unknown}`]]
  const sample = Object.fromEntries([...named].map((name) => [name, 'x']))
  return isExpression(saysOf(evidence, sample)) ? [] : [['says', "'says' is no regular expression"]]
}

function saysOf({ says }: Evidence, names: Failure['names']): string {
  return quoted(says, names, (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
}

function quoted(text: string, names: Failure['names'], spelled = (name: string) => name): string {
  return text.replaceAll(quotation, (_, name) => spelled(names[name] ?? ''))
}

function isExpression(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
