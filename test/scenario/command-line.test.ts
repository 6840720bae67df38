import { describe, expect, it } from 'vitest'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

const sound = `scenario: A quiet cluster
cluster:
  dc1:
    servers: { count: 3 }
    config: { performance: { raft_multiplier: 1 } }
steps:
  - step: the servers meet and elect a leader
    eventually: { within: 20s, leader: exactly one }
`

describe('svc-sim run', () => {
  it('runs the seed of the page and tells a story with virtual times, and a verdict with seed, events and trace hash', async () => {
    const { exit, out, err } = await svcSim(['run', scenarioFile(`seed: 3\n${sound}`)])
    expect(err).toBe('')
    expect(exit).toBe(0)
    expect(out).toMatch(/^ +0\.000s \* the servers meet and elect a leader$/m)
    expect(out).toMatch(/^ +\d+\.\d{3}s {3}s[123] leads$/m)
    expect(out).toMatch(/^passed: A quiet cluster, seed 3$/m)
    expect(out).toMatch(/^ {2}trace [0-9a-f]{64}$/m)
  })

  it('exits with 1 when something is not met, says where, and how to see it again', async () => {
    const file = scenarioFile(`${sound}  - step: nobody leads
    expect: { leader: none }
`)
    const { exit, out } = await svcSim(['run', file, '--seed', '3'])
    expect(exit).toBe(1)
    // The verdict, what it was about and why are on one stream, next to each other.
    const told =
      /^FAILED: A quiet cluster, seed 3\n.*\n {2}trace [0-9a-f]{64}\n(.*)\n(?:.*\n)*(seed 3; .*)\nmake it smaller with: svc-sim shrink .* --seed 3\nexplain it with: svc-sim explain .* --seed 3\n$/m.exec(
        out,
      )
    expect(told?.[1]).toMatch(/^ +\d+\.\d{3}s .*test\.yaml:10:5: expected leader: none: s[123] leads$/)
    const command = /^seed 3; repeat with: svc-sim (.+)$/.exec(told?.[2] ?? '')?.[1]
    expect(command).toBe(`run ${file} --seed 3`)
    const again = await svcSim((command ?? '').split(' '))
    expect(again.out).toContain(told?.[1])
  })

  it('fails where an upgrade is to be refused and is not, is for another reason, or is though it must not be', async () => {
    const lone = sound.replace('count: 3', 'count: 1, release: 0.9.3, config: { recursor: 10.0.9.9 }')
    const steps = [
      ['to: 0.9.0, refused: recursor', 's1 starts, but it must refuse to start'],
      ['to: 1.0.0, refused: something else', 's1 does not start, but for another reason: invalid config key recursor'],
      ['to: 1.0.0', 's1 does not start: invalid config key recursor'],
    ] as const
    for (const [step, said] of steps) {
      const file = scenarioFile(`${lone}  - step: an upgrade\n    upgrade: { nodes: s1, ${step} }\n`)
      const { exit, out } = await svcSim(['run', file])
      expect([exit, out]).toEqual([1, expect.stringContaining(said)])
    }
  })

  it('runs every seed of a range, one line each, and counts those that failed', async () => {
    const { exit, out } = await svcSim(['run', scenarioFile(sound), '--seeds', '1..3', '--verify', ...oneJob])
    expect(exit).toBe(0)
    expect(out.match(/^seed [123], passed twice, .* trace [0-9a-f]{16}$/gm)).toHaveLength(3)
    expect(out).toMatch(/^A quiet cluster: all 3 seeds passed$/m)
  })
})

describe('bad usage', () => {
  const misuses: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['rnu', 'x.yaml'], /unknown command 'rnu'/],
    ['an unknown option', ['run', 'x.yaml', '--sede', '1'], /unknown option '--sede'/],
    ['no file', ['run'], /^name a scenario, or --bug$/m],
    ['a seed that is no number', ['run', 'x.yaml', '--seed', 'many'], /--seed.* Write a whole number/],
    ['a range the wrong way round', ['run', 'x.yaml', '--seeds', '9..1'], /--seeds.* Write a range/],
    ['a seed and seeds', ['run', 'x.yaml', '--seed', '1', '--seeds', '1..2'], /give either --seed or --seeds/],
    ['a file that is not there', ['run', 'nowhere.yaml'], /^nowhere\.yaml: there is no such file/],
    ['a directory', ['check', 'scenarios'], /^scenarios: is a directory/],
    [
      'one file for two outputs',
      ['run', 'x.yaml', '--trace', 'x.out', '--jsonl', './x.out'],
      /^--trace x\.out and --jsonl \.\/x\.out are one file/,
    ],
    [
      'a scenario as the file of a campaign',
      ['explore', 'package.json', '--seeds', '1..1', '--jsonl', './package.json'],
      /^--jsonl .* would overwrite the scenario package\.json/,
    ],
    [
      'one file for two outputs of mutate',
      ['mutate', '--room', 'src/raft/core', '--jsonl', 'x.out', '--markdown', './x.out'],
      /^--jsonl x\.out and --markdown \.\/x\.out are one file/,
    ],
    [
      'one file for two outputs of self-test',
      ['self-test', '--bug', 'tail-kept', '--trace', 'x.out', '--markdown', './x.out'],
      /^--markdown \.\/x\.out and --trace x\.out are one file/,
    ],
    [
      'a scenario as output',
      ['run', 'package.json', '--junit', 'bin/../package.json'],
      /^--junit .* would overwrite the scenario package\.json/,
    ],
  ]
  it.each(misuses)('%s is refused with exit code 2', async (_, args, message) => {
    const { exit, out, err } = await svcSim(args)
    expect(err).toMatch(message)
    expect(out).toBe('')
    expect(exit).toBe(2)
  })

  it('a bad scenario is one line with its place, exit code 2, and nothing runs', async () => {
    for (const command of ['run', 'check']) {
      const file = scenarioFile(sound.replace('eventually', 'evantually'))
      const { exit, out, err } = await svcSim([command, file])
      expect(err).toBe(`${file}:8:5: unknown key 'evantually': did you mean 'eventually'?\n`)
      expect(out).toBe('')
      expect(exit).toBe(2)
    }
  })
})

describe('svc-sim', () => {
  it('explains itself with examples', async () => {
    const { exit, out } = await svcSim(['--help'])
    expect(exit).toBe(0)
    expect(out).toContain('svc-sim run scenarios/crash-and-recover.yaml')
    // Spans and ranges, and not the numbers and objects that they are parsed to.
    const mutate = await svcSim(['mutate', '--help'])
    expect(mutate.out.match(/default: [^)]*/g)).toEqual(
      ['20', '"1"', '30s', '1..2'].map((value) => `default: ${value}`),
    )
  })

  it('checks scenarios without running them', async () => {
    const file = scenarioFile(sound)
    expect(await svcSim(['check', file])).toEqual({ exit: 0, out: `${file}: ok, A quiet cluster\n`, err: '' })
  })

  it('writes the JSON Schema of the language', async () => {
    const { exit, out } = await svcSim(['schema'])
    expect(exit).toBe(0)
    const schema = JSON.parse(out)
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(Object.keys(schema.properties)).toContain('steps')
    expect(schema.required).toEqual(['scenario', 'cluster'])
  })
})
