import { describe, expect, it } from 'vitest'
import { mutants } from './mutants.ts'
import { checkFit, mutantCore } from './mutation.ts'
import { soundCore } from './sound-core.ts'
import { failureOf } from './world.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
const controlSeeds = long ? 100 : 2
/** Of the core as it is written into a file of its own: enough to see that it is the sound one. */
const unpatchedSeeds = long ? 10 : 3
/** Those that few seeds find take their budget; by default only the others run. */
const commonBudgetMax = 100

describe('the model world finds planted bugs', () => {
  it('which all fit the source', () => {
    for (const { patches } of mutants) checkFit(patches)
  })

  for (const [number, mutant] of mutants.entries()) {
    if (!long && mutant.budget > commonBudgetMax) continue
    it(`${mutant.name}: found within ${mutant.budget} seeds`, async () => {
      const core = await mutantCore(`mutant-${number}`, mutant.patches)
      let foundBy: number | undefined
      for (let seed = 1; seed <= mutant.budget && foundBy === undefined; seed++) {
        if (failureOf(core, seed, mutant.knobs) !== undefined) foundBy = seed
      }
      expect(foundBy).toBeDefined()
    })
  }

  it('finds nothing in the sound core under the same knobs', () => {
    // Several have the same knobs, and with them the sound core does the same.
    const settings = new Map(mutants.map(({ name, knobs }) => [JSON.stringify(knobs), { name, knobs }]))
    for (const { name, knobs } of settings.values()) {
      for (let seed = 1; seed <= controlSeeds; seed++) {
        expect([name, seed, failureOf(soundCore, seed, knobs)]).toEqual([name, seed, undefined])
      }
    }
  })

  it('finds nothing in a copy of the core without a patch', async () => {
    const core = await mutantCore('unpatched', [])
    for (let seed = 1; seed <= unpatchedSeeds; seed++) expect([seed, failureOf(core, seed)]).toEqual([seed, undefined])
  })

  it('says so when a patch no longer fits the source', async () => {
    const patch = { file: 'commit.ts', find: 'no such text', replace: '' }
    await expect(mutantCore('unfit', [patch])).rejects.toThrow('does not hold the text once')
  })
})
