import { upstreamOf } from '../../explain/asked-functions.ts'
import { cluesIn } from '../../explain/clues.ts'
import { candidatesOf, nothingsOf, type Watched } from '../../explain/code-candidates.ts'
import { type Ranked, rankedCode, type SuspectCode } from '../../explain/code-ranking.ts'
import { CodeTrials } from '../../explain/code-trials.ts'
import { Comparisons } from '../../explain/comparisons.ts'
import { type ComparedRun, Spectrum } from '../../explain/spectrum.ts'
import { trailEnds } from '../../explain/trail-ends.ts'
import { missingIn, stackIn, waysTo } from '../../explain/ways.ts'
import { type MutationBuild, type MutationWorkshop, mutationBuild } from '../../mutation/build.ts'
import { Functions } from '../../mutation/functions.ts'
import { Lane } from '../../pool/lane.ts'
import type { Worker } from '../../pool/worker.ts'
import type { TraceRecord } from '../../report/trace-record.ts'
import { usualSeed } from '../../scenario/language/load.ts'
import {
  type ChangesQuestion,
  cpuMaxOf,
  endsOf,
  isOfDemand,
  sinceOf,
  unreportedIn,
  untilOf,
} from './changes-question.ts'

/** The result of changing the code. */
export interface ChangesReport {
  readonly suspects: readonly SuspectCode[]
  readonly tried: number
  readonly cured: number
  /** Number of other runs that the failing run was compared with. */
  readonly compared: { readonly failed: number; readonly passed: number }
  /** Number of possible changes in code that ran. */
  readonly of: number
  readonly runs: number
  readonly cpuMs: number
}

const unchanged = /^src\/(?:base|cli|cli-rpc|config|env|hcl|model|native|pki|program)$/
/** Maximum number of places that are confirmed in fresh processes. */
const confirmedMax = 3

/** Part of the budget for other runs. */
const comparedShare = 1 / 3
/** Number of other seeds of the failing page among them. */
const otherSeeds = 2

/**
 * Finds code that may be wrong. Other seeds and other pages are run to learn which code passing runs execute. Then the
 * agent is changed in small ways, one at a time, from the last turn in which the code led to the failure, and the run is
 * repeated. If it then passes, the code is related to the failure.
 */
export async function changesIn(question: ChangesQuestion): Promise<ChangesReport | string> {
  const { ts, workshop, planted, sha256, searchStepsMax, stallMs, jobs } = question
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
  const plain = { startWorker, pages: [], verify: false, confirm: false, searchStepsMax }
  const lanes = Array.from({ length: jobs }, () => new Lane(plain))
  try {
    const functions = new Functions(ts, read)
    return await changesWith(question, { build: built.value, lanes, startWorker, functions })
  } finally {
    for (const lane of lanes) lane.close()
    copy.remove()
  }
}

/** A program with all changes behind switches. */
interface Changeable {
  readonly build: MutationBuild
  readonly lanes: readonly Lane[]
  readonly startWorker: () => Worker
  readonly functions: Functions
}

async function changesWith(question: ChangesQuestion, changeable: Changeable): Promise<ChangesReport | string> {
  const { events, violation, run, budget } = question
  const lost = missingIn(events, violation)
  const { runs, ...compared } = await comparedIn(question, changeable)
  const watched = await watchedIn(question, changeable, { lost, runs })
  if (watched === undefined) return 'the run did not come to an end with its code watched'
  const functionAt: Ranked['functionAt'] = (file, at) => changeable.functions.at(file, at)
  const candidates = candidatesOf(watched, functionAt)
  const trials = new CodeTrials({
    ...question,
    ...changeable,
    budget: {
      runs: budget.runs === undefined ? undefined : budget.runs - compared.made,
      cpuMs: budget.cpuMs === undefined ? undefined : budget.cpuMs - compared.cpuMs,
    },
    failing: run.record,
    untilUs: untilOf(question),
    cpuMaxMs: cpuMaxOf(question),
  })
  question.onRuns('changes', trials)
  const chosen = await trials.throughout(await trials.of(candidates))
  const upstream = await trials.besides(upstreamOf(chosen, candidates, functionAt))
  const tried = [...chosen, ...(await trials.throughout(upstream))]
  const suspects = rankedCode({
    trials: tried,
    candidates,
    isMissing: lost !== undefined,
    nothings: nothingsOf(watched),
    clues: cluesIn({
      ...question,
      ...changeable.build,
      unreported: unreportedIn(question),
      page: question.page.text,
      watched,
      functionAt,
    }),
    functionAt,
  })
  return {
    suspects: await confirmed(suspects, trials),
    tried: tried.length,
    cured: tried.filter(({ outcome }) => outcome === 'cured').length,
    compared: {
      failed: runs.filter(({ hasFailed }) => hasFailed).length,
      passed: runs.filter(({ hasFailed }) => !hasFailed).length,
    },
    of: candidates.length,
    runs: trials.runs + compared.made,
    cpuMs: trials.cpuMs + compared.cpuMs,
  }
}

/** Runs other seeds of the page, and other pages. */
async function comparedIn(
  question: ChangesQuestion,
  { build: { sites, returns }, lanes, startWorker }: Changeable,
): Promise<{ readonly runs: readonly ComparedRun[]; readonly made: number; readonly cpuMs: number }> {
  const { page, seed, others, budget } = question
  const comparisons = new Comparisons({
    ...question,
    lanes,
    startWorker,
    budget: {
      runs: budget.runs === undefined ? undefined : Math.floor(budget.runs * comparedShare),
      cpuMs: budget.cpuMs === undefined ? undefined : budget.cpuMs * comparedShare,
    },
    sites,
    returns: returns.length,
    untilUs: untilOf(question),
    cpuMaxMs: cpuMaxOf(question),
  })
  question.onRuns('other runs', comparisons)
  const seeds = Array.from({ length: otherSeeds }, (_, at) => ({ page, seed: seed + at + 1, isOfPage: true }))
  const pages = others.map((other) => ({ page: other, seed: usualSeed(other.loaded), isOfPage: false }))
  const runs = await comparisons.of([...seeds, ...pages])
  return { runs, made: comparisons.runs, cpuMs: comparisons.cpuMs }
}

/** Repeats the failing run and watches its code; undefined: it did not end. `lost`: the event which says that a value was missing. */
async function watchedIn(
  question: ChangesQuestion,
  { build: { mutants, returns }, lanes }: Changeable,
  { lost, runs }: { readonly lost: TraceRecord | undefined; readonly runs: readonly ComparedRun[] },
): Promise<Watched | undefined> {
  const { page, seed, events, violation } = question
  const last = trailEnds(events, violation)
  const ways = waysTo(events, [violation, ...(lost === undefined ? [] : [lost]), ...last])
  const sites = { events: ways.map(([n]) => n), ...sinceOf(question) }
  const seen = await lanes[0]?.probe({ page, seed }, { sites, ...endsOf(question) })
  if (seen === undefined) return undefined
  const thrown = lost === undefined ? [] : (stackIn(events, violation)?.frames ?? []).map(({ file }) => file)
  const reached = seen.sites ?? []
  return {
    mutants,
    sites: reached,
    arrows: ways.map(([, steps]) => steps),
    ends: new Set(ways.flatMap(([n], at) => (last.some((event) => event.n === n) ? [at] : []))),
    rooms: thrown.length > 0 ? thrown : question.rooms,
    returns,
    returned: seen.returns ?? [],
    spectrum: new Spectrum(
      runs,
      reached.map(({ site }) => site),
    ),
    isTimeless: isOfDemand(question),
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
