import { everySeed, runPool } from '../../pool/pool.ts'
import { type SentPage, sentPage } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import { hasFailed } from '../../report/seed-record.ts'
import type { LoadedScenario } from '../../scenario/language/load.ts'

/** Maximum number of seeds of a hunt that are run until one fails. */
const seedsMax = 400

/** The first seed of the page that fails; undefined: none does. */
export async function firstFailure(
  { loaded, text }: { readonly loaded: LoadedScenario; readonly text: string },
  { startWorker, jobs }: { readonly startWorker: () => Worker; readonly jobs: number },
): Promise<number | undefined> {
  // A planted bug must be found by an invariant, not by an unmet demand.
  const page: SentPage = sentPage({ loaded, hash: '' }, text, false)
  let failed: number | undefined
  await runPool({
    pages: [page],
    turns: everySeed([page], { first: 1, last: seedsMax }),
    jobs,
    batchMax: 2,
    verify: false,
    untilFailure: true,
    confirm: false,
    searchStepsMax: undefined,
    startWorker,
    onRecord: (record) => {
      if (hasFailed(record)) failed ??= record.seed
    },
  })
  return failed
}
