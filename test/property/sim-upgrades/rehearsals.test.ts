import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { planUpgrade } from '../../../sim/upgrades/plan.ts'
import { rehearsalText } from '../../../sim/upgrades/rehearsal.ts'
import { releaseText } from '../../../src/model/release.ts'
import { everyPair } from '../../tools/every-release.ts'

/** In the gate every seventh pair; each release is in some of them. */
const stride = process.env['SVC_TEST_LONG'] === '1' ? 1 : 7

describe('the rehearsal of a plan', () => {
  it('is in the language of scenarios, for pairs of all releases', () => {
    for (const [at, [from, to]] of everyPair().entries()) {
      if (at % stride !== 0) continue
      const plan = planUpgrade({
        from,
        to,
        servers: 1 + (at % 5),
        clients: at % 3,
        datacenters: at % 2 === 0 ? ['dc1'] : ['dc1', 'dc2'],
        accessControl: false,
        through: at % 17 === 0 ? 'every' : 'needed',
      })
      if (!plan.ok) throw new Error(plan.error)
      const loaded = loadScenario('rehearsal.yaml', rehearsalText(plan.value, 'svc-sim plan'))
      expect(loaded.ok ? [] : loaded.error.map(problemText), `${releaseText(from)} to ${releaseText(to)}`).toEqual([])
    }
  })
})
