import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Meaning, meaningFields } from '../../sim/report/meaning.ts'
import { type TraceRecord, traceRecordSchema } from '../../sim/report/trace-record.ts'
import { svcSim } from './svc-sim.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-trace-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Every layer is spoken: a sealed pool, consensus, requests over HTTP and DNS, and a leader that stops for a while. */
const small = `scenario: All layers
tags: [trace]
cluster:
  dc1:
    servers: { count: 3 }
    clients: { count: 1 }
    config: { encrypt: cg8StVXbQJ0gPvMd9o7yrg==, performance: { raft_multiplier: 1 } }
network: { latency: 1ms..5ms }
workload:
  writers: { clients: 2, operations: [kv.get, kv.put], keys: 1, rate: 10/s }
faults:
  - { at: 4s, do: [{ pause: leader, for: 4s }] }
lasts: 10s
`

const file = join(directory, 'small.jsonl.gz')
let records: readonly TraceRecord[]

beforeAll(async () => {
  const page = join(directory, 'small.yaml')
  writeFileSync(page, small)
  const run = await svcSim(['run', page, '--seed', '1', '--quiet', '--trace', file])
  expect(run.exit, run.err).toBe(0)
  const [, ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')
  records = lines.map((line) => traceRecordSchema.parse(JSON.parse(line)))
})

function meansOf(record: TraceRecord): readonly Meaning[] {
  return 'means' in record ? (record.means ?? []) : []
}

async function trace(...args: readonly string[]): Promise<string> {
  const { exit, out, err } = await svcSim(['trace', file, ...args])
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  return out
}

describe('the trace of a run', () => {
  it('says what its packets, segments and writes of the log say, and nothing of them is unknown', () => {
    const met = new Set(records.flatMap(meansOf).map(({ layer }) => layer))
    const expected = Object.keys(meaningFields).filter((layer) => layer !== 'part' && layer !== 'unknown')
    for (const layer of expected) expect(met, layer).toContain(layer)
    const unread = records.filter((record) => meansOf(record).some(({ layer }) => layer === 'unknown'))
    expect(unread).toEqual([])
  })

  it('says of what arrives what was said of it when it was sent', () => {
    const byNumber = new Map(records.map((record) => [record.n, record]))
    let judged = 0
    for (const record of records) {
      if (record.kind !== 'segment' || record.means === undefined) continue
      const sent = record.causes.map((cause) => byNumber.get(cause)).find((cause) => cause?.kind === 'segmentSent')
      if (sent?.kind !== 'segmentSent') continue
      expect(sent.means).toEqual(record.means)
      judged++
    }
    expect(judged).toBeGreaterThan(100)
  })

  it('shows an election from the timeout to the votes', async () => {
    const out = await trace('--from', '4s', '--to', '8s', '--kind', 'raft', '--arrows', '0')
    expect(out).toMatch(/timer fires: raft\.election {2}← \d+/)
    expect(out).toMatch(/sends to s\d on \d+: (rpc ping \+ )?pre-vote-request term \d+, last entry \d+ of term \d+/)
    expect(out).toMatch(/sends to s\d on \d+: vote granted term \d+ {2}← \d+/)
    expect(out).toMatch(/log: \[INFO\] raft: election won/)
  })

  it('walks back from an event to what led to it', async () => {
    const won = records.find(
      (record) => record.kind === 'log' && record.t > 4e6 && record.text.includes('election won'),
    )
    const out = await trace('--causes-of', String(won?.n), '--steps', '6')
    expect(out).toMatch(/vote-request term/)
    expect(out).toMatch(/vote granted term/)
    expect(
      out
        .trimEnd()
        .split('\n')
        .findLast((line) => /^ +\d/.test(line)),
    ).toMatch(/election won/)
  })

  it.runIf(process.env['SVC_TEST_LONG'] === '1')('of ten minutes of 25 agents is read in bounded memory', async () => {
    const page = join(directory, 'large.yaml')
    const cluster = small
      .replace('servers: { count: 3 }', 'servers: { count: 5 }')
      .replace('clients: { count: 1 }', 'clients: { count: 20 }')
    writeFileSync(page, cluster.replace('lasts: 10s', 'lasts: 10m'))
    const large = join(directory, 'large.jsonl.gz')
    const run = await svcSim(['run', page, '--seed', '1', '--quiet', '--trace', large])
    expect(run.exit, run.err).toBe(0)
    const bounded = { nodeFlags: ['--max-old-space-size=160'] }
    const last = await svcSim(
      ['trace', large, '--from', '9m59s', '--kind', 'raft', '--about', 'term=2', '--json'],
      bounded,
    )
    expect(last.exit).toBe(0)
    const some = await svcSim(['trace', large, '--node', 's1', '--kind', 'boot,crash,violation'], bounded)
    expect(some.exit).toBe(0)
    const back = await svcSim(['trace', large, '--causes-of', '200000'], bounded)
    expect(back.exit).toBe(0)
  })
})
