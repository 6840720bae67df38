import { err, ok, type Result } from '../../src/base/result.ts'
import type { InvariantCode } from '../checkers/checkers.ts'
import type { SeedRecord } from '../report/seed-record.ts'
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

/** Exit code of a campaign in which nothing failed, but some history of keys was not decided: nothing was shown. */
const undecided = 4

export interface SearchOptions {
  readonly workshop: Workshop
  readonly wallMs: () => number
  readonly hunt: Hunt
  /** Empty: the sound program. */
  readonly patches: readonly Patch[]
  /** The owner of the patches, for errors. */
  readonly owner: string
  readonly seeds: number
  /** Where to write the trace of the seed that failed. */
  readonly trace?: string | undefined
}

/**
 * Runs seeds 1, 2, 3 … of a hunt in a copy of the program until one fails. The error says why no search was possible.
 */
export async function search(options: SearchOptions): Promise<Result<Search, string>> {
  const { workshop, hunt, owner, seeds } = options
  const texts = patchedFiles(owner, [...hunt.tuning, ...options.patches], workshop.read)
  if (!texts.ok) return texts
  const startedMs = options.wallMs()
  const copy = workshop.copy(texts.value)
  try {
    let ran = 0
    let finding: Finding | undefined
    const file = workshop.scenario(`hunts/${hunt.name}.yaml`)
    // A planted bug is to be found by an invariant, not by what it keeps a run from.
    const argv = ['run', file, '--seeds', `1..${seeds}`, '--until-failure', '--json', '--no-demands', '--jobs', '1']
    const end = await copy.run(argv, (line) => {
      ran++
      finding ??= findingIn(JSON.parse(line) as SeedRecord)
    })
    if (end.exit === undefined) return err(`${owner}: seed ${ran + 1} of ${file} did not come to an end`)
    const isDone = finding === undefined ? end.exit === 0 && ran === seeds : end.exit === 1
    if (end.exit === undecided) return err(`${owner}: K1 could not be decided for some seed of 1..${seeds} of ${file}`)
    if (!isDone) return err(`${owner}: the copy ended with exit code ${end.exit} after ${ran} seeds: ${end.error}`)
    if (options.trace !== undefined && finding !== undefined) {
      const traced = await copy.run(
        ['run', file, '--seed', String(finding.seed), '--quiet', '--trace', options.trace],
        () => undefined,
      )
      if (traced.exit !== 1) return err(`${owner}: seed ${finding.seed} was not traced: ${traced.error}`)
    }
    return ok({ finding, seeds: ran, seconds: (options.wallMs() - startedMs) / 1000 })
  } finally {
    copy.remove()
  }
}

function findingIn({ seed, failures }: SeedRecord): Finding | undefined {
  const first = failures[0]
  return first === undefined ? undefined : { seed, code: first.code, message: `${first.place}: ${first.message}` }
}
