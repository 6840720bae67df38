import { err, ok, type Result } from '../../../src/base/result.ts'
import { usualSeed } from '../../scenario/language/load.ts'
import { readScenario, unreadText } from '../files.ts'
import type { Plant } from '../plant.ts'
import { usualStallMs } from '../run-flags.ts'
import { firstFailure } from '../shrink/first-failure.ts'
import type { SimTerminal } from '../terminal.ts'
import { LineCutter } from '../trace/lines.ts'
import type { DiffFlags } from './flags.ts'
import type { Build, RunToCompare } from './runs.ts'

/** The operands: scenarios or traces. */
export type Asked = readonly [string | undefined, string | undefined]

type Runs = readonly [RunToCompare, RunToCompare]
type Failed = { readonly ok: false; readonly error: readonly string[] }

/** The two runs to compare, or what is wrong with the command line, in lines. */
export async function runsToCompare(
  [first, second]: Asked,
  flags: DiffFlags,
  plant: Plant | undefined,
  terminal: SimTerminal,
): Promise<Result<Runs, readonly string[]>> {
  const misuse = misuseOf([first, second], flags)
  if (misuse !== undefined) return err([misuse])
  const file = first ?? plant?.hunt
  if (file === undefined) return err(['name a scenario or a trace'])
  const one = await runNamed(file, flags, plant, terminal)
  if (!one.ok) return one
  if (second !== undefined) {
    const other = await runNamed(second, { ...flags, ...seedOf(one.value) }, plant, terminal)
    return other.ok ? ok([one.value, other.value]) : other
  }
  return secondOf(one.value, flags, plant, terminal)
}

/** Another run of the first one's page. */
async function secondOf(
  run: RunToCompare,
  { seeds, fork, against }: DiffFlags,
  plant: Plant | undefined,
  { workplace }: SimTerminal,
): Promise<Result<Runs, readonly string[]>> {
  if (run.kind === 'trace') return err([`${run.file} is a trace: name a second one`])
  if (seeds !== undefined) return ok([run, { ...run, seed: seeds[1] }])
  if (fork !== undefined) return ok([run, { ...run, forks: [fork] }])
  if (plant !== undefined) return ok([run, { ...run, build: soundBuild(plant) }])
  if (against === undefined)
    return err(['name what to compare with: a second file, --seeds N,M, --fork, --against, --bug or --mutant'])
  if (workplace.exists(`${against}/bin/svc-sim.js`) && workplace.exists(`${against}/dist`))
    return ok([run, { ...run, build: { kind: 'checkout', folder: against } }])
  return err([`--against ${against}: there is no built svc-sim: name a checkout in which "npm run build" was run`])
}

function soundBuild(plant: Plant): Build {
  const copy = plant.sound()
  return copy === undefined
    ? { kind: 'this' }
    : { kind: 'copy', copy, words: 'the sound program, tuned alike', demands: plant.demands }
}

/** Both runs of one command have one seed, unless the second page names its own. */
function seedOf(run: RunToCompare): { readonly seed?: number } {
  return run.kind === 'trace' ? {} : { seed: run.seed }
}

async function runNamed(
  file: string,
  flags: DiffFlags,
  plant: Plant | undefined,
  terminal: SimTerminal,
): Promise<Result<RunToCompare, readonly string[]>> {
  const isTrace = await looksLikeTrace(file, terminal)
  if (!isTrace.ok) return isTrace
  if (isTrace.value) return ok({ kind: 'trace', file })
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return read
  const { loaded, text } = read.value
  const build: Build =
    plant === undefined
      ? { kind: 'this' }
      : { kind: 'copy', copy: plant.copy, words: plant.words, demands: plant.demands }
  const named = flags.seeds?.[0] ?? flags.seed ?? loaded.scenario.seed
  if (named !== undefined || plant === undefined)
    return ok({ kind: 'seed', file, seed: named ?? usualSeed(loaded), build })
  // A planted bug exists to be found, so the command looks for a seed that finds it.
  const startWorker = () => plant.copy.startWorker(usualStallMs)
  const seed = await firstFailure({ loaded, text }, { startWorker, jobs: terminal.cores })
  return seed === undefined
    ? err([`${file}: no seed fails with ${plant.words}`])
    : ok({ kind: 'seed', file, seed, build })
}

async function looksLikeTrace(file: string, terminal: SimTerminal): Promise<Result<boolean, readonly string[]>> {
  if (file === '-') return err(['a trace is read twice: name a file, not -'])
  const cutter = new LineCutter()
  let head = ''
  const read = await terminal.readPieces(file, async (piece) => {
    head += (cutter.push(piece) ?? [])[0] ?? cutter.rest ?? ''
    return false
  })
  if (!read.ok)
    return {
      ok: false,
      error: [`${file}: ${unreadText(read.error, 'name a scenario or a trace in it')}`],
    } satisfies Failed
  return ok(/^\{"v":\d/.test(head))
}

function misuseOf([, second]: Asked, flags: DiffFlags): string | undefined {
  const { seed, seeds, fork, against, bug, mutant } = flags
  const others = [
    ...(second === undefined ? [] : ['a second file']),
    ...(seeds === undefined ? [] : ['--seeds']),
    ...(fork === undefined ? [] : ['--fork']),
    ...(against === undefined ? [] : ['--against']),
  ]
  if (others.length > 1) return `compare with one thing: give either ${others.join(' or ')}`
  if (seed !== undefined && seeds !== undefined) return 'give either --seed or --seeds'
  if (seeds !== undefined && seeds[0] === seeds[1])
    return `--seeds ${seeds.join(',')}: a run is equal to itself: name two seeds`
  if (against !== undefined && (bug ?? mutant) !== undefined)
    return 'what is planted is compared with this program: leave out --against'
  return undefined
}
