import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { Violation } from '../checkers/invariants.ts'
import type { Judged } from '../checkers/judged-tally.ts'
import type { History } from '../checkers/keys/history-file.ts'
import type { UndecidedKey } from '../checkers/keys/linearizable-keys.ts'
import type { Mark } from '../checkers/marks.ts'
import type { TraceDigest } from './hashed-lines.ts'

/** One line of the story, reported during the run. */
export interface StoryLine {
  readonly atUs: number
  readonly kind: 'step' | 'fault' | 'note' | 'failure'
  readonly text: string
}

/** Why a run failed. */
export interface RunFailure {
  readonly atUs: number
  /** `file:line:column` of the unmet expectation, or the code of an invariant. */
  readonly place: string
  /** Only for an invariant. */
  readonly code?: InvariantCode
  readonly message: string
}

export interface RunResult {
  readonly scenario: string
  readonly file: string
  readonly seed: number
  /** In the order in which they happened; empty if the run passed. */
  readonly failures: readonly RunFailure[]
  /** Keys whose history could not be decided within the limit of the search (K1). */
  readonly undecided: readonly UndecidedKey[]
  readonly virtualUs: number
  readonly events: number
  /** Its hash covers every line of the trace. */
  readonly trace: TraceDigest
  readonly elections: number
  readonly writesAcknowledged: number
  /** How much of each invariant was judged, and which excuses were used. */
  readonly judged: Judged
  /** Rare states that it reached. */
  readonly marks: readonly Mark[]
  /** Virtual time at which it first reached each of them. */
  readonly marksAtUs: readonly number[]
  /** The clients' operations on keys, with their results; undefined: the history was not requested. */
  readonly history: History | undefined
}

/** A run that met everything, but has an undecided history, has neither passed nor failed. */
export type RunVerdict = 'passed' | 'failed' | 'undecided'

export function verdictOf({ failures, undecided }: Pick<RunResult, 'failures' | 'undecided'>): RunVerdict {
  if (failures.length > 0) return 'failed'
  return undecided.length > 0 ? 'undecided' : 'passed'
}

export function failureOf(violation: Violation): RunFailure {
  const promise = invariants[violation.code].text.split(':')[0] as string
  const { atUs, code, message } = violation
  return { atUs, place: `${code} (${promise})`, code, message }
}

/** Microseconds in the form of a time line: `   12.345s`. */
export function timeText(us: number): string {
  return `${(us / 1_000_000).toFixed(3).padStart(9)}s`
}
