import { err, ok, type Result } from '../../src/base/result.ts'
import type { InvariantCode } from '../checkers/checkers.ts'
import { everySeed, runPool } from '../pool/pool.ts'
import { type SentPage, WorkerDidNotStart } from '../pool/warm-worker.ts'
import type { Worker } from '../pool/worker.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import { type Hunt, hunts } from './hunts.ts'
import { type Patch, patchedFiles } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'
import type { ProgramCopy, Workshop } from './workshop.ts'

/** The first seed of a hunt that failed. */
export interface Finding {
  readonly seed: number
  /** The invariant that was broken first; undefined: an expectation of the scenario was not met first. */
  readonly code: InvariantCode | undefined
  readonly message: string
}

export interface Search {
  readonly finding: Finding | undefined
  /** Number of seeds that were run up to the finding. */
  readonly seeds: number
  readonly seconds: number
  /** Of the seeds that were run for the rate, each that failed. */
  readonly findings: readonly Finding[]
}

export interface SearchOptions {
  readonly workshop: Workshop
  readonly wallMs: () => number
  readonly hunt: Hunt
  /** The scenario of the hunt. */
  readonly page: SentPage
  /** Empty: the sound program. */
  readonly patches: readonly Patch[]
  /** The owner of the patches, for errors. */
  readonly owner: string
  readonly seeds: number
  /** Seeds that are run in any case, so that a rate can be told; 0: the first one that fails ends the search. */
  readonly rate: number
  /** Where to write the trace of the seed that failed. */
  readonly trace?: string | undefined
}

/** CPU time that a seed of a hunt may use while its virtual time stands still, in milliseconds. */
const stallCpuMs = 300_000

/** The texts of the modules with this bug, tuned as its hunt is; the error says which text does not fit. */
export function plantedTexts(
  { read }: Pick<Workshop, 'read'>,
  { name, hunt, patches }: PlantedBug,
): Result<ReadonlyMap<string, string>, string> {
  const tuning = hunts.find((each) => each.name === hunt)?.tuning ?? []
  return patchedFiles(name, [...tuning, ...patches], read)
}

/** A copy of the program with this bug. */
export function plantedCopy(workshop: Workshop, bug: PlantedBug): Result<ProgramCopy, string> {
  const texts = plantedTexts(workshop, bug)
  return texts.ok ? ok(workshop.copy(texts.value, 'linked')) : texts
}

/**
 * Runs seeds 1, 2, 3 … of a hunt in a copy of the program until one fails, or as many as a rate is asked of. The error
 * says why no search was possible.
 */
export async function search(options: SearchOptions): Promise<Result<Search, string>> {
  const { workshop, hunt, page, owner, seeds, rate } = options
  const texts = patchedFiles(owner, [...hunt.tuning, ...options.patches], workshop.read)
  if (!texts.ok) return texts
  const startedMs = options.wallMs()
  const copy = workshop.copy(texts.value, 'linked')
  try {
    const records = await searched(page, { rate, seeds }, () => copy.startWorker(stallCpuMs))
    if (!records.ok) return err(`${owner}: ${records.error}`)
    const first = records.value.find((record) => record.trace === null || hasFailed(record))
    if (first?.trace === null) {
      const { seed, file, verdict, notes } = first
      return err(`${owner}: seed ${seed} of ${file} did not come to an end: ${[verdict, ...notes].join('\n')}`)
    }
    const isOpen = records.value.some(({ verdict }) => verdict === 'undecided')
    if (isOpen && first === undefined) {
      return err(`${owner}: K1 could not be decided for some seed of 1..${seeds} of ${page.loaded.file}`)
    }
    const finding = first === undefined ? undefined : findingIn(first)
    if (options.trace !== undefined && finding !== undefined) {
      const argv = ['run', page.loaded.file, '--seed', String(finding.seed), '--quiet', '--trace', options.trace]
      const traced = await copy.run(argv, () => undefined)
      if (traced.exit !== 1) return err(`${owner}: seed ${finding.seed} was not traced: ${traced.error}`)
    }
    const seconds = (options.wallMs() - startedMs) / 1000
    const upTo = finding === undefined ? records.value.length : finding.seed
    const rated = records.value.filter(({ seed, trace }) => seed <= rate && trace !== null)
    const findings = rated.map(findingIn).filter((one) => one !== undefined)
    return ok({ finding, seeds: upTo, seconds, findings })
  } finally {
    copy.remove()
  }
}

/** The records of the seeds of the rate; if none of them failed, of the further ones up to the first one that does. */
async function searched(
  page: SentPage,
  { rate, seeds }: Pick<SearchOptions, 'rate' | 'seeds'>,
  start: () => Worker,
): Promise<Result<readonly SeedRecord[], string>> {
  const rated = rate === 0 ? ok([]) : await recordsOf(page, { first: 1, last: rate }, false, start)
  if (!rated.ok || rate >= seeds || rated.value.some(hasFailed)) return rated
  const more = await recordsOf(page, { first: rate + 1, last: seeds }, true, start)
  return more.ok ? ok([...rated.value, ...more.value]) : more
}

async function recordsOf(
  page: SentPage,
  span: { readonly first: number; readonly last: number },
  untilFailure: boolean,
  start: () => Worker,
): Promise<Result<readonly SeedRecord[], string>> {
  const records: SeedRecord[] = []
  try {
    await runPool({
      pages: [page],
      turns: everySeed([page], span),
      jobs: 1,
      verify: false,
      untilFailure,
      // What is planted is meant to fail, and a fresh process would run all that is planted again.
      confirm: false,
      searchStepsMax: undefined,
      startWorker: start,
      onRecord: (record) => void records.push(record),
    })
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return err(cause.message)
    throw cause
  }
  return ok(records)
}

function findingIn({ seed, failures }: SeedRecord): Finding | undefined {
  const first = failures[0]
  return first === undefined ? undefined : { seed, code: first.code, message: `${first.place}: ${first.message}` }
}
