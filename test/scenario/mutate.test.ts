import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { scenarioFile, svcSim } from './svc-sim.ts'

const small = `scenario: One server agrees with itself
cluster: { dc1: { servers: { count: 1 } } }
steps:
  - step: it leads
    eventually: { within: 20s, leader: exactly one }
`
const room = 'src/raft/core/quorum.ts'

interface Line {
  readonly kind: string
  readonly [name: string]: unknown
}

describe('svc-sim mutate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutate-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'lines.jsonl')
  const linesOf = (): readonly Line[] =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  it('runs the instrumented program as the program itself runs, and kills what breaks it', async () => {
    const scenario = scenarioFile(small)
    const listed = await svcSim(['mutate', '--room', room, '--sample', '1000', '--list'])
    const broken =
      /^([0-9a-f]{8}) {2}src\/raft\/core\/quorum\.ts:\d+:\d+ {2}return-nothing: /m.exec(listed.out)?.[1] ?? ''
    const flags = ['--room', room, '--mutant', broken, '--scenarios', scenario, '--seeds', '1..1', '--jobs', '1']
    const [finished, plain] = await Promise.all([
      svcSim(['mutate', ...flags, '--jsonl', file]),
      svcSim(['run', scenario, '--seeds', '1..1', '--json']),
    ])
    expect(finished).toMatchObject({ exit: 0 })
    const [head, run, mutant] = linesOf()
    expect(head).toMatchObject({ kind: 'head', rooms: [room] })
    expect(run).toMatchObject({ kind: 'run', seed: 1, isSound: true, trace: JSON.parse(plain.out).trace })
    expect(mutant).toMatchObject({ kind: 'mutant', id: broken, fate: 'killed', judge: scenario, seed: 1 })
    const anew = await svcSim(['mutate', ...flags, '--jsonl', file])
    expect(anew).toMatchObject({ exit: 2, err: expect.stringContaining('add --resume to go on with it') })
    const again = await svcSim(['mutate', ...flags, '--jsonl', file, '--resume'])
    expect(again.out).toContain('100 %')
    expect(linesOf()).toEqual([head, run, mutant])
  })

  it('lets tests judge what no scenario kills', async () => {
    const listed = await svcSim(['mutate', '--room', room, '--sample', '1000', '--list'])
    // Where a leader takes the value that a majority has reached: with one server there is nothing to sort.
    const sorting = /^([0-9a-f]{8}) {2}\S+ {2}remove-statement: values\[at\] = value; /m.exec(listed.out)?.[1] ?? ''
    rmSync(file, { force: true })
    const tests = 'test/unit/raft-core/committing.test.ts'
    // As a shell may complete it.
    const named = `./${tests}/`
    const flags = ['--room', room, '--mutant', sorting, '--scenarios', scenarioFile(small), '--seeds', '1..1']
    const finished = await svcSim(['mutate', ...flags, '--jobs', '1', '--jsonl', file, '--tests', named])
    expect(finished).toMatchObject({ exit: 0 })
    const [, , mutant, covered, tested] = linesOf()
    expect(mutant).toMatchObject({ kind: 'mutant', id: sorting, fate: 'not reached' })
    expect(covered).toMatchObject({ kind: 'test file', file: tests, isSound: true })
    expect(tested).toMatchObject({ kind: 'tested', id: sorting, fate: 'killed', reaching: 1, tried: 1 })
    expect(tested?.['test']).toContain(`${tests}: committing (paper 5.3, 5.4.2)`)
  })

  it('judges checkers by scenarios, too', async () => {
    const checker = 'sim/checkers/raft/election-safety.ts'
    const listed = await svcSim(['mutate', '--room', checker, '--sample', '1000', '--list'])
    const uncounted =
      /^([0-9a-f]{8}) {2}\S+ {2}remove-statement: this\.#judge\.judged\('R1'\);/m.exec(listed.out)?.[1] ?? ''
    rmSync(file, { force: true })
    const flags = ['--room', checker, '--mutant', uncounted, '--bug', 'csr-for-another-service-accepted', '--jobs', '1']
    const scenario = scenarioFile(small.replace('steps:', 'demands: { judged: { R1: 1 } }\nsteps:'))
    await svcSim(['mutate', ...flags, '--scenarios', scenario, '--seeds', '1..1', '--jsonl', file])
    expect(linesOf().at(-1)).toMatchObject({ id: uncounted, fate: 'killed', killer: 'expectation', judge: scenario })
  })

  it('lists what no run does', async () => {
    const { exit, out } = await svcSim([
      ...['mutate', '--room', room, '--never', '--scenarios', scenarioFile(small), '--seeds', '1..1', '--jobs', '1'],
    ])
    expect(exit).toBe(0)
    const [file, ...lines] = out.trimEnd().split('\n')
    expect(file).toBe(room)
    // With one server there is nothing to sort.
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}\d+:\d+ +never reached: /))
    expect(lines.at(-1)).toMatch(/^\| src\/raft\/core\/quorum[.]ts +\|/)
  })

  it.each<[string, readonly string[], RegExp]>([
    ['what no run does beside a list', ['--room', room, '--never', '--list'], /'--never' cannot be used with/],
    [
      'a room that is not there',
      ['--room', 'src/raft/cord'],
      /^src\/raft\/cord: the built program has no module there/,
    ],
    [
      'tests that are not there',
      ['--room', room, '--tests', 'test/unit/raft-cord'],
      /^--tests test\/unit\/raft-cord: \S+ has no file of tests there$/m,
    ],
    [
      'a folder without tests of this program',
      ['--room', room, '--tests', '.'],
      /^--tests \.: \S+ has no file of tests there$/m,
    ],
    ['checkers beside the agent', ['--room', 'sim/checkers', '--room', 'src/store'], /run them apart/],
  ])('refuses %s with exit code 2', async (_, args, message) => {
    const { exit, err } = await svcSim(['mutate', ...args])
    expect(err).toMatch(message)
    expect(exit).toBe(2)
  })

  it('leaves no file of a campaign behind that it refuses', async () => {
    const refused = join(folder, 'refused.jsonl')
    const argv = ['mutate', '--room', room, '--scenarios', 'nowhere.yaml', '--jsonl', refused]
    expect(await svcSim(argv)).toMatchObject({ exit: 2, err: expect.stringMatching(/^nowhere\.yaml: there is no /) })
    expect(existsSync(refused)).toBe(false)
  })
})
