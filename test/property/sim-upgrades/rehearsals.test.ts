import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { planUpgrade } from '../../../sim/upgrades/plan.ts'
import { rehearsalText } from '../../../sim/upgrades/rehearsal.ts'
import { type Release, releaseText } from '../../../src/model/release.ts'
import { everyPair } from '../../tools/every-release.ts'

/** In the gate every fifth pair. */
const stride = process.env['SVC_TEST_LONG'] === '1' ? 1 : 5
const tried = everyPair()
  .map((pair, at) => ({ pair, at }))
  .filter(({ at }) => stride === 1 || at % stride === 1)

describe('the rehearsal of a plan', () => {
  it('is tried with every release', () => {
    const releases = (pairs: readonly { readonly pair: readonly Release[] }[]) =>
      new Set(pairs.flatMap(({ pair }) => pair.map(releaseText)))
    expect(releases(tried)).toEqual(releases(everyPair().map((pair) => ({ pair }))))
  })

  it('is in the language of scenarios, for pairs of all releases', () => {
    for (const { pair, at } of tried) {
      const [from, to] = pair
      const plan = planUpgrade({
        from,
        to,
        servers: 1 + (Math.floor(at / stride) % 5),
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
