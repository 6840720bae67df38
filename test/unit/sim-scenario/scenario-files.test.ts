import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'

const root = new URL('../../..', import.meta.url).pathname

/** Every scenario file of the project. */
const files = ['scenarios', 'scenarios/long', 'scenarios/regressions', 'bench/workloads'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name)),
)

describe('a scenario of the project', () => {
  it('is there', () => {
    expect(files.length).toBeGreaterThan(3)
  })

  for (const file of files) {
    it(`${file} is in the language, and says what it is about`, () => {
      const loaded = loadScenario(file, readFileSync(join(root, file), 'utf8'))
      if (!loaded.ok) expect(loaded.error.map(problemText)).toEqual([])
      else expect(loaded.value.scenario.about?.length).toBeGreaterThan(100)
    })
  }
})
