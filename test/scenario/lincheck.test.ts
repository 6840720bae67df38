import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseHistory } from '../../sim/checkers/keys/history-file.ts'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

const withClients = `scenario: Clients of a quiet cluster
cluster:
  dc1:
    servers: { count: 3 }
    config: { performance: { raft_multiplier: 1 } }
workload:
  shoppers: { clients: 4, operations: [kv.get, kv.put, kv.cas, kv.delete], keys: 2, rate: 40/s }
steps:
  - step: the servers meet and elect a leader
    eventually: { within: 20s, leader: exactly one }
  - step: clients go about their business
    wait: 3s
`

const header = '{"format":"svc-history","version":1,"about":"by hand"}'
const put = '{"client":"1","key":"k","op":"write","value":"a","outcome":"ok","call":0,"return":5}'
const missed = '{"client":"2","key":"k","op":"read","outcome":"ok","found":null,"call":10,"return":15}'

function historyFile(...lines: readonly string[]): string {
  return scenarioFile(`${lines.join('\n')}\n`)
}

describe('svc-sim lincheck', () => {
  it('judges what run --history wrote', async () => {
    const scenario = scenarioFile(withClients)
    const file = join(dirname(scenario), 'keys.jsonl')
    const run = await svcSim(['run', scenario, '--seed', '3', '--quiet', '--history', file])
    expect(run.exit, run.out).toBe(0)
    const history = parseHistory(file, readFileSync(file, 'utf8'))
    const operations = history.ok ? history.value.operations : []
    expect(operations.length).toBeGreaterThan(50)
    expect(new Set(operations.map(({ kind }) => kind)).size).toBe(4)
    const { exit, out, err } = await svcSim(['lincheck', file])
    expect(err).toBe('')
    expect(out).toMatch(/^key 'shoppers\/0', \d+ operations: linearizable$/m)
    expect(out).toMatch(/^verdict: linearizable$/m)
    expect(exit).toBe(0)
  })

  it('exits with 1 when there is no order, says why, and draws it', async () => {
    const file = historyFile(header, put, missed)
    const page = join(dirname(file), 'page.html')
    const { exit, out, err } = await svcSim(['lincheck', file, '--html', page])
    expect(err).toBe('')
    expect(out).toContain('  cannot be ordered: consistent read found nothing, 2, 0.000010s..0.000015s\n')
    expect(out).toContain(`verdict: NOT linearizable\npicture: ${page}\n`)
    expect(exit).toBe(1)
    const first = readFileSync(page, 'utf8')
    expect(first).toContain('<svg')
    await svcSim(['lincheck', file, '--html', page])
    expect(readFileSync(page, 'utf8')).toBe(first)
  })

  it("exits with 4 and the word 'undecided' when the search is given up", async () => {
    const found = '{"client":"2","key":"k","op":"read","outcome":"ok","found":"a","call":10,"return":15}'
    const more = [put, found].map((line) => line.replace('"a"', '"b"').replace(/\d+/g, (us) => `${Number(us) + 90}`))
    const { exit, out } = await svcSim(['lincheck', historyFile(header, put, found, ...more), '--steps', '1'])
    expect(out).toMatch(/^verdict: undecided$/m)
    expect(exit).toBe(4)
  })

  it('a run in which nothing fails, but a history cannot be decided, has neither passed nor failed', async () => {
    const command = ['run', scenarioFile(withClients), '--seeds', '1..2', '--steps', '1']
    const { exit, out } = await svcSim([...command, ...oneJob])
    expect(exit).toBe(4)
    expect(out).toMatch(/^seed 1, UNDECIDED, /m)
    expect(out).toMatch(/: 2 of 2 seeds undecided, none failed$/m)
    expect(out).toMatch(/^key '.*': no verdict on \d+ operations within [1-9]\d* steps; raise the bound with --steps$/m)
    const json = JSON.parse((await svcSim([...command.slice(0, 2), '--json', '--steps', '1'])).out)
    expect(json).toMatchObject({ passed: false, verdict: 'undecided', failures: [] })
    expect(json.undecided.length).toBeGreaterThan(0)
  })

  const misuses: readonly (readonly [string, () => readonly string[], RegExp])[] = [
    ['no file', () => [], /missing required argument 'file'/],
    ['a file that is not there', () => ['nowhere.jsonl'], /^nowhere\.jsonl: there is no such file/],
    ['a directory', () => ['scenarios'], /^scenarios: is a directory: name the file of a history in it/],
    ['a bad line', () => [historyFile(header, put, '{}')], /^.*test\.yaml:3: 'op': Invalid/],
    ['no header', () => [historyFile(put)], /^.*test\.yaml:1: .*; the first line is \{"format":"svc-history"/],
    ['steps that are no number', () => ['x.jsonl', '--steps', 'many'], /--steps.* Write a whole number/],
    ['more steps than memory has room for', () => ['x.jsonl', '--steps', '10000001'], /--steps.* At most 10000000/],
    [
      'a page that cannot be written',
      () => [historyFile(header, put), '--html', '/nowhere/x.html'],
      /name another file/,
    ],
  ]
  it.each(misuses)('refuses %s with exit code 2', async (_, args, message) => {
    const { exit, err } = await svcSim(['lincheck', ...args()])
    expect(err).toMatch(message)
    expect(exit).toBe(2)
  })
})

describe('svc-sim run --history', () => {
  it('writes one run, and says so when there are more', async () => {
    const scenario = scenarioFile(withClients)
    const file = join(dirname(scenario), 'keys.jsonl')
    for (const more of [['--seeds', '1..2'], [scenario]]) {
      const { exit, err } = await svcSim(['run', scenario, ...more, '--history', file])
      expect(err).toBe('--history writes one run: give one scenario and one --seed\n')
      expect(exit).toBe(2)
    }
    expect(existsSync(file)).toBe(false)
  })
})
