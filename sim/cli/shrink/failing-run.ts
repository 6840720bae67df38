import { compareText } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { isRecord } from '../../../src/base/shape.ts'
import { pageOf } from '../../pool/seed-runs.ts'
import type { Worker } from '../../pool/worker.ts'
import { DecisionReading } from '../../report/decision-file.ts'
import { hasFailed, type SeedRecord, seedRecordSchema } from '../../report/seed-record.ts'
import { type LoadedScenario, usualSeed } from '../../scenario/language/load.ts'
import { readScenario, unreadText } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'
import { LineCutter } from '../trace/lines.ts'
import { firstFailure } from './first-failure.ts'

/** A run to be shrunk. */
export interface FailingRun {
  readonly loaded: LoadedScenario
  readonly seed: number
}

/** The same with the page as it was written: only in that text are places those that people know. */
export interface ReadRun extends FailingRun {
  readonly text: string
}

/**
 * The run that a file refers to: a scenario, the records of a campaign, or a list of decisions; otherwise what is
 * wrong.
 */
export async function failingRunOf(
  terminal: SimTerminal,
  file: string,
  seed: number | undefined,
): Promise<Result<ReadRun, readonly string[]>> {
  const named = await runNamed(terminal, file, { seed })
  if (named !== undefined) return named
  const read = await readScenario(terminal.disk, file)
  return read.ok ? ok({ ...read.value, seed: seed ?? usualSeed(read.value.loaded) }) : read
}

/** The run of records or of a list of decisions; undefined: the file is neither, so it is a page. */
async function runNamed(
  terminal: SimTerminal,
  file: string,
  asked: AskedRecord,
): Promise<Result<ReadRun, readonly string[]> | undefined> {
  const looked = new RecordSearch(asked)
  const problem = await searched(terminal, file, looked)
  if (problem !== undefined) return err([problem])
  if (looked.first.startsWith('{"format":"svc-decisions"')) return runOfDecisions(terminal, file, looked.first)
  return isOfRecords(looked.first) ? runOfRecords(terminal, file, looked) : undefined
}

/** A page may be JSON, too, in one line: it has neither a verdict nor a format. */
function isOfRecords(first: string): boolean {
  const value = jsonOf(first)
  return isRecord(value) && ('verdict' in value || 'format' in value)
}

/** Which record of a file is wanted. */
interface AskedRecord {
  readonly seed?: number | undefined
  /** The bug planted in the program that is to run it, as options; undefined: none. */
  readonly planted?: string | undefined
}

/** For a page without a seed of its own, the first seed that fails. */
export async function plantedRun(
  file: string,
  { words, planted }: { readonly words: string; readonly planted: string | undefined },
  { seed, jobs }: { readonly seed?: number; readonly jobs?: number | undefined },
  { startWorker, terminal }: { readonly startWorker: () => Worker; readonly terminal: SimTerminal },
): Promise<Result<ReadRun, readonly string[]>> {
  const named = await runNamed(terminal, file, { seed, planted })
  if (named !== undefined) return named
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return read
  const { loaded, text } = read.value
  const given = seed ?? loaded.scenario.seed
  if (given !== undefined) return ok({ loaded, text, seed: given })
  const first = await firstFailure({ loaded, text }, { startWorker, jobs: jobs ?? terminal.cores })
  return first === undefined ? err([`${file}: no seed fails with ${words}`]) : ok({ loaded, text, seed: first })
}

/** Reads a file up to the wanted record, or of any file but records, its first line; returns why it cannot be read. */
async function searched(terminal: SimTerminal, file: string, search: RecordSearch): Promise<string | undefined> {
  const cutter = new LineCutter()
  let isOver = false
  const read = await terminal.readPieces(file, async (piece) => {
    isOver = !(cutter.push(piece)?.every((line) => search.line(line)) ?? false)
    return !isOver
  })
  if (!read.ok) return `${file}: ${unreadText(read.error, 'name a scenario or records in it')}`
  if (!isOver && cutter.rest !== undefined) search.line(cutter.rest)
  return undefined
}

