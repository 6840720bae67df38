import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manifestSchema } from '../../sim/campaign/manifest.ts'
import { type SeedRecord, seedRecordSchema } from '../../sim/report/seed-record.ts'
import { svcSim } from './svc-sim.ts'

const page = `scenario: One server
cluster:
  dc1:
    servers: { count: 1 }
    config: { performance: { raft_multiplier: 1 } }
steps:
  - step: it leads
    eventually: { within: 5s, leader: exactly one }
`
/** Every seed of it fails. */
const hopeless = page.replace('One server', 'No time').replace('5s', '1ms')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-explore-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  writeFileSync(join(path, 'one.yaml'), page)
  writeFileSync(join(path, 'bad.yaml'), hopeless)
  return path
}

const recordsIn = (file: string): readonly SeedRecord[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => seedRecordSchema.parse(JSON.parse(line)))

const runsIn = (file: string) => recordsIn(file).map(({ scenario, seed, trace }) => `${seed} ${scenario} ${trace}`)

/** What was said, without what differs from run to run. */
const plain = (text: string) => text.replaceAll(/\d+ s of CPU time(, in [\d.]+ s)?|build [0-9a-f]{16}/g, '…')

describe('svc-sim explore', () => {
  it('makes in shares the runs of the whole, seed by seed over all scenarios, and merge says the same of both', async () => {
    const cwd = folder()
    const pages = ['one.yaml', 'bad.yaml', '--seeds', '1..4', '--jobs', '1']
    const whole = await svcSim(['explore', ...pages, '--jsonl', 'whole.jsonl'], { cwd })
    const shares = [1, 2].map((index) =>
      svcSim(['explore', ...pages, '--shard', `${index}/2`, '--jsonl', `${index}.jsonl`], { cwd }),
    )
    expect((await Promise.all(shares)).map(({ exit }) => exit)).toEqual([1, 1])
    const all = runsIn(join(cwd, 'whole.jsonl'))
    expect(all).toHaveLength(8)
    expect(
      recordsIn(join(cwd, 'whole.jsonl'))
        .map(({ seed, scenario }) => `${seed} ${scenario}`)
        .slice(0, 3),
    ).toEqual(['1 One server', '1 No time', '2 One server'])
    const parts = [1, 2].map((index) => runsIn(join(cwd, `${index}.jsonl`)))
    expect(new Set(parts.flat())).toEqual(new Set(all))
    expect(parts.flat()).toHaveLength(all.length)
    const [one, two] = await Promise.all([
      svcSim(['merge', 'whole.jsonl'], { cwd }),
      svcSim(['merge', '2.jsonl', '1.jsonl'], { cwd }),
    ])
    expect({ ...two, out: plain(two.out) }).toEqual({ ...one, out: plain(one.out) })
    expect(one.exit).toBe(1)
    // Of one kind the first failures are told and kept with their reasons, the others are counted.
    expect(whole.out.match(/^No time, seed \d, FAILED/gm)).toHaveLength(3)
    expect(whole.out).toMatch(
      /^4 failures of kind [0-9a-f]{16}, in No time\n {2}seed 1 of No time, FAILED: bad\.yaml:8:5: /m,
    )
    expect(whole.out).toMatch(/^ {4}repeat with: svc-sim run bad\.yaml --seed 1$/m)
    expect(whole.out).toMatch(/^ {2}and 1 more$/m)
    expect(whole.out).toMatch(/^total: 2 scenarios, 8 runs, 4 failed, \d+ s of CPU time, in [\d.]+ s\n$/m)
    const failed = recordsIn(join(cwd, 'whole.jsonl')).filter(({ passed }) => !passed)
    expect(failed.map(({ failures }) => failures.length)).toEqual([1, 1, 1, 0])
    expect(new Set(failed.map(({ fingerprint }) => fingerprint)).size).toBe(1)
    const [manifest = ''] = readFileSync(join(cwd, '2.jsonl'), 'utf8').split('\n')
    expect(manifestSchema.parse(JSON.parse(manifest))).toMatchObject({
      scenarios: [{ file: 'one.yaml' }, { file: 'bad.yaml' }],
      seeds: { first: 1, last: 4 },
      shard: { index: 2, of: 2 },
    })
  })

  it('continues with its own lines, of which the last may be torn, and not with those of another campaign', async () => {
    const cwd = folder()
    const file = join(cwd, 'seeds.jsonl')
    const argv = (...more: readonly string[]) => ['explore', 'one.yaml', '--seeds', '1..5', '--jsonl', file, ...more]
    expect(await svcSim(argv('--jobs', '1'), { cwd })).toMatchObject({ exit: 0 })
    const whole = readFileSync(file, 'utf8')
    const again = await svcSim(argv(), { cwd })
    expect(again).toMatchObject({
      exit: 2,
      err: `${file}: is there already: add --resume to go on with it, or name another file\n`,
    })
    const lines = whole.split('\n')
    truncateSync(file, lines.slice(0, 4).join('\n').length - 100)
    const resumed = await svcSim(argv('--resume', '--jobs', '1'), { cwd })
    expect(resumed).toMatchObject({
      exit: 0,
      err: expect.stringMatching(/: its last line was torn \(\d+ bytes\), and is written again\n$/),
    })
    expect(resumed.out).toMatch(/, 2 runs are in .*seeds\.jsonl$/m)
    expect(resumed.out).toMatch(/^total: 1 scenario, 5 runs, all passed/m)
    expect(runsIn(file)).toHaveLength(5)
    expect(new Set(runsIn(file)).size).toBe(5)
    const other = await svcSim(['explore', 'one.yaml', '--seeds', '1..6', '--jsonl', file, '--resume'], { cwd })
    expect(other.exit).toBe(2)
    expect(other.err).toContain(`${file}:1: another campaign: its seeds is 1..5, and 1..6 was asked for: `)
    const twice = await svcSim(['explore', 'one.yaml', './one.yaml', '--seeds', '1..2'], { cwd })
    expect(twice).toMatchObject({ exit: 2, err: 'one.yaml and ./one.yaml say the same: name one of them\n' })
    appendFileSync(file, 'no JSON\n')
    expect((await svcSim(argv('--resume'), { cwd })).err).toContain(`${file}:7: it is no record of a seed: `)
  })

  it('begins anew where not even the manifest was written whole', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'a.jsonl'), '{"format":"svc-cam')
    const argv = ['explore', 'one.yaml', '--seeds', '1..2', '--jsonl', 'a.jsonl', '--resume', '--jobs', '1']
    expect(await svcSim(argv, { cwd })).toMatchObject({ exit: 0 })
    expect(runsIn(join(cwd, 'a.jsonl'))).toHaveLength(2)
  })

  it('ends when its time is spent, says how far it came, and has an exit code for it', async () => {
    const cwd = folder()
    const argv = ['explore', 'one.yaml', '--jobs', '1', '--time', '1500ms', '--quiet']
    const asked = await svcSim([...argv, '--seeds', '1..900000'], { cwd })
    expect(asked.exit).toBe(6)
    expect(asked.out).toMatch(/^One server: (\d+) of 900,000 seeds up to \1, all passed$/m)
    expect(asked.out).toMatch(/; TIME SPENT: 899,\d{3} of 900,000 runs were not made$/m)
    const open = await svcSim([...argv, '--jsonl', 'open.jsonl', '--shard', '2/3'], { cwd })
    expect(open.exit).toBe(0)
    const seeds = recordsIn(join(cwd, 'open.jsonl')).map(({ seed }) => seed)
    expect(seeds).toEqual(seeds.map((_, place) => 2 + 3 * place))
    expect(seeds.length).toBeGreaterThan(0)
  })

  it('takes the seeds of a commit', async () => {
    const cwd = folder()
    const hash = '00000003aaaaaaaa'
    const argv = ['explore', 'one.yaml', '--seeds', '1..2', '--commit', hash, '--jsonl', 'c.jsonl', '--jobs', '1']
    expect(await svcSim(argv, { cwd })).toMatchObject({ exit: 0 })
    expect(recordsIn(join(cwd, 'c.jsonl')).map(({ seed }) => seed)).toEqual([3 * 2 ** 20 + 1, 3 * 2 ** 20 + 2])
  })

  it('goes on, with --guided, from where a run reached a rare mark, and each such run repeats by its seed and forks', async () => {
    const cwd = folder()
    // Whether its one fault comes depends on the seed and on what the rule says, and on nothing that an agent does: of
    // these seeds in the last.
    const rare = `scenario: A leader seldom dies
cluster:
  dc1:
    servers: { count: 3, restart after: 100ms }
    config: { performance: { raft_multiplier: 1 } }
faults:
  - every: 1500ms..1500ms
    chance: 8%
    do: [{ crash: leader, for: 100ms }]
lasts: 2s
`
    writeFileSync(join(cwd, 'rare.yaml'), rare)
    const argv = [
      'explore',
      'rare.yaml',
      '--seeds',
      '5..24',
      '--guided',
      '--jobs',
      '2',
      '--jsonl',
      'g.jsonl',
      '--quiet',
    ]
    const { exit, out } = await svcSim(argv, { cwd })
    expect(exit).toBe(0)
    expect(out).toMatch(/^guided: 8 runs beside 20 plain ones$/m)
    expect(out).toMatch(/^ {2}rare marks of both, plain and guided: .*leader process gone 1 of 20 and 8 of 8/m)
    const all = recordsIn(join(cwd, 'g.jsonl'))
    const guided = all.filter(({ forks }) => forks !== undefined)
    expect(all.slice(0, 20).map(({ seed }) => seed)).toEqual(Array.from({ length: 20 }, (_, at) => at + 5))
    expect(guided.map(({ seed }) => seed)).toEqual(Array(8).fill(24))
    expect(new Set(guided.map(({ trace }) => trace)).size).toBe(8)
    const [fork] = guided[2]?.forks ?? []
    const again = await svcSim(
      ['run', 'rare.yaml', '--seed', '24', '--fork', `${fork?.atMs}ms:${fork?.seed}`, '--json'],
      { cwd },
    )
    expect(seedRecordSchema.parse(JSON.parse(again.out))).toMatchObject({ forks: [fork], trace: guided[2]?.trace })
  })
})
