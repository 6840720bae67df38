import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tellAll } from './stories.ts'
import { projectRoot, svcSim } from './svc-sim.ts'

describe('every scenario', () => tellAll())

const kept = readdirSync(join(projectRoot, 'scenarios/regressions'))
const regressions = kept.filter((name) => name.endsWith('.yaml'))
const lists = kept.filter((name) => !name.endsWith('.yaml') && name !== 'README.md')

describe('every failure once found', () => {
  it.each(regressions)('%s stays mended', async (name) => {
    // The seed that failed stands in the name: `what-happened.seed-17.yaml`.
    const seed = /\.seed-(\d+)\.yaml$/.exec(name)?.[1] ?? '1'
    const finished = await svcSim(['run', `scenarios/regressions/${name}`, '--seed', seed, '--quiet'])
    expect(finished.exit, finished.out).toBe(0)
  })
})

/** A file of decisions stands beside its page: `what-happened.seed-17.decisions.gz`. */
const listName = /^(.+)\.seed-\d+\.decisions(?:\.gz)?$/

describe('every failure that is kept as a list of decisions', () => {
  it.each(lists)('%s is of a page, comes up, and stays mended', async (name) => {
    const page = `${listName.exec(name)?.[1] ?? '?'}.yaml`
    expect(regressions).toContain(page)
    const [file = '', list = ''] = [page, name].map((each) => `scenarios/regressions/${each}`)
    const finished = await svcSim(['run', file, '--replay', list, '--quiet'])
    expect(finished.exit, finished.out).toBe(0)
    // Where the names of decisions have changed it tells another story: then it is to be made anew.
    const [, missed = '0', listed = '1'] = / (\d+) of (\d+) decisions did not occur/.exec(finished.err) ?? []
    expect(Number(missed) / Number(listed), finished.err).toBeLessThan(0.5)
  })
})

const long = readdirSync(join(projectRoot, 'scenarios/long')).filter((name) => name.endsWith('.yaml'))

describe.runIf(process.env['SVC_TEST_LONG'] === '1')('what takes months', () => {
  it.each(long)('%s passes, twice with equal traces', async (name) => {
    const finished = await svcSim(['run', `scenarios/long/${name}`, '--seeds', '1..5', '--verify'])
    expect(finished.exit, finished.out).toBe(0)
  })
})