/** Looks for the first failure in lines of records; a campaign's file may be of any length. */
class RecordSearch {
  readonly #asked: AskedRecord
  #first: string | undefined
  #found: SeedRecord | undefined
  /** Why a failure is not the wanted one. */
  #other: string | undefined

  constructor(asked: AskedRecord) {
    this.#asked = asked
  }

  get first(): string {
    return this.#first ?? ''
  }

  get found(): SeedRecord | undefined {
    return this.#found
  }

  /** Why no record of the file is the wanted failure, as a text for the caller. */
  get lacks(): string {
    const { seed } = this.#asked
    return (
      this.#other ?? `no record of a seed ${seed === undefined ? 'that' : `${seed} that`} failed: name one that has`
    )
  }

  /** False: no further line is needed. */
  line(text: string): boolean {
    this.#first ??= text
    if (this.#first === text && !isOfRecords(text)) return false
    const record = seedRecordSchema.safeParse(jsonOf(text))
    if (record.success && this.#isWanted(record.data)) this.#found = record.data
    return this.#found === undefined
  }

  #isWanted(record: SeedRecord): boolean {
    const { seed, planted } = this.#asked
    if (!hasFailed(record) || (seed !== undefined && record.seed !== seed)) return false
    if (record.forks !== undefined) this.#other ??= 'its runs that failed have forks: repeat one with svc-sim run'
    else if (record.planted !== planted) this.#other ??= otherProgram(record.planted, planted)
    return record.forks === undefined && record.planted === planted
  }
}

async function runOfRecords(
  terminal: SimTerminal,
  file: string,
  { found, lacks }: RecordSearch,
): Promise<Result<ReadRun, readonly string[]>> {
  if (found === undefined) return err([`${file}: ${lacks}`])
  const read = await readScenario(terminal.disk, found.file)
  return read.ok ? ok({ ...read.value, seed: found.seed }) : read
}

/** Why its runs cannot be repeated with what is planted now. */
function otherProgram(then: string | undefined, now: string | undefined): string {
  if (then === undefined) return `its runs were of the program without ${now}: leave that out`
  return `its runs were of a program with ${then}: give ${now === undefined ? then : `that instead of ${now}`}`
}

/** The page for which the list was made: beside it, or among this program's own, identified by its content. */
async function runOfDecisions(
  terminal: SimTerminal,
  file: string,
  header: string,
): Promise<Result<ReadRun, readonly string[]>> {
  const reading = new DecisionReading(file)
  reading.line(header)
  const list = reading.end()
  if (!list.ok) return list
  const platform = terminal.createPlatform()
  try {
    for (const candidate of [...(await besides(terminal, file)), ...terminal.shippedScenarios()]) {
      const read = await readScenario(terminal.disk, candidate)
      if (!read.ok || pageOf(read.value.loaded, platform).hash !== list.value.page) continue
      return ok({ ...read.value, seed: list.value.seed })
    }
  } finally {
    platform.close()
  }
  const { scenario, seed } = list.value
  return err([
    `${file}: the page '${scenario}' is not in its folder: name the page instead of the list, with --seed ${seed}`,
  ])
}

/** Maximum number of pages in a folder that are read: a folder with more is not a folder of scenarios. */
const besideMax = 1_000

/** The pages in the folder of a file, by name. */
async function besides({ disk }: Pick<SimTerminal, 'disk'>, file: string): Promise<readonly string[]> {
  const slash = file.lastIndexOf('/')
  const folder = slash < 0 ? '.' : file.slice(0, slash + 1)
  const names = await disk.list(folder)
  if (!names.ok) return []
  const pages = names.value.filter((name) => /[.]ya?ml$/.test(name)).toSorted(compareText)
  return pages.slice(0, besideMax).map((name) => (slash < 0 ? name : `${folder}${name}`))
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** `1 violation`, `3 violations`. */
export function violationsText(count: number): string {
  return `${count} ${count === 1 ? 'violation' : 'violations'}`
}
