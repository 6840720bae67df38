import { candidatesOf, nothingsOf } from '../../explain/code-candidates.ts'
import { rankedCode, type SuspectCode } from '../../explain/code-ranking.ts'
import { CodeTrials } from '../../explain/code-trials.ts'
import type { Events } from '../../explain/events.ts'
import { type MutationWorkshop, mutationBuild } from '../../mutation/build.ts'
import { Functions } from '../../mutation/functions.ts'
import type { Compiler } from '../../mutation/operators/change.ts'
import type { RunBudget } from '../../pool/budgeted-lanes.ts'
import { Lane } from '../../pool/lane.ts'
import type { Ended } from '../../pool/messages.ts'
import type { SentPage } from '../../pool/warm-worker.ts'
import type { TraceRecord } from '../../report/trace-record.ts'

export interface ChangesQuestion {
  readonly ts: Compiler
  readonly workshop: MutationWorkshop
  /** The built modules that differ from the workshop's, because a bug is planted in them. */
  readonly planted: ReadonlyMap<string, string>
  readonly sha256: (bytes: Uint8Array) => Uint8Array
  readonly page: SentPage
  readonly seed: number
  readonly events: Events
  readonly violation: TraceRecord
  /** A step's expectation was not met, and no law was broken. */
  readonly isOfStep: boolean
  /** The failing run. */
  readonly run: Ended
  /** Folders of the code that makes the facts by which the law judges; empty: all. */
  readonly rooms: readonly string[]
  readonly hasFailed: (ended: Ended) => boolean
  readonly budget: RunBudget
  readonly jobs: number
  readonly stallMs: number
  readonly searchStepsMax?: number | undefined
  /** Called as the trials begin, with an object that counts them. */
  readonly onTrials: (trials: CodeTrials) => void
}

/** The result of changing the code. */
export interface ChangesReport {
  readonly suspects: readonly SuspectCode[]
  readonly tried: number
  readonly cured: number
  /** Number of possible changes in code that ran. */
  readonly of: number
  readonly runs: number
  readonly cpuMs: number
}

/** Maximum number of events that the search follows back, the nearest to the failure first. */
const eventsMax = 100_000
/** A run may use this many times the CPU time of the failing one, and at least `leastMs`. */
const costly = { times: 8, leastMs: 4_000 } as const
/** How long after the failure a run must pass, if it continues for long: in microseconds. */
const graceUs = 5_000_000
/** Messages which say that a value was missing. */
const missing = /TypeError|ReferenceError|\b(?:undefined|null)\b|is not (?:iterable|a function)/
const unchanged = /^src\/(?:base|cli|cli-rpc|config|env|hcl|model|native|pki|program)$/
/** Maximum number of places that are confirmed in fresh processes. */
const confirmedMax = 3

/**
 * Finds code that may be wrong. The agent is changed in small ways, one at a time, from the last turn in which the code
 * led to the failure, and the run is repeated. If it then passes, the code is related to the failure.
 */
export async function changesIn(question: ChangesQuestion): Promise<ChangesReport | string> {
  const { ts, workshop, planted, sha256, page, seed, events, violation, run, searchStepsMax, stallMs } = question
  const read = (file: string): string | undefined => planted.get(file) ?? workshop.read(file)
  const built = mutationBuild({
    ts,
    workshop: { ...workshop, read },
    rooms: roomsIn(workshop),
    watchesReturns: true,
    sha256,
  })
  if (!built.ok) return built.error
  const copy = workshop.copy(new Map([...planted, ...built.value.texts]))
  const startWorker = (): ReturnType<typeof copy.startWorker> => copy.startWorker(stallMs)
  try {
    const lost = missingIn(events, violation)
    const ways = waysTo(events, lost === undefined ? [violation] : [violation, lost])
    const lane = new Lane({ startWorker, pages: [], verify: false, confirm: false, searchStepsMax })
    const seen = await lane.probe(
      { page, seed },
      { sites: { events: ways.map(([n]) => n), ...sinceOf(question) }, ...endsOf(question) },
    )
    lane.close()
    if (seen === undefined) return 'the run did not come to an end with its code watched'
    const { mutants, returns } = built.value
    const thrown = lost === undefined ? [] : throwersIn(events, violation)
    const arrows = ways.map(([, steps]) => steps)
    const watched = {
      mutants,
      sites: seen.sites ?? [],
      arrows,
      rooms: thrown.length > 0 ? thrown : question.rooms,
      returns,
      returned: seen.returns ?? [],
    }
    const candidates = candidatesOf(watched)
    const trials = new CodeTrials({
      ...question,
      startWorker,
      failing: run.record,
      untilUs: untilOf(question),
      cpuMaxMs: Math.max(costly.leastMs, costly.times * run.record.cpuMs),
    })
    try {
      question.onTrials(trials)
      const tried = await trials.of(candidates)
      const functions = new Functions(ts, read)
      const suspects = rankedCode({
        trials: tried,
        candidates,
        isMissing: lost !== undefined,
        nothings: nothingsOf(watched),
        functionAt: (file, at) => functions.at(file, at),
      })
      const sure = await confirmed(suspects, trials)
      const cured = tried.filter(({ outcome }) => outcome === 'cured').length
      return {
        suspects: sure,
        tried: tried.length,
        cured,
        of: candidates.length,
        runs: trials.runs,
        cpuMs: trials.cpuMs,
      }
    } finally {
      trials.close()
    }
  } finally {
    copy.remove()
  }
}

