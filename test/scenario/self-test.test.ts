import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plantedBugs } from '../../sim/self-test/planted-bugs.ts'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'

/**
 * One of gossip, found within a few seeds; all of them take many minutes. What is installed finds `tail-kept`, of
 * consensus (test/e2e/package.test.ts).
 */
const easy = ['old-life-raises-the-dead']
const chosen = isLong ? plantedBugs.map(({ name }) => name) : easy

describe('svc-sim self-test', () => {
  it('finds planted bugs in copies of the built program, and nothing in the sound one', async () => {
    const bugs = chosen.flatMap((name) => ['--bug', name])
    const finished = await svcSim(['self-test', ...bugs, '--seeds', isLong ? '400' : '6', '--json'])
    expect(finished.err).toBe('')
    const rows = finished.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.filter(({ passed }) => !passed)).toEqual([])
    expect(rows.flatMap(({ bug }) => bug ?? []).sort()).toEqual([...chosen].sort())
    expect(finished.exit).toBe(0)
  })

  it.each([
    ['a bug that nobody has planted', ['--bug', '99'], /^no planted bug is called '99'/],
    ['no seeds at all', ['--seeds', '0'], /Write a number from 1 to/],
  ])('refuses %s with exit code 2', async (_, args, message) => {
    const { exit, err } = await svcSim(['self-test', ...args])
    expect(err).toMatch(message)
    expect(exit).toBe(2)
  })
})

const quiet = `scenario: One server
seed: 3
cluster:
  dc1:
    servers: { count: 1 }
lasts: 1s
`

describe('svc-sim shrink', () => {
  it('makes the page of a planted bug smaller, which fails by itself', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'svc-shrink-')), 'tail.yaml')
    onTestFinished(() => rmSync(dirname(out), { recursive: true, force: true }))
    const runs = isLong ? '200' : '4'
    const finished = await svcSim([
      'shrink',
      '--bug',
      'tail-kept',
      '--seed',
      '5',
      '--runs',
      runs,
      '--jobs',
      '1',
      '-o',
      out,
    ])
    expect(finished.out).toMatch(/^shrunk: P1 \(no panic\): s\d panics: log entries follow each other /)
    expect(finished.exit).toBe(0)
    const page = readFileSync(out, 'utf8')
    expect(page).toMatch(/^seed: \d+$/m)
    expect(page).toMatch(/^# after: 3 servers, 1 workload group, 1 fault, \d\.\d virtual s$/m)
    const checked = await svcSim(['check', out])
    expect(checked).toMatchObject({ exit: 0, err: '' })
  })

  it('has nothing to do where the seed of the page passes', async () => {
    const { exit, err } = await svcSim(['shrink', scenarioFile(quiet)])
    expect([exit, err]).toEqual([2, expect.stringContaining('seed 3 does not fail: there is nothing to shrink')])
  })

  it.each([
    ['nothing', [], /^name a scenario, its records, or --bug/],
    ['a budget without a unit', ['x.yaml', '--budget', '60'], /write a time such as 60s/],
  ])('refuses %s with exit code 2', async (_, args, message) => {
    const { exit, err } = await svcSim(['shrink', ...args])
    expect(err).toMatch(message)
    expect(exit).toBe(2)
  })
})

const impossible = `scenario: Nobody can lead at once
cluster:
  dc1:
    servers: { count: 1 }
steps:
  - step: somebody leads before any time has passed
    expect: { leader: exactly one }
`

describe('svc-sim run', () => {
  it('writes a line of JSON for each seed, and nothing else', async () => {
    const scenario = 'scenarios/hunts/two-and-two.yaml'
    const { exit, out } = await svcSim(['run', scenario, '--seeds', '1..2', '--json', '--until-failure', ...oneJob])
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { file: scenario, seed: 1, passed: true, failures: [] },
      { file: scenario, seed: 2, passed: true, failures: [] },
    ])
    expect(exit).toBe(0)
  })

  it('stops at the first seed that fails, if it is told to', async () => {
    const { exit, out } = await svcSim([
      'run',
      scenarioFile(impossible),
      '--seeds',
      '3..5',
      '--json',
      '--until-failure',
      ...oneJob,
    ])
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ seed: 3, passed: false, failures: [{ atUs: 0 }] }])
    expect(exit).toBe(1)
  })
})
