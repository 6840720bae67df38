import { describe, expect, it } from 'vitest'
import { plantedBugs } from '../../sim/self-test/planted-bugs.ts'
import { scenarioFile, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'

/** Found within a few seeds; all of them take many minutes. */
const easy = ['tail-kept', 'half-is-a-quorum', 'old-life-raises-the-dead']
const chosen = isLong ? plantedBugs.map(({ name }) => name) : easy

describe('svc-sim self-test', () => {
  it('finds planted bugs in copies of the built program, and nothing in the sound one', async () => {
    const bugs = chosen.flatMap((name) => ['--bug', name])
    const finished = await svcSim(['self-test', ...bugs, '--seeds', isLong ? '400' : '20', '--json'])
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
    const { exit, out } = await svcSim(['run', scenario, '--seeds', '1..2', '--json', '--until-failure'])
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
    ])
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ seed: 3, passed: false, failures: [{ atUs: 0 }] }])
    expect(exit).toBe(1)
  })
})
