import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { Violation } from '../checkers/invariants.ts'
import type { Judged } from '../checkers/judged-tally.ts'
import type { History } from '../checkers/keys/history-file.ts'
import type { UndecidedKey } from '../checkers/keys/linearizable-keys.ts'
import type { Mark } from '../checkers/marks.ts'
import type { TraceDigest } from './hashed-lines.ts'

/** One line of the story, told while the run goes on. */
export interface StoryLine {
  readonly atUs: number
  readonly kind: 'step' | 'fault' | 'note' | 'failure'
  readonly text: string
}

/** Why a run failed. */
export interface RunFailure {
  readonly atUs: number
  /** `file:line:column` of what was not met, or the code of an invariant. */
  readonly place: string
  /** Of an invariant. */
  readonly code?: InvariantCode
  readonly message: string
}

export interface RunResult {
  readonly scenario: string
  readonly file: string
  readonly seed: number
  /** In the order in which they were met; none if the run passed. */
  readonly failures: readonly RunFailure[]
  /** Keys whose history could not be decided within the bound of the search (K1). */
  readonly undecided: readonly UndecidedKey[]
  readonly virtualUs: number
  readonly events: number
  /** Its hash is over every line of the trace. */
  readonly trace: TraceDigest
  readonly elections: number
  readonly writesAcknowledged: number
  /** How much of each invariant was judged, and which excuses were used. */
  readonly judged: Judged
  /** Rare states that it went through. */
  readonly marks: readonly Mark[]
  /** Virtual time at which it first was in each of them. */
  readonly marksAtUs: readonly number[]
  /** What clients asked of keys, and what they learnt; undefined: nobody asked for it. */
  readonly history: History | undefined
}

/** A run that met everything, but has a history that could not be decided, has neither passed nor failed. */
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

/** Microseconds as people read them on a time line: `   12.345s`. */
export function timeText(us: number): string {
  return `${(us / 1_000_000).toFixed(3).padStart(9)}s`
}
