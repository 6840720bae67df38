import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot, svcSim } from './svc-sim.ts'

/** Seeds of each scenario: enough to notice, or enough to trust. */
const seeds = process.env['SVC_TEST_LONG'] === '1' ? 200 : 4

const files = readdirSync(join(projectRoot, 'scenarios'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `scenarios/${name}`)

describe('every scenario', () => {
  it.each(files)('%s passes with every seed, twice with equal traces', async (file) => {
    const finished = await svcSim(['run', file, '--seeds', `1..${seeds}`, '--verify'])
    expect(`${finished.out}${finished.err}`).toContain(`all ${seeds} seeds passed`)
    expect(finished.exit).toBe(0)
    expect(finished.out.match(/passed twice/g)).toHaveLength(seeds)
  })
})

const regressions = readdirSync(join(projectRoot, 'scenarios/regressions')).filter((name) => name.endsWith('.yaml'))

describe('every failure once found', () => {
  it.each(regressions)('%s stays mended', async (name) => {
    // The seed that failed stands in the name: `what-happened.seed-17.yaml`.
    const seed = /\.seed-(\d+)\.yaml$/.exec(name)?.[1] ?? '1'
    const finished = await svcSim(['run', `scenarios/regressions/${name}`, '--seed', seed, '--quiet'])
    expect(finished.err).toBe('')
    expect(finished.exit).toBe(0)
  })
})
