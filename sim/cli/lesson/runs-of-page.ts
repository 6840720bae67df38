import type { SeedsOfTask } from '../../lessons/seed-range.ts'
import { everySeed, runPool } from '../../pool/pool.ts'
import { pageOf } from '../../pool/seed-runs.ts'
import { sentPage } from '../../pool/warm-worker.ts'
import { hasFailed, type SeedRecord } from '../../report/seed-record.ts'
import { loadScenario } from '../../scenario/language/load.ts'
import { usualStallMs } from '../run-flags.ts'
import { Screen } from '../screen.ts'
import type { SimTerminal } from '../terminal.ts'

/**
 * Runs a page over seeds, up to the first that fails. Returns a text if the page cannot be run together with the parts
 * that the check adds.
 */
export async function runsOfPage(
  file: string,
  text: string,
  seeds: SeedsOfTask,
  { jobs }: { readonly jobs?: number },
  terminal: SimTerminal,
): Promise<readonly SeedRecord[] | string> {
  const loaded = loadScenario(file, text)
  if (!loaded.ok) {
    const [first] = loaded.error
    return `with what the check adds, the page is not well formed: ${first?.message}`
  }
  const platform = terminal.createPlatform()
  const page = sentPage(pageOf(loaded.value, platform), text, true)
  platform.close()
  const records: SeedRecord[] = []
  const count = seeds.last - seeds.first + 1
  const screen = new Screen(terminal, () => (count === 1 ? undefined : `${records.length} of ${count} runs`))
  try {
    await runPool({
      pages: [page],
      turns: everySeed([page], seeds),
      jobs: Math.min(jobs ?? terminal.cores, count),
      verify: false,
      untilFailure: true,
      confirm: false,
      searchStepsMax: undefined,
      startWorker: () => terminal.startWorker(usualStallMs),
      onRecord: (record) => void records.push(record),
    })
  } finally {
    screen.close()
  }
  // Further seeds after the first failure tell a student nothing new.
  const failed = records.findIndex(hasFailed)
  return failed === -1 ? records : records.slice(0, failed + 1)
}