/**
 * The agent's rooms that are changed: without those that the simulator runs as well, and those that no simulated agent
 * runs.
 */
function roomsIn(workshop: MutationWorkshop): readonly string[] {
  const rooms = workshop.names().flatMap((name) => /^src\/[^/]+(?=\/)/.exec(name)?.[0] ?? [])
  return [...new Set(rooms)].filter((room) => !unchanged.test(room))
}

/** The suspects without those among the first whose changes do not make the run pass in a fresh process. */
async function confirmed(suspects: readonly SuspectCode[], trials: CodeTrials): Promise<readonly SuspectCode[]> {
  const sure: SuspectCode[] = []
  for (const suspect of suspects) {
    const [cure] = suspect.cures
    if (cure === undefined || sure.length >= confirmedMax || (await trials.curesAlone(cure))) sure.push(suspect)
  }
  return sure
}

/** The last event before the violation which says that a value was missing. */
function missingIn({ all }: Events, violation: TraceRecord): TraceRecord | undefined {
  return all.findLast((event) => event.n <= violation.n && 'text' in event && missing.test(String(event.text)))
}

/** Modules on the stack of the last exception. */
function throwersIn({ all }: Events, violation: TraceRecord): readonly string[] {
  const told = all.findLast(
    (event) => event.n <= violation.n && event.kind === 'note' && event.text.startsWith('thrown by '),
  )
  return told?.kind === 'note' ? [...told.text.matchAll(/src\/[^:]+[.]js/g)].map(([file]) => file) : []
}

/** A failure that shows only at rest needs the whole run: one that is stopped before never comes to rest. */
function endsOf({ run, violation }: ChangesQuestion): { readonly ends?: { readonly atUs: number } } {
  return isAtRest(run) ? {} : { ends: { atUs: violation.t + 1 } }
}

/** When a changed run has passed for long enough without the failure; undefined: at its end. */
function untilOf({ run, violation }: ChangesQuestion): number | undefined {
  const isLong = run.record.virtualUs > violation.t + 2 * graceUs
  return isLong && !isAtRest(run) ? violation.t + graceUs : undefined
}

function isAtRest({ account }: Ended): boolean {
  return account?.restUs !== undefined
}

/** For a step that failed, the number of the event with which it began. */
function sinceOf({ events, violation, isOfStep }: ChangesQuestion): { readonly since?: number } {
  if (!isOfStep) return {}
  const begun = events.all.findLast(
    (event) => event.n < violation.n && event.kind === 'driver' && event.story === 'step',
  )
  return begun === undefined ? {} : { since: begun.n }
}

/** Events that led to any of these, by the smallest number of arrows; the nearest and latest first. */
function waysTo(events: Events, ends: readonly TraceRecord[]): readonly (readonly [number, number])[] {
  const steps = new Map<number, number>()
  for (const end of ends) {
    for (const [n, arrows] of events.ancestors(end)) steps.set(n, Math.min(arrows, steps.get(n) ?? arrows))
  }
  return [...steps].toSorted(([n, a], [m, b]) => a - b || m - n).slice(0, eventsMax)
}
