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
  /** The built modules that are other than those of the workshop: something is wrong with them on purpose. */
  readonly planted: ReadonlyMap<string, string>
  readonly sha256: (bytes: Uint8Array) => Uint8Array
  readonly page: SentPage
  readonly seed: number
  readonly events: Events
  readonly violation: TraceRecord
  /** What a step expects did not come about, and no law was broken. */
  readonly isOfStep: boolean
  /** The run that fails. */
  readonly run: Ended
  /** Folders that make what the law is judged by; empty: all. */
  readonly rooms: readonly string[]
  readonly hasFailed: (ended: Ended) => boolean
  readonly budget: RunBudget
  readonly jobs: number
  readonly stallMs: number
  readonly searchStepsMax?: number | undefined
  /** Called as the tries begin, with what tells how many there were. */
  readonly onTrials: (trials: CodeTrials) => void
}

/** What came of changing the code. */
export interface ChangesReport {
  readonly suspects: readonly SuspectCode[]
  readonly tried: number
  readonly cured: number
  /** Changes that there are in code that ran. */
  readonly of: number
  readonly runs: number
  readonly cpuMs: number
}

/** Events that are looked back at, the nearest to the failure first. */
const eventsMax = 100_000
/** A run may use so many times the CPU time of the one that fails, and at least so much. */
const costly = { times: 8, leastMs: 4_000 } as const
/** How long behind the failure a run must do without it, where it goes on for long: in microseconds. */
const graceUs = 5_000_000
/** What says that a value was missing. */
const missing = /TypeError|ReferenceError|\b(?:undefined|null)\b|is not (?:iterable|a function)/
const unchanged = /^src\/(?:base|cli|cli-rpc|config|env|hcl|model|native|pki|program)$/
/** Places that are confirmed in fresh processes. */
const confirmedMax = 3

/**
 * Which code may be wrong: the agent is changed in small ways, one at a time, from the last turn on in which the code
 * led to the failure, and the run made again. Where it then passes, the code has to do with the failure.
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

/** Rooms of the agent that are changed: neither what the simulator runs, too, nor what no simulated agent does. */
function roomsIn(workshop: MutationWorkshop): readonly string[] {
  const rooms = workshop.names().flatMap((name) => /^src\/[^/]+(?=\/)/.exec(name)?.[0] ?? [])
  return [...new Set(rooms)].filter((room) => !unchanged.test(room))
}

/** Without those among the first in which no change cures alone. */
async function confirmed(suspects: readonly SuspectCode[], trials: CodeTrials): Promise<readonly SuspectCode[]> {
  const sure: SuspectCode[] = []
  for (const suspect of suspects) {
    const [cure] = suspect.cures
    if (cure === undefined || sure.length >= confirmedMax || (await trials.curesAlone(cure))) sure.push(suspect)
  }
  return sure
}

/** The last event before the violation that says that a value was missing. */
function missingIn({ all }: Events, violation: TraceRecord): TraceRecord | undefined {
  return all.findLast((event) => event.n <= violation.n && 'text' in event && missing.test(String(event.text)))
}

/** Modules on the stack of what was thrown last. */
function throwersIn({ all }: Events, violation: TraceRecord): readonly string[] {
  const told = all.findLast(
    (event) => event.n <= violation.n && event.kind === 'note' && event.text.startsWith('thrown by '),
  )
  return told?.kind === 'note' ? [...told.text.matchAll(/src\/[^:]+[.]js/g)].map(([file]) => file) : []
}

/** What shows at rest needs the whole run: one that is ended before comes to no rest. */
function endsOf({ run, violation }: ChangesQuestion): { readonly ends?: { readonly atUs: number } } {
  return isAtRest(run) ? {} : { ends: { atUs: violation.t + 1 } }
}

/** When a run with a change has done without the failure for long enough; undefined: at its end. */
function untilOf({ run, violation }: ChangesQuestion): number | undefined {
  const isLong = run.record.virtualUs > violation.t + 2 * graceUs
  return isLong && !isAtRest(run) ? violation.t + graceUs : undefined
}

function isAtRest({ account }: Ended): boolean {
  return account?.restUs !== undefined
}

/** Of a step that failed: the number of the event with which it began. */
function sinceOf({ events, violation, isOfStep }: ChangesQuestion): { readonly since?: number } {
  if (!isOfStep) return {}
  const begun = events.all.findLast(
    (event) => event.n < violation.n && event.kind === 'driver' && event.story === 'step',
  )
  return begun === undefined ? {} : { since: begun.n }
}

/** Events that led to any of these, with the least number of arrows; the nearest and latest first. */
function waysTo(events: Events, ends: readonly TraceRecord[]): readonly (readonly [number, number])[] {
  const steps = new Map<number, number>()
  for (const end of ends) {
    for (const [n, arrows] of events.ancestors(end)) steps.set(n, Math.min(arrows, steps.get(n) ?? arrows))
  }
  return [...steps].toSorted(([n, a], [m, b]) => a - b || m - n).slice(0, eventsMax)
}
