import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Names } from '../../comparison/event-table.ts'
import { RunReading } from '../../comparison/reading.ts'
import { pageOf, SeedRuns } from '../../pool/seed-runs.ts'
import { forkFlags } from '../../report/forks.ts'
import type { TraceRecord } from '../../report/trace-record.ts'
import type { ProgramCopy } from '../../self-test/workshop.ts'
import type { Fork } from '../../world/decisions/decisions.ts'
import { readScenario } from '../files.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { eventOf, readTrace } from '../trace/events.ts'
import { TraceFiles } from '../trace-files.ts'

/** A run to compare. */
export type RunToCompare =
  | { readonly kind: 'trace'; readonly file: string }
  | {
      readonly kind: 'seed'
      readonly file: string
      readonly seed: number
      readonly forks?: readonly Fork[]
      readonly build: Build
    }

/** The program that runs it. */
export type Build =
  | { readonly kind: 'this' }
  | { readonly kind: 'copy'; readonly copy: ProgramCopy; readonly words: string; readonly demands: boolean }
  | { readonly kind: 'checkout'; readonly folder: string }

/** For readers: `crash.yaml, seed 3, with the planted bug tail-kept`. */
export function titleOf(run: RunToCompare): string {
  if (run.kind === 'trace') return run.file
  const { file, seed, forks, build } = run
  const where =
    build.kind === 'this' ? '' : build.kind === 'copy' ? `, with ${build.words}` : `, built in ${build.folder}`
  return `${file}, seed ${seed}${forkFlags(forks)}${where}`
}

/**
 * The trace of the run, which is written into a folder if it is not there yet. The error says what is wrong, in lines.
 */
export async function traceOf(
  run: RunToCompare,
  out: string,
  terminal: SimTerminal,
): Promise<Result<string, readonly string[]>> {
  if (run.kind === 'trace') return ok(run.file)
  if (run.build.kind === 'this') return tracedHere(run, out, terminal)
  const { file, seed, forks, build } = run
  const forked = forkFlags(forks).trim()
  const argv = ['run', file, '--seed', String(seed), ...forked.split(' ').filter(Boolean), '--quiet', '--trace', out]
  const { workplace } = terminal
  const ended =
    build.kind === 'copy'
      ? await build.copy.run([...argv, ...(build.demands ? [] : ['--no-demands'])], () => undefined)
      : await workplace.run([workplace.node, `${build.folder}/bin/svc-sim.js`, ...argv], {})
  const isJudged = ended.exit === exits.passed || ended.exit === exits.failed || ended.exit === exits.undecided
  return isJudged ? ok(out) : err([`${titleOf(run)}: exit code ${ended.exit ?? 'unknown'}: ${ended.error.trimEnd()}`])
}

async function tracedHere(
  { file, seed, forks }: Extract<RunToCompare, { readonly kind: 'seed' }>,
  out: string,
  terminal: SimTerminal,
): Promise<Result<string, readonly string[]>> {
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return read
  const { loaded } = read.value
  const { createPlatform, wallMs, cpuMs } = terminal
  const traces = await TraceFiles.open(terminal, { trace: out })
  if (traces === undefined) return err([])
  const platform = createPlatform()
  const page = pageOf(loaded, platform)
  platform.close()
  const trace = traces.optionsFor({ scenario: loaded.scenario.scenario, seed })
  await new SeedRuns({ createPlatform, wallMs, cpuMs }).first({ page, seed, forks }, { trace })
  return (await traces.end()) ? ok(out) : err([])
}

/** Maximum number of events: memory cannot hold two longer runs, and they cannot be compared. */
const eventsMax = 4_000_000

/** Reads a trace in its numeric form. */
export async function readRun(file: string, names: Names, terminal: SimTerminal): Promise<Result<RunReading, string>> {
  const run = new RunReading(names)
  const read = await readTrace(terminal, file, {
    onHeader: () => true,
    onLine: (line) => {
      if (run.table.size === eventsMax) return err(`more than ${eventsMax} events: compare shorter runs`)
      const record = eventOf(line)
      if (!record.ok) return record
      run.take(record.value)
      return ok(true)
    },
  })
  return read.ok ? ok(run) : read
}

/** Reads some events of a trace again, by their places. */
export async function recordsAt(
  file: string,
  places: ReadonlySet<number>,
  terminal: SimTerminal,
): Promise<Result<ReadonlyMap<number, TraceRecord>, string>> {
  const records = new Map<number, TraceRecord>()
  let at = 0
  const read = await readTrace(terminal, file, {
    onHeader: () => places.size > 0,
    onLine: (line) => {
      const place = at++
      if (!places.has(place)) return ok(true)
      const record = eventOf(line)
      if (!record.ok) return record
      records.set(place, record.value)
      return ok(records.size < places.size)
    },
  })
  return read.ok ? ok(records) : read
}
