import { WorkerDidNotStart } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import { shellWord } from '../../report/shell-word.ts'
import { loadScenario } from '../../scenario/language/load.ts'
import { Oracle } from '../../shrink/oracle.ts'
import { type Keyed, without } from '../../shrink/page.ts'
import { sizeOf, sizeText } from '../../shrink/parts.ts'
import { type ShrinkStep, type Shrunk, shrink } from '../../shrink/shrink.ts'
import { shrunkText } from '../../shrink/shrunk-page.ts'
import { canBeWritten, writeText } from '../files.ts'
import { oneFileTwice } from '../one-file.ts'
import { type Plant, plantOf } from '../plant.ts'
import { plantedIn, plantText } from '../plant-flags.ts'
import { usualStallMs } from '../run-flags.ts'
import { Screen } from '../screen.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type FailingRun, failingRunOf, plantedRun, violationsText } from './failing-run.ts'
import type { ShrinkFlags } from './flags.ts'

const usualBudgetMs = 60_000

/** `svc-sim shrink`: makes the page of a failing run smaller, and writes it. */
export async function runShrink(file: string | undefined, flags: ShrinkFlags, terminal: SimTerminal): Promise<number> {
  const plant = plantOf(flags, terminal)
  if (!plant.ok) return refused(terminal, [plant.error])
  if (plant.value !== undefined) return shrinkPlanted(file, plant.value, flags, terminal)
  if (file === undefined) return refused(terminal, ['name a scenario, its records, or --bug'])
  const run = await failingRunOf(terminal, file, flags.seed)
  return run.ok ? shrinkFailure(run.value, flags, terminal) : refused(terminal, run.error)
}

/** As `runShrink`, for a run that is already known. */
export function shrinkFailure(run: FailingRun, flags: ShrinkFlags, terminal: SimTerminal): Promise<number> {
  const { startWorker } = terminal
  const { loaded } = run
  const out = flags.out ?? `${loaded.file.replace(/[.]ya?ml$/, '')}.shrunk.yaml`
  const program = `svc-sim ${terminal.version} (${terminal.build})`
  const stallMs = flags.stall ?? usualStallMs
  return shrinkRun(run, { startWorker: () => startWorker(stallMs), out, program, flags, terminal })
}

/** As `runShrink`, in a copy of the program with something wrong on purpose. */
async function shrinkPlanted(
  file: string | undefined,
  plant: Plant,
  flags: ShrinkFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { copy, name, words } = plant
  const startWorker = (): Worker => copy.startWorker(flags.stall ?? usualStallMs)
  try {
    const page = file ?? plant.hunt
    if (page === undefined) return refused(terminal, [`${words}: name the scenario that fails`])
    const run = await plantedRun(page, { words, planted: plantedIn(flags) }, flags, { startWorker, terminal })
    if (!run.ok) return refused(terminal, run.error)
    const out = flags.out ?? `${file === undefined ? name : file.replace(/[.]ya?ml$/, '')}.shrunk.yaml`
    const program = `svc-sim ${terminal.version} (${terminal.build}) with ${words}`
    return await shrinkRun(run.value, { startWorker, out, program, flags, terminal })
  } finally {
    copy.remove()
  }
}

interface ShrinkParts {
  readonly startWorker: () => Worker
  readonly out: string
  readonly program: string
  readonly flags: ShrinkFlags
  readonly terminal: SimTerminal
}

/** Shrinks one run, confirms the page in a fresh process, and writes it. */
async function shrinkRun(run: FailingRun, parts: ShrinkParts): Promise<number> {
  const { out, flags, terminal } = parts
  const { file } = run.loaded
  const twice = await oneFileTwice(terminal.disk, [{ as: 'the scenario', file }], [{ as: '--out', file: out }])
  if (twice !== undefined) return refused(terminal, [twice])
  if (!(await canBeWritten(terminal, out))) return exits.usage
  const searched = await searchFor(run, parts)
  if (typeof searched === 'string') return refused(terminal, [searched])
  const { shrunk, runs, cpuMs, seconds } = searched
  const origin = { file, seed: run.seed, command: commandOf(run, flags), program: parts.program, runs, cpuMs }
  const text = shrunkText(shrunk, origin)
  const { wrong } = shrunk.failing
  if (!(await failsAlone(text, shrunk, parts))) {
    terminal.error(`the page that was found does not fail in a fresh process: ${wrong.text}\n`)
    return exits.notDeterministic
  }
  if (!(await writeText(terminal, out, text))) {
    // It may be the result of hours.
    terminal.out(text)
    return exits.usage
  }
  const spent = `${runs} runs, ${(cpuMs / 1000).toFixed(1)} s of CPU time in ${seconds.toFixed(1)} s`
  const lines = [
    `shrunk: ${wrong.text}`,
    `  before: ${sizeText(shrunk.before)}`,
    `  after:  ${sizeText(sizeOf(shrunk.failing))}`,
    `  ${spent}`,
    `written to ${out}; repeat with: svc-sim run ${shellWord(out)}${plantText(flags)}`,
  ]
  terminal.out(lines.map((line) => `${line}\n`).join(''))
  return exits.passed
}

