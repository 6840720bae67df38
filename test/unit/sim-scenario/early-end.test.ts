import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import type { EarlyEnd } from '../../../sim/scenario/run-outcome.ts'

/** No cluster elects a leader and writes within ten milliseconds, so it does not come to rest in time. */
const page = `scenario: Too little time to come to rest
cluster: { dc1: { servers: { count: 1 } } }
lasts: 20ms
quiet: { within: 10ms }
`

async function run(ends: EarlyEnd | undefined) {
  const loaded = loadScenario('page.yaml', page)
  if (!loaded.ok) expect.fail(JSON.stringify(loaded.error))
  const platform = createPlatform()
  const { failures, virtualUs } = await new ScenarioRun({ loaded: loaded.value, seed: 1, platform, ends }).run()
  platform.close()
  return { codes: failures.map(({ code }) => code), virtualUs }
}

describe('an early end', () => {
  it('by the clock comes in the rest behind the page, too, which shows what fails until then and no more', async () => {
    const whole = await run(undefined)
    expect(whole.codes).toEqual(['L1'])
    expect(await run({ atUs: whole.virtualUs + 1 })).toEqual(whole)
    expect(await run({ atUs: 25_000 })).toMatchObject({ codes: [] })
    const early = await run({ atUs: 5_000 })
    expect(early.codes).toEqual([])
    expect(early.virtualUs).toBeLessThan(20_000)
  })

  it('behind the last fault comes before the rest', async () => {
    expect(await run({ afterFaultsMs: 1 })).toMatchObject({ codes: [] })
  })
})
