import { toldBy } from '../../checkers/marks.ts'
import type { Events } from '../../explain/events.ts'
import type { MutationWorkshop } from '../../mutation/build.ts'
import type { Compiler } from '../../mutation/operators/change.ts'
import type { RunBudget } from '../../pool/budgeted-lanes.ts'
import type { Ended } from '../../pool/messages.ts'
import type { SentPage } from '../../pool/warm-worker.ts'
import type { TraceRecord } from '../../report/trace-record.ts'

/** A failure whose code is looked for, and the means. */
export interface ChangesQuestion {
  readonly ts: Compiler
  readonly workshop: MutationWorkshop
  /** The built modules that differ from the workshop's, because a bug is planted in them. */
  readonly planted: ReadonlyMap<string, string>
  readonly sha256: (bytes: Uint8Array) => Uint8Array
  readonly page: SentPage
  readonly seed: number
  /** Pages of the program whose runs are compared with the failing one, the most similar first. */
  readonly others: readonly SentPage[]
  readonly events: Events
  readonly violation: TraceRecord
  /** A step's expectation was not met, and no law was broken. */
  readonly isOfStep: boolean
  /** A law was broken that says so in words of its own: no panic. */
  readonly isOfLaw: boolean
  /** The failing run. */
  readonly run: Ended
  /** Folders of the code that makes the facts by which the law judges; empty: all. */
  readonly rooms: readonly string[]
  readonly hasFailed: (ended: Ended) => boolean
  readonly budget: RunBudget
  readonly jobs: number
  readonly stallMs: number
  readonly searchStepsMax?: number | undefined
  /** Called as each kind of runs begins, with an object that counts them. */
  readonly onRuns: (what: string, made: { readonly runs: number; readonly cpuMs: number }) => void
}

/** A run may use this many times the CPU time of the failing one, and at least `leastMs`. */
const costly = { times: 8, leastMs: 4_000 } as const
/** How long after the failure a run must pass, if it continues for long: in microseconds. */
const graceUs = 5_000_000

/** Maximum CPU time of one run, in milliseconds. */
export function cpuMaxOf({ run }: ChangesQuestion): number {
  return Math.max(costly.leastMs, costly.times * run.record.cpuMs)
}

/** A failure that shows only at rest needs the whole run: one that is stopped before never comes to rest. */
export function endsOf({ run, violation }: ChangesQuestion): { readonly ends?: { readonly atUs: number } } {
  return isAtRest(run) ? {} : { ends: { atUs: violation.t + 1 } }
}

/** When a changed run has passed for long enough without the failure; undefined: at its end. */
export function untilOf({ run, violation }: ChangesQuestion): number | undefined {
  const isLong = run.record.virtualUs > violation.t + 2 * graceUs
  return isLong && !isAtRest(run) ? violation.t + graceUs : undefined
}

function isAtRest({ account }: Ended): boolean {
  return account?.restUs !== undefined
}

/** The page demands of the whole run something that never happened. */
export function isOfDemand({ run: { account }, isOfStep }: ChangesQuestion): boolean {
  return isOfStep && account?.unmet?.[0] === 'demands'
}

/** How an agent would have reported what the page demands. */
export function unreportedIn(question: ChangesQuestion): string | undefined {
  const mark = question.run.account?.unmet?.at(-1)
  return isOfDemand(question) && typeof mark === 'string' ? toldBy[mark] : undefined
}

/** For a step that failed, the number of the event with which it began. */
export function sinceOf(question: ChangesQuestion): { readonly since?: number } {
  const { events, violation, isOfStep } = question
  if (!isOfStep || isOfDemand(question)) return {}
  const begun = events.all.findLast(
    (event) => event.n < violation.n && event.kind === 'driver' && event.story === 'step',
  )
  return begun === undefined ? {} : { since: begun.n }
}
