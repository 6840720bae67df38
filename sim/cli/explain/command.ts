import { generalised } from '../../campaign/fingerprint.ts'
import { type Blamed, blame } from '../../explain/blame.ts'
import { shownLines } from '../../explain/explanation.ts'
import { Reruns } from '../../explain/reruns.ts'
import { roomsOf } from '../../explain/rooms.ts'
import { suspectsOf } from '../../explain/suspects.ts'
import type { Compiler } from '../../mutation/operators/change.ts'
import { WorkerDidNotStart } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import { oneFileTwice } from '../one-file.ts'
import { type Plant, plantOf } from '../plant.ts'
import { plantedIn } from '../plant-flags.ts'
import { usualStallMs } from '../run-flags.ts'
import { Screen } from '../screen.ts'
import { failingRunOf, plantedRun, type ReadRun } from '../shrink/failing-run.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type ChangesReport, changesIn } from './changes.ts'
import { type CodeReport, codeIn } from './code.ts'
import { changesLines, codeLines } from './code-printing.ts'
import type { ExplainFlags } from './flags.ts'
import { otherPages } from './other-pages.ts'
import { ExplainedPicture } from './picture.ts'
import { type BlameReport, blameLines, chainLines, headLines, jsonOf, runsText } from './printing.ts'
import { type Failure, pageOfRun, type Traced, tracedRun } from './traced.ts'

/** Maximum number of lines of the chain, unless the user asks for all. */
const linesMax = 30
const usualBudgetMs = 60_000

/** `svc-sim explain`: why a run fails. */
export async function runExplain(
  file: string | undefined,
  flags: ExplainFlags,
  terminal: SimTerminal,
): Promise<number> {
  const plant = plantOf(flags, terminal)
  if (!plant.ok) return refused(terminal, [plant.error])
  if (plant.value !== undefined) return explainPlanted(file, plant.value, flags, terminal)
  if (file === undefined) return refused(terminal, ['name a scenario, its records, or --bug'])
  const run = await failingRunOf(terminal, file, flags.seed)
  if (!run.ok) return refused(terminal, run.error)
  const stallMs = flags.stall ?? usualStallMs
  // A bundle has no modules whose lines could be named.
  const copy = flags.code === true ? terminal.createWorkshop().copy(new Map(), 'linked') : undefined
  try {
    return await explainRun(run.value, {
      startWorker: () => (copy ?? terminal).startWorker(stallMs),
      planted: new Map(),
      flags,
      terminal,
    })
  } finally {
    copy?.remove()
  }
}

async function explainPlanted(
  file: string | undefined,
  plant: Plant,
  flags: ExplainFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { copy, words } = plant
  const startWorker = (): Worker => copy.startWorker(flags.stall ?? usualStallMs)
  try {
    const page = file ?? plant.hunt
    if (page === undefined) return refused(terminal, [`${words}: name the scenario that fails`])
    const run = await plantedRun(page, { words, planted: plantedIn(flags) }, flags, { startWorker, terminal })
    if (!run.ok) return refused(terminal, run.error)
    return await explainRun(run.value, {
      startWorker,
      planted: plant.texts,
      flags,
      terminal,
    })
  } finally {
    copy.remove()
  }
}

interface ExplainParts {
  /** With `--code`, of a copy of the program whose modules are separate files. */
  readonly startWorker: () => Worker
  /** Modules that differ from this program's. */
  readonly planted: ReadonlyMap<string, string>
  readonly flags: ExplainFlags
  readonly terminal: SimTerminal
}

async function explainRun(run: ReadRun, parts: ExplainParts): Promise<number> {
  const { flags, terminal } = parts
  const overwriting = await oneFileTwice(
    terminal.disk,
    [{ as: 'the scenario', file: run.loaded.file }],
    flags.html === undefined ? [] : [{ as: '--html', file: flags.html }],
  )
  if (overwriting !== undefined) return refused(terminal, [overwriting])
  const picture = flags.html === undefined ? undefined : await ExplainedPicture.open(terminal, run, flags.html)
  if (flags.html !== undefined && picture === undefined) return exits.usage
  const traced = await tracedRun(run, parts, picture)
  if (typeof traced === 'string') return refused(terminal, [traced])
  const { explanation, failure } = traced
  const lines = shownLines(explanation, flags.all === true ? Number.POSITIVE_INFINITY : linesMax)
  const say = (texts: readonly string[]): void => {
    if (flags.json !== true) terminal.out(texts.map((text) => `${text}\n`).join(''))
  }
  say([...headLines(explanation, failure.place), '', ...chainLines(lines, explanation.chain.length)])
  const blamed = flags.blame ? await blamedIn(run, traced, parts) : undefined
  if (typeof blamed === 'string') return refused(terminal, [blamed])
  if (blamed !== undefined) say(['', ...blameLines(blamed)])
  const isDrawn = await picture?.end(explanation.violation.n, traced.events, blamed?.blamed)
  const compiler = flags.code === true ? terminal.loadCompiler() : undefined
  const changes = compiler && (await changesOf(run, traced, compiler, parts))
  if (typeof changes === 'string') return refused(terminal, [changes])
  if (changes !== undefined) say(['', ...changesLines(changes)])
  const isCompared = flags.code === true && compiler === undefined
  const code = isCompared ? await codeOf(run, traced, blamed?.blamed ?? [], parts) : undefined
  if (typeof code === 'string') return refused(terminal, [code])
  if (code !== undefined) say(['', ...codeLines(code, terminal.createWorkshop())])
  if (flags.json === true) terminal.out(`${jsonOf({ run, explanation, failure, lines, blamed, code, changes })}\n`)
  return isDrawn === false ? exits.usage : exits.passed
}

