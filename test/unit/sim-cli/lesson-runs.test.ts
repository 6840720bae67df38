import { expect, it } from 'vitest'
import { runsOfPage } from '../../../sim/cli/lesson/runs-of-page.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { WorkerSaid } from '../../../sim/pool/worker.ts'

const page = 'scenario: One\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\n'

/** A terminal whose workers end before they are ready. */
const terminal: Pick<SimTerminal, 'createPlatform' | 'screen' | 'cores' | 'startWorker' | 'every' | 'error' | 'out'> = {
  createPlatform,
  screen: { live: false, columns: 80, colour: false },
  cores: 2,
  every: () => ({ close: () => undefined }),
  error: () => undefined,
  out: () => undefined,
  startWorker: () => ({
    send: () => undefined,
    next: async (): Promise<WorkerSaid> => ({ end: { code: 1, signal: undefined, errors: 'out of processes' } }),
    kill: () => undefined,
  }),
}

it('says that no process could be started, which is no judgement on the page', async () => {
  const runs = { file: 'one.yaml', text: page, seeds: { first: 1, last: 2 }, untilFailure: true }
  const made = await runsOfPage(runs, terminal as SimTerminal)
  expect(made).toMatchObject({ ok: false, error: { kind: 'worker' } })
  expect(made.ok ? '' : made.error.message).toMatch(
    /^no process for the runs could be started: [\s\S]*out of processes/,
  )
})

it('says what is wrong with a page together with what a check adds', async () => {
  const runs = { file: 'one.yaml', text: `${page}no such key: 1\n`, seeds: { first: 1, last: 1 }, untilFailure: true }
  const made = await runsOfPage(runs, terminal as SimTerminal)
  expect(made).toMatchObject({ ok: false, error: { kind: 'page' } })
})
