import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { seenAt } from '../../../sim/inspection/moments.ts'
import { differencesOf } from '../../../sim/inspection/state-difference.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type LoadedScenario, loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import { hostDisk } from '../../../src/host/disk.ts'

const page = `
scenario: A follower dies
about: One of three servers loses its power after two seconds and comes back a second later.
cluster: { dc1: { servers: { count: 3 }, config: { performance: { raft_multiplier: 1 } } } }
faults: [{ at: 2s, do: [{ crash: s3, for: 1s }] }]
steps:
  - { step: they elect a leader, eventually: { within: 10s, leader: exactly one } }
  - { step: time passes, wait: 5s }
`
const folder = mkdtempSync(join(tmpdir(), 'inspect-'))
const file = join(folder, 'page.yaml')
writeFileSync(file, page)
afterAll(() => rmSync(folder, { recursive: true }))

async function inspect(...args: string[]): Promise<{ exit: number; out: string; error: string }> {
  const said = { out: '', error: '' }
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'version' | 'disk' | 'createPlatform'> = {
    out: (text) => {
      said.out += text
    },
    error: (text) => {
      said.error += text
    },
    version: '1.4.0',
    disk: hostDisk,
    createPlatform,
  }
  return { exit: await runSimCli(['inspect', file, ...args], terminal as SimTerminal), ...said }
}

describe('svc-sim inspect', () => {
  it('shows every node at a time: the leader, how far each log is, which server is down', async () => {
    const { exit, out, error } = await inspect('--at', '2.5s')
    expect([exit, error]).toEqual([0, ''])
    expect(out).toMatch(/^at 2\.500s\n/)
    expect(out.match(/ {2}consensus {2}leader in term \d+, vote for s[12]\n/g)).toHaveLength(1)
    expect(out.match(/ {2}log {8}ends at \d+ of term \d+, committed \d+, applied \d+\n/g)).toHaveLength(2)
    expect(out).toContain('s3  server of dc1, release 1.4.0, is down (process 1)\n  disk ')
  })

  it('shows what changed until a later time, of the nodes that are asked about', async () => {
    const { out } = await inspect('--at', '2.5s', '--diff', '5s', '--node', 's3')
    expect(out).toMatch(/^from 2\.500s to 5\.000s\ns3\n {4}process\.is: down -> running\n {4}process\.boot: 1 -> 2\n/)
    expect(out).toMatch(/ {2}\+ consensus\.role = follower\n/)
    expect(out).not.toMatch(/^s[12]/m)
  })

  it('writes a line of JSON for each node, and without a time shows the end', async () => {
    const { out } = await inspect('--json')
    const states = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(states.map(({ node }) => node)).toEqual(['s1', 's2', 's3'])
    expect(states.map(({ process }) => process.is)).toEqual(['running', 'running', 'running'])
    expect(new Set(states.map(({ replicated }) => replicated.digest)).size).toBe(1)
  })

  it.each([
    [['--diff', '3s'], '--diff compares with an earlier time: give --at too'],
    [['--at', '3s', '--diff', '3s'], '--diff 3s is not later than --at 3s'],
    [['--at', '3'], '--at 3: write a unit behind it: 3s'],
    [['--at', '1h'], '--at 1h: the run ends at '],
    [['--at', '1s', '--node', 's9'], '--node s9: this scenario has the nodes s1 s2 s3'],
  ])('%j is refused with 2 and a reason', async (args, reason) => {
    const { exit, out, error } = await inspect(...args)
    expect([exit, out]).toEqual([2, ''])
    expect(error).toContain(reason)
  })
})

describe('a look at a run', () => {
  it('changes nothing: what comes later is the same with it and without it', async () => {
    const loaded = loadScenario(file, page)
    if (!loaded.ok) throw new Error(loaded.error[0]?.message)
    const seen = (timesUs: readonly number[]) => seenOf(loaded.value, timesUs)
    const [once, often] = [await seen([4_000_000]), await seen([500_000, 1_000_000, 2_000_001, 3_500_000, 4_000_000])]
    expect(often.moments).toHaveLength(5)
    expect(often.moments[4]).toEqual(once.moments[0])
    expect(often.moments[0]?.nodes).not.toEqual(often.moments[4]?.nodes)
  })

  it('finds the difference of lists by what is in them', async () => {
    const [before] = (await oneMoment()).nodes
    if (before === undefined) throw new Error('there is no node')
    const after = { ...before, waits: { reads: ['KVS.Get key=a beyond 4'], requests: [] } }
    expect(differencesOf(before, after)).toEqual([
      { path: 'waits.reads.[KVS.Get key=a beyond 4]', before: undefined, after: 'there' },
    ])
    expect(differencesOf(after, before)).toEqual([
      { path: 'waits.reads.[KVS.Get key=a beyond 4]', before: 'there', after: undefined },
    ])
  })
})

async function seenOf(loaded: LoadedScenario, timesUs: readonly number[]) {
  const platform = createPlatform()
  try {
    return await seenAt((looks) => new ScenarioRun({ loaded, seed: 4, platform, looks }), timesUs)
  } finally {
    platform.close()
  }
}

async function oneMoment() {
  const loaded = loadScenario(file, page)
  if (!loaded.ok) throw new Error(loaded.error[0]?.message)
  const { moments } = await seenOf(loaded.value, [100_000])
  const [moment] = moments
  if (moment === undefined) throw new Error('nothing was seen')
  return moment
}