/** Judges the decisions on the way, with a line of progress on the screen; a text says why that is not possible. */
async function blamedIn(run: ReadRun, traced: Traced, parts: ExplainParts): Promise<BlameReport | string> {
  const { flags, terminal, startWorker } = parts
  const { explanation, ended, events, failure } = traced
  const { runs, budget: cpuMs = runs === undefined ? usualBudgetMs : undefined } = flags
  const kind = kindOf(failure)
  const reruns = new Reruns({
    startWorker,
    jobs: flags.jobs ?? terminal.cores,
    page: pageOfRun(run),
    seed: run.seed,
    wrong: {
      isIn: ({ record: { verdict, failures } }, untilUs = Number.POSITIVE_INFINITY) =>
        verdict === 'failed' && failures.some((each) => kindOf(each) === kind && each.atUs <= untilUs),
    },
    budget: { runs, cpuMs },
    searchStepsMax: flags.steps,
  })
  let judging = ''
  const status = (): string => `${runsText(reruns.runs)}, ${(reruns.cpuMs / 1000).toFixed(0)} s of CPU time: ${judging}`
  const screen = new Screen(terminal, () => (flags.quiet === true ? undefined : status()))
  try {
    const suspects = suspectsOf(events, explanation)
    const atRest = ended.account?.restUs !== undefined
    const onRound = (now: string): void => {
      judging = now
    }
    const blamed = await blame({ suspects, failsAtUs: explanation.violation.t, atRest, reruns, onRound })
    return { blamed, suspects: suspects.length, runs: reruns.runs, cpuMs: reruns.cpuMs, isSpent: reruns.isSpent }
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  } finally {
    screen.close()
    reruns.close()
  }
}

/** Changes the code that led to the failure; a text says why that is not possible. */
async function changesOf(
  run: ReadRun,
  { explanation, ended, events, failure, evidence }: Traced,
  ts: Compiler,
  { planted, flags, terminal }: ExplainParts,
): Promise<ChangesReport | string> {
  const kind = kindOf(failure)
  const { runs, budget: cpuMs = runs === undefined ? usualBudgetMs : undefined } = flags
  const platform = terminal.createPlatform()
  let status = (): string => 'the code is made ready to be changed'
  const screen = new Screen(terminal, () => (flags.quiet === true ? undefined : status()))
  try {
    const page = pageOfRun(run)
    return await changesIn({
      ts,
      workshop: terminal.createWorkshop(),
      planted,
      sha256: platform.sha256,
      page,
      seed: run.seed,
      others: await otherPages(page.loaded.file, page.text, terminal),
      events,
      violation: explanation.violation,
      isOfStep: failure.code === undefined,
      isOfLaw: failure.code !== undefined && !isPanic(failure.code),
      run: ended,
      rooms: failure.code === undefined || isPanic(failure.code) ? [] : roomsOf(evidence),
      hasFailed: ({ record }) => record.verdict === 'failed' && record.failures.some((each) => kindOf(each) === kind),
      budget: { runs, cpuMs },
      jobs: flags.jobs ?? terminal.cores,
      stallMs: flags.stall ?? usualStallMs,
      searchStepsMax: flags.steps,
      onRuns: (what, made) => {
        status = () => `${made.runs} ${what}, ${(made.cpuMs / 1000).toFixed(0)} s of CPU time`
      },
    })
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  } finally {
    screen.close()
    platform.close()
  }
}

/** A panic may have its cause anywhere, whatever its evidence. */
function isPanic(code: string): boolean {
  return code === 'P1' || code === 'P2'
}

async function codeOf(
  run: ReadRun,
  { explanation, failure }: Traced,
  blamed: readonly Blamed[],
  { startWorker, flags }: ExplainParts,
): Promise<CodeReport | string> {
  const kind = kindOf(failure)
  try {
    return await codeIn({
      startWorker,
      page: pageOfRun(run),
      seed: run.seed,
      failsAtUs: explanation.violation.t,
      blamed,
      hasFailed: ({ record }) => record.verdict === 'failed' && record.failures.some((each) => kindOf(each) === kind),
      searchStepsMax: flags.steps,
    })
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  }
}

/** Equal for two failures of one kind: the same law or expectation, and the same message but for names and numbers. */
function kindOf({ code, place, message }: Failure): string {
  return `${code ?? place}\n${generalised(message).replaceAll('…', '')}`
}

function refused({ error }: SimTerminal, lines: readonly string[]): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
