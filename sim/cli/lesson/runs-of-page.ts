import { err, ok, type Result } from '../../../src/base/result.ts'
import { type NoRuns, type PageRuns, pageOfRuns } from '../../lessons/checking.ts'
import { everySeed, runPool } from '../../pool/pool.ts'
import { pageOf } from '../../pool/seed-runs.ts'
import { type SentPage, sentPage, WorkerDidNotStart } from '../../pool/warm-worker.ts'
import { hasFailed, type SeedRecord } from '../../report/seed-record.ts'
import { usualStallMs } from '../run-flags.ts'
import { Screen } from '../screen.ts'
import type { SimTerminal } from '../terminal.ts'

export interface PoolRuns extends PageRuns {
  /** Whether the first seed that fails ends the runs. */
  readonly untilFailure: boolean
  readonly jobs?: number | undefined
}

/** Runs a page over seeds; returns the records in the order of the seeds. */
export async function runsOfPage(
  runs: PoolRuns,
  terminal: SimTerminal,
): Promise<Result<readonly SeedRecord[], NoRuns>> {
  const loaded = pageOfRuns(runs)
  if (!loaded.ok) return loaded
  const platform = terminal.createPlatform()
  const page = sentPage(pageOf(loaded.value, platform), runs.text, true)
  platform.close()
  const records = await recordsOf(page, runs, terminal)
  if (!records.ok || !runs.untilFailure) return records
  // Further seeds after the first failure tell a student nothing new.
  const failed = records.value.findIndex(hasFailed)
  return failed === -1 ? records : ok(records.value.slice(0, failed + 1))
}

async function recordsOf(
  page: SentPage,
  { seeds, jobs, untilFailure }: PoolRuns,
  terminal: SimTerminal,
): Promise<Result<readonly SeedRecord[], NoRuns>> {
  const records: SeedRecord[] = []
  const count = seeds.last - seeds.first + 1
  const screen = new Screen(terminal, () => (count === 1 ? undefined : `${records.length} of ${count} runs`))
  try {
    await runPool({
      pages: [page],
      turns: everySeed([page], seeds),
      jobs: Math.min(jobs ?? terminal.cores, count),
      verify: false,
      untilFailure,
      confirm: false,
      searchStepsMax: undefined,
      startWorker: () => terminal.startWorker(usualStallMs),
      onRecord: (record) => void records.push(record),
    })
  } catch (cause) {
    if (!(cause instanceof WorkerDidNotStart)) throw cause
    return err({ kind: 'worker', message: `no process for the runs could be started: ${cause.message}` })
  } finally {
    screen.close()
  }
  return ok(records)
}
