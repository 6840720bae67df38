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
    expect(finished.err).toBe('')
    expect(finished.exit).toBe(0)
  })
})
