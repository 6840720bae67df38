import { err, ok, type Result } from '../../src/base/result.ts'
import type { InvariantCode } from '../checkers/checkers.ts'
import { type SentPage, WorkerDidNotStart } from '../pool/lane.ts'
import { everySeed, runPool } from '../pool/pool.ts'
import type { Worker } from '../pool/worker.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'
import type { Hunt } from './hunts.ts'
import { type Patch, patchedFiles } from './patch.ts'
import type { Workshop } from './workshop.ts'

/** The first seed of a hunt that failed. */
export interface Finding {
  readonly seed: number
  /** The invariant that was broken first; undefined: an expectation of the scenario was not met first. */
  readonly code: InvariantCode | undefined
  readonly message: string
}

export interface Search {
  readonly finding: Finding | undefined
  /** Number of seeds that were run. */
  readonly seeds: number
  readonly seconds: number
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
  /** Where to write the trace of the seed that failed. */
  readonly trace?: string | undefined
}

/** CPU time that a seed of a hunt may use while its virtual time stands still, in milliseconds. */
const stallCpuMs = 300_000

/**
 * Runs seeds 1, 2, 3 … of a hunt in a copy of the program until one fails. The error says why no search was possible.
 */
export async function search(options: SearchOptions): Promise<Result<Search, string>> {
  const { workshop, hunt, page, owner, seeds } = options
  const texts = patchedFiles(owner, [...hunt.tuning, ...options.patches], workshop.read)
  if (!texts.ok) return texts
  const startedMs = options.wallMs()
  const copy = workshop.copy(texts.value)
  try {
    const records = await searched(page, seeds, () => copy.startWorker(stallCpuMs))
    if (!records.ok) return err(`${owner}: ${records.error}`)
    const last = records.value.at(-1)
    if (last?.trace === null) {
      const { seed, file, verdict, notes } = last
      return err(`${owner}: seed ${seed} of ${file} did not come to an end: ${[verdict, ...notes].join('\n')}`)
    }
    const isOpen = records.value.some(({ verdict }) => verdict === 'undecided')
    if (isOpen && !records.value.some(hasFailed)) {
      return err(`${owner}: K1 could not be decided for some seed of 1..${seeds} of ${page.loaded.file}`)
    }
    const finding = last === undefined ? undefined : findingIn(last)
    if (options.trace !== undefined && finding !== undefined) {
      const argv = ['run', page.loaded.file, '--seed', String(finding.seed), '--quiet', '--trace', options.trace]
      const traced = await copy.run(argv, () => undefined)
      if (traced.exit !== 1) return err(`${owner}: seed ${finding.seed} was not traced: ${traced.error}`)
    }
    const seconds = (options.wallMs() - startedMs) / 1000
    return ok({ finding, seeds: records.value.length, seconds })
  } finally {
    copy.remove()
  }
}

/** The records of seeds 1, 2, 3 … up to the first one that failed. */
async function searched(
  page: SentPage,
  seeds: number,
  start: () => Worker,
): Promise<Result<readonly SeedRecord[], string>> {
  const records: SeedRecord[] = []
  try {
    await runPool({
      pages: [page],
      turns: everySeed([page], { first: 1, last: seeds }),
      jobs: 1,
      verify: false,
      untilFailure: true,
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