interface Searched {
  readonly shrunk: Shrunk
  readonly runs: number
  readonly cpuMs: number
  readonly seconds: number
}

/** Runs the search, with a line of progress on the screen. A text says why the search cannot begin. */
async function searchFor({ loaded, seed }: FailingRun, parts: ShrinkParts): Promise<Searched | string> {
  const { flags, terminal } = parts
  const oracle = newOracle(loaded.file, flags.jobs ?? terminal.cores, parts)
  let step: ShrinkStep | undefined
  const status = (): string | undefined => {
    const spent = `${oracle.runs} runs, ${(oracle.cpuMs / 1000).toFixed(0)} s of CPU time`
    return step && `${spent}: ${sizeText(step.size)}; ${step.trying}`
  }
  const startedMs = terminal.wallMs()
  const screen = new Screen(terminal, () => (flags.quiet === true ? undefined : status()))
  try {
    const page = without(loaded.document.value as Keyed, 'seed')
    const shrunk = await shrink(
      { page, seed },
      {
        oracle,
        violation: flags.violation,
        onStep: (next) => {
          step = next
        },
      },
    )
    const seconds = (terminal.wallMs() - startedMs) / 1000
    if (shrunk === 'unreached') return unreachedText(loaded.file)
    if (shrunk === 0) return `${loaded.file}: seed ${seed} does not fail: there is nothing to shrink`
    if (typeof shrunk === 'number') return `--violation ${flags.violation}: the run has only ${violationsText(shrunk)}`
    return { shrunk, runs: oracle.runs, cpuMs: oracle.cpuMs, seconds }
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  } finally {
    screen.close()
    oracle.close()
  }
}

/** Runs the page as it will be written, in a process that has run nothing before. */
async function failsAlone(text: string, { failing }: Shrunk, parts: ShrinkParts): Promise<boolean> {
  const loaded = loadScenario(parts.out, text)
  if (!loaded.ok) return false
  const oracle = newOracle(parts.out, 1, parts)
  try {
    const again = await oracle.failures({ page: loaded.value.document.value as Keyed, seed: failing.seed })
    const looked = (parts.flags.violation ?? 1) > 1 ? again : again.slice(0, 1)
    return looked.some(({ wrong }) => wrong.kind === failing.wrong.kind)
  } finally {
    oracle.close()
  }
}

function newOracle(file: string, jobs: number, { startWorker, flags }: ShrinkParts): Oracle {
  const { runs, budget: cpuMs = runs === undefined ? usualBudgetMs : undefined } = flags
  return new Oracle({ startWorker, jobs, file, budget: { runs, cpuMs }, searchStepsMax: flags.steps })
}

/** The command that produces the same page. */
function commandOf({ loaded, seed }: FailingRun, flags: ShrinkFlags): string {
  const { runs, budget, violation } = flags
  const limits = [
    ...(violation === undefined ? [] : [` --violation ${violation}`]),
    ...(runs === undefined ? [] : [` --runs ${runs}`]),
    ...(budget === undefined ? [] : [` --budget ${budget / 1000}s`]),
  ]
  return `svc-sim shrink ${shellWord(loaded.file)} --seed ${seed}${plantText(flags)}${limits.join('')}`
}

function refused({ error }: SimTerminal, lines: readonly string[]): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}

function unreachedText(file: string): string {
  return `${file}: the run did not reach what the page demands of it. Every smaller run reaches less: explain it as it is`
}
