import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { projectRoot } from '../../tools/planted.ts'

/** A story is about a handful of things: a page that demands more has not chosen. */
const demandsMax = 7

const folder = join(projectRoot, 'scenarios')
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
const shipped = pages.filter((name) => !name.startsWith('regressions')).sort()

describe('every shipped scenario', () => {
  it.each(shipped)('%s demands what it is about', (name) => {
    const loaded = loadScenario(name, readFileSync(join(folder, name), 'utf8'))
    if (!loaded.ok) throw new Error(loaded.error.map(problemText).join('\n'))
    const { judged = {}, marks = {} } = loaded.value.scenario.demands ?? {}
    const inEachRun = [...Object.values(judged), ...Object.values(marks).filter((mark) => mark?.kind === 'every run')]
    expect(inEachRun.length).toBeGreaterThan(0)
    const isWide = name === 'chaos-raft.yaml'
    if (!isWide) expect(Object.keys(judged).length + Object.keys(marks).length).toBeLessThanOrEqual(demandsMax)
  })
})
