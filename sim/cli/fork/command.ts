import { err, ok, type Result } from '../../../src/base/result.ts'
import { curvePicture } from '../../forking/curve-picture.ts'
import { curveLines, type Forked, headText, pointLines, seconds } from '../../forking/fork-text.ts'
import { type ForkPoint, timesBetween } from '../../forking/tally.ts'
import { pageOf } from '../../pool/seed-runs.ts'
import { type SentPage, sentPage, WorkerDidNotStart } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import type { SeedRecord } from '../../report/seed-record.ts'
import { shellWord } from '../../report/shell-word.ts'
import { usualSeed } from '../../scenario/language/load.ts'
import { canBeWritten, readScenario, writeText } from '../files.ts'
import { virtualTimeUs } from '../flag-values.ts'
import { oneFileTwice } from '../one-file.ts'
import { type Plant, plantOf } from '../plant.ts'
import { plantText } from '../plant-flags.ts'
import { usualStallMs } from '../run-flags.ts'
import { firstFailure } from '../shrink/first-failure.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import type { ForkFlags } from './flags.ts'
import { Runs } from './runs.ts'

/** `svc-sim fork`. */
export async function runFork(file: string | undefined, flags: ForkFlags, terminal: SimTerminal): Promise<number> {
  const misuse = misuseOf(flags) ?? (await overwriting(file, flags, terminal))
  if (misuse !== undefined) return refused([misuse], terminal)
  if (flags.svg !== undefined && !(await canBeWritten(terminal, flags.svg))) return exits.usage
  const plant = plantOf(flags, terminal)
  if (!plant.ok) return refused([plant.error], terminal)
  try {
    const page = await pageToFork(file, plant.value, terminal)
    return page.ok ? await forkPage(page.value, plant.value, flags, terminal) : refused(page.error, terminal)
  } catch (cause) {
    if (!(cause instanceof WorkerDidNotStart)) throw cause
    terminal.error(`${cause.message}\n`)
    return exits.noVerdict
  } finally {
    plant.value?.copy.remove()
  }
}

async function pageToFork(
  file: string | undefined,
  plant: Plant | undefined,
  terminal: SimTerminal,
): Promise<Result<SentPage, readonly string[]>> {
  const named = file ?? plant?.hunt
  if (named === undefined) return err(['name a scenario'])
  const read = await readScenario(terminal.disk, named)
  if (!read.ok) return read
  const platform = terminal.createPlatform()
  const page = pageOf(read.value.loaded, platform)
  platform.close()
  return ok(sentPage(page, read.value.text, plant?.demands ?? true))
}

async function forkPage(
  page: SentPage,
  plant: Plant | undefined,
  flags: ForkFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { stall = usualStallMs } = flags
  const startWorker = (): Worker => plant?.copy.startWorker(stall) ?? terminal.startWorker(stall)
  const runs = new Runs(page, startWorker, flags, terminal)
  const { loaded, text } = page
  const named = flags.seed ?? loaded.scenario.seed
  // A planted bug exists to be found, so the command looks for a seed that finds it.
  const found =
    named !== undefined || plant === undefined
      ? usualSeed(loaded)
      : await firstFailure({ loaded, text }, { startWorker, jobs: flags.jobs ?? terminal.cores })
  const seed = named ?? found
  if (seed === undefined) return refused([`${loaded.file}: no seed fails with ${plant?.words}`], terminal)
  const [record] = await runs.of([{ page, seed }])
  if (record === undefined || record.trace === null) {
    return refused([`${loaded.file}: seed ${seed} has no verdict (${record?.verdict}): it cannot be forked`], terminal)
  }
  const times = timesOf(record, flags)
  if (!times.ok) return refused([times.error], terminal)
  const forked: Forked = { record, about: `${shellWord(loaded.file)} --seed ${seed}${plantText(flags)}` }
  if (flags.json !== true) terminal.out(`${headText(forked)}\n`)
  const points = await runs.pointsOf(record, times.value, flags.tries)
  show(points, forked, flags, terminal)
  const isDrawn = flags.svg === undefined || (await writeText(terminal, flags.svg, pictureOf(points, forked)))
  if (!isDrawn) return exits.usage
  return points.some(({ open }) => open > 0) ? exits.noVerdict : exits.passed
}

function show(points: readonly ForkPoint[], forked: Forked, flags: ForkFlags, { out }: SimTerminal): void {
  const lines =
    flags.json === true
      ? points.map((point) => JSON.stringify(point))
      : flags.curve === true
        ? curveLines(points, forked)
        : points.flatMap((point) => pointLines(point, forked))
  for (const line of lines) out(`${line}\n`)
}

function pictureOf(points: readonly ForkPoint[], { record }: Forked): string {
  const [first] = record.failures
  const title = `${record.scenario}, seed ${record.seed}: how likely it fails`
  return curvePicture({ title, points, failsMs: first === undefined ? undefined : first.atUs / 1_000 })
}

/** The times of the forks in milliseconds, or what is wrong with them. */
function timesOf({ failures, virtualUs }: SeedRecord, flags: ForkFlags): Result<readonly number[], string> {
  const endMs = Math.floor((failures[0]?.atUs ?? virtualUs) / 1_000)
  const within = (flag: string, text: string): Result<number, string> => {
    const time = virtualTimeUs(flag, text)
    if (!time.ok) return time
    const ms = time.value / 1_000
    if (!Number.isInteger(ms)) return err(`${flag} ${text}: a run forks at whole milliseconds`)
    const what = failures.length === 0 ? 'ends' : 'fails'
    return ms <= endMs ? ok(ms) : err(`${flag} ${text}: the run ${what} at ${seconds(endMs)}: give a time before it`)
  }
  if (flags.curve !== true) {
    const at = within('--at', flags.at ?? '')
    return at.ok ? ok([at.value]) : at
  }
  const from = within('--from', flags.from ?? '0s')
  if (!from.ok) return from
  const to = within('--to', flags.to ?? `${endMs}ms`)
  if (!to.ok) return to
  if (to.value <= from.value)
    return err(`--to ${flags.to ?? seconds(endMs)} is not later than --from ${flags.from ?? '0s'}`)
  return ok(timesBetween(from.value, to.value, flags.points))
}

function misuseOf({ at, curve, from, to, svg }: ForkFlags): string | undefined {
  if (curve === true) return at === undefined ? undefined : 'give either --at or --curve'
  if (at === undefined) return 'give --at TIME, or --curve for several times'
  return (from ?? to ?? svg) === undefined
    ? undefined
    : '--from, --to and --svg are of a curve: give --curve instead of --at'
}

function overwriting(file: string | undefined, { svg }: ForkFlags, { disk }: SimTerminal): Promise<string | undefined> {
  return oneFileTwice(disk, [{ as: 'the scenario', file }], [{ as: '--svg', file: svg }])
}

function refused(lines: readonly string[], { error }: SimTerminal): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
