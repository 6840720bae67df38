import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tellEveryOther } from './stories.ts'
import { projectRoot, svcSim } from './svc-sim.ts'

describe('every scenario', () => tellEveryOther(0))

const regressions = readdirSync(join(projectRoot, 'scenarios/regressions')).filter((name) => name.endsWith('.yaml'))

describe('every failure once found', () => {
  it.each(regressions)('%s stays mended', async (name) => {
    // The seed that failed stands in the name: `what-happened.seed-17.yaml`.
    const seed = /\.seed-(\d+)\.yaml$/.exec(name)?.[1] ?? '1'
    const finished = await svcSim(['run', `scenarios/regressions/${name}`, '--seed', seed, '--quiet'])
    expect(finished.exit, finished.out).toBe(0)
  })
})

const long = readdirSync(join(projectRoot, 'scenarios/long')).filter((name) => name.endsWith('.yaml'))

describe.runIf(process.env['SVC_TEST_LONG'] === '1')('what takes months', () => {
  it.each(long)('%s passes, twice with equal traces', async (name) => {
    const finished = await svcSim(['run', `scenarios/long/${name}`, '--seeds', '1..5', '--verify'])
    expect(finished.exit, finished.out).toBe(0)
  })
})
