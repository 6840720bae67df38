import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { crowdedActions, filledPage, languageTables } from '../../tools/language-page.ts'

const path = join(new URL('../../..', import.meta.url).pathname, 'docs/scenarios.md')
const page = readFileSync(path, 'utf8')

describe('the page of the scenario language', () => {
  it('has the tables that the schema gives (SVC_WRITE_DOCS=1 writes them)', () => {
    const filled = filledPage(page)
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, filled)
    else expect(page).toBe(filled)
  })

  it('has a place for every table', () => {
    const tables = languageTables()
    for (const name of tables.keys()) expect(page).toContain(`<!-- table: ${name} -->`)
    const places = [...page.matchAll(/<!-- table: (.*) -->/g)].map(([, name = '']) => name)
    expect(places.filter((name) => !tables.has(name))).toEqual([])
  })

  it('describes every key', () => {
    const missing: string[] = []
    for (const text of languageTables().values()) {
      const bare = text.split('\n').filter((line) => /^\| `[^`]+` \| *\|$/.test(line))
      missing.push(...bare)
    }
    expect(missing).toEqual([])
  })

  it('has rows in every table, and a table for each action with more keys than fit into a row', () => {
    const tables = languageTables()
    expect([...tables].filter(([, text]) => text.split('\n').length < 3).map(([name]) => name)).toEqual([])
    // These take conditions, which have their table.
    const ofConditions = ['eventually', 'always', 'never', 'expect']
    expect(crowdedActions().filter((name) => !ofConditions.includes(name) && !tables.has(name))).toEqual([])
  })

  it('shows a scenario that is in the language', () => {
    const shown = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const loaded = loadScenario('page.yaml', shown)
    expect(loaded.ok ? [] : loaded.error.map(problemText)).toEqual([])
  })
})
