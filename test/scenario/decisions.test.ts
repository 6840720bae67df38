import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { scenarioFile, svcSim } from './svc-sim.ts'

const page = `scenario: Crashes
cluster:
  dc1:
    servers: { count: 3 }
    config: { performance: { raft_multiplier: 1 } }
network: { latency: 1ms..9ms, loss: 1% }
workload:
  shoppers: { clients: 2, operations: [kv.put, kv.get], keys: 2, rate: 20/s }
faults:
  - { when: leader elected, chance: 70%, after: 100ms..900ms, do: [{ crash: it, for: 200ms..900ms }] }
lasts: 6s
`

const hashOf = (out: string): string => /^ {2}trace ([0-9a-f]{64})$/m.exec(out)?.[1] ?? ''

/** What a run decided, and its hash: of one run, for all tests. */
let first: Promise<{ readonly decided: string; readonly hash: string }> | undefined

/** The page and the list in a folder of this test's own. */
async function recorded() {
  const file = scenarioFile(page)
  const list = `${file}.decisions`
  first ??= svcSim(['run', file, '--seed', '5', '--decisions', list]).then((run) => {
    expect(run.exit, run.out).toBe(0)
    return { decided: readFileSync(list, 'utf8'), hash: hashOf(run.out) }
  })
  const { decided, hash } = await first
  writeFileSync(list, decided)
  return { file, list, hash }
}

describe('svc-sim run --decisions and --replay', () => {
  it('write what was decided, and run it again to the same trace', async () => {
    const { file, list, hash } = await recorded()
    const [header = '', ...lines] = readFileSync(list, 'utf8').trimEnd().split('\n')
    expect(JSON.parse(header)).toMatchObject({ format: 'svc-decisions', scenario: 'Crashes', seed: 5 })
    const kinds = new Set(lines.map((line) => (JSON.parse(line) as { kind: string }).kind))
    expect([...kinds].sort()).toEqual(['chance', 'choice', 'event', 'range', 'raw'])
    const again = await svcSim(['run', file, '--replay', list, '--verify'])
    expect([again.exit, hashOf(again.out)]).toEqual([0, hash])
    const listed = `${list}.again`
    await svcSim(['run', file, '--replay', list, '--decisions', listed])
    expect(readFileSync(listed, 'utf8')).toBe(readFileSync(list, 'utf8'))
  })

  it('leave out what the list leaves out: without its firings no agent crashes, without its events no client writes', async () => {
    const { file, list } = await recorded()
    const lines = readFileSync(list, 'utf8').split('\n')
    writeFileSync(list, lines.filter((line) => !/"kind":"(event|chance)".*"what":"fault /.test(line)).join('\n'))
    const calm = await svcSim(['run', file, '--replay', list])
    expect(calm.out).not.toMatch(/crash s/)
    expect(calm.out).toMatch(/, [1-9]\d* writes acknowledged/)
    writeFileSync(list, lines.filter((line) => !line.startsWith('{"kind":"event"')).join('\n'))
    const quiet = await svcSim(['run', file, '--replay', list])
    expect(quiet.out).toMatch(/, 0 writes acknowledged/)
  })

  it('name the list where a run of it fails', async () => {
    const file = scenarioFile(`${page}never:\n  - { leader: exactly one }\n`)
    const list = `${file}.decisions`
    expect((await svcSim(['run', file, '--seed', '5', '--decisions', list])).exit).toBe(1)
    const again = await svcSim(['run', file, '--replay', list])
    expect([again.exit, again.out]).toEqual([
      1,
      expect.stringContaining(`repeat with: svc-sim run ${file} --replay ${list}\n`),
    ])
  })

  it('are packed by their name, and say what did not come up, and which program made the list', async () => {
    const { file, list, hash } = await recorded()
    const packed = `${list}.gz`
    const run = await svcSim(['run', file, '--seed', '5', '--decisions', packed])
    expect(hashOf(run.out)).toBe(hash)
    const text = gunzipSync(readFileSync(packed)).toString('utf8')
    expect(text).toBe(readFileSync(list, 'utf8'))
    expect(await svcSim(['run', file, '--replay', packed])).toMatchObject({ exit: 0, err: '' })
    const strange = '{"kind":"chance","id":"0123456789abcdef","n":0,"value":1}'
    writeFileSync(list, `${text.replace(/"build":"[^"]*"/, '"build":"an older one"')}${strange}\n`)
    const again = await svcSim(['run', file, '--replay', list])
    expect(hashOf(again.out)).toBe(hash)
    expect(again.err).toMatch(/: 1 of \d+ decisions did not occur .*, an older one; this is /)
    writeFileSync(packed, readFileSync(packed).subarray(0, 2_000))
    const damaged = await svcSim(['run', file, '--replay', packed])
    expect([damaged.exit, damaged.err]).toEqual([2, expect.stringContaining('damaged or cut short')])
    writeFileSync(list, `${text.split('\n')[0]}\n${strange.replace('"value":1', '"value":0.5')}\n`)
    expect((await svcSim(['run', file, '--replay', list])).err).toContain(`${list}:2: value: a whole number`)
  })

  it('refuse a list of another page or seed, and what is none', async () => {
    const { file, list } = await recorded()
    const other = scenarioFile(page.replace('lasts: 6s', 'lasts: 7s'))
    expect(await svcSim(['run', other, '--replay', list])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('of another page'),
    })
    expect(await svcSim(['run', file, '--replay', list, '--seed', '6'])).toMatchObject({
      exit: 2,
      err: `${list}: decisions of seed 5: leave out --seed 6\n`,
    })
    expect(await svcSim(['run', file, '--seeds', '1..2', '--replay', list])).toMatchObject({ exit: 2 })
    writeFileSync(list, `${readFileSync(list, 'utf8').split('\n')[0]}\n{"kind":"chance"}\nx\n`)
    const { exit, err } = await svcSim(['run', file, '--replay', list])
    expect(exit).toBe(2)
    expect(err).toContain(`${list}:2: id: `)
    expect(err).toContain(`${list}:3: not JSON`)
    // Of many wrong lines the first twenty are told, and nothing behind them is read, not even a last line without end.
    writeFileSync(list, `${readFileSync(list, 'utf8').split('\n')[0]}\n${'x\n'.repeat(30)}x`)
    expect((await svcSim(['run', file, '--replay', list])).err.match(/not JSON/g)).toHaveLength(20)
  })
})
