import { describe, expect, it } from 'vitest'
import { Meanings } from '../../../sim/meaning/meanings.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { TraceOptions } from '../../../sim/report/trace.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import type { Platform } from '../../../sim/world/platform.ts'
import { fc } from '../../fast-check.ts'

/** Each is two runs of some seconds. */
const stories = process.env['SVC_TEST_LONG'] === '1' ? 200 : 1

const rules = [
  '{ when: leader elected, after: 300ms..900ms, do: [{ cut: { from: it, to: others }, for: 1500ms..2500ms }] }',
  '{ when: leader elected, chance: 60%, after: 0ms..800ms, do: [{ crash: it, for: 300ms..900ms }] }',
  '{ every: 400ms..900ms, do: [{ pause: one of servers, for: 100ms..400ms }] }',
  '{ every: 500ms..900ms, do: [{ slow disk: { nodes: one of servers, fsync: 20ms..90ms }, for: 500ms }] }',
]

function page(faults: readonly string[]): string {
  return [
    'scenario: Any',
    'cluster: { dc1: { servers: { count: 3 }, config: { performance: { raft_multiplier: 1 } } } }',
    'network: { latency: 1ms..9ms, loss: 1%, duplicate: 1%, reorder: 2% }',
    'workload:',
    '  some: { clients: 4, operations: [kv.put, kv.get], keys: 3, rate: 60/s }',
    'faults:',
    ...faults.map((rule) => `  - ${rule}`),
    'lasts: 4s',
    '',
  ].join('\n')
}

async function run(text: string, seed: number, trace?: (platform: Platform) => TraceOptions): Promise<string> {
  const loaded = loadScenario('any.yaml', text)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  const platform = createPlatform()
  try {
    return (await new ScenarioRun({ loaded: loaded.value, seed, platform, trace: trace?.(platform) }).run()).trace.hash
  } finally {
    platform.close()
  }
}

async function told(text: string, seed: number): Promise<{ readonly hash: string; readonly records: TraceRecord[] }> {
  const records: TraceRecord[] = []
  const hash = await run(text, seed, (platform) => {
    const meanings = new Meanings(platform)
    return {
      onRecord: (record) => void records.push(record),
      meaning: (bytes) => meanings.of(bytes),
      onSealed: (key) => meanings.keys.sealedWith(key),
    }
  })
  return { hash, records }
}

/** Every event that led to this one. */
function behind(records: readonly TraceRecord[], event: TraceRecord): ReadonlySet<TraceRecord> {
  const found = new Set<TraceRecord>()
  const left = [event]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const n of next.causes) {
      const cause = records[n - 1] as TraceRecord
      if (found.has(cause)) continue
      found.add(cause)
      left.push(cause)
    }
  }
  return found
}

function isCut(record: TraceRecord): boolean {
  return record.kind === 'link' && record.text === 'cut'
}

describe('causes in runs of a cluster', () => {
  it('come before what they lead to, and reading them does not change a run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(rules, { minLength: 1 }), fc.integer({ min: 1, max: 1_000 }), async (some, seed) => {
        const { hash, records } = await told(page(some), seed)
        expect(await run(page(some), seed)).toBe(hash)
        for (const [at, { n, causes }] of records.entries()) {
          if (n !== at + 1 || causes.some((cause) => cause >= n)) throw new Error(`event ${n}: ${causes.join(' ')}`)
        }
        const unheard = records.filter(
          (record) =>
            (record.kind === 'segment' || record.kind === 'datagram') &&
            !record.causes.some((cause) => (records[cause - 1] as TraceRecord).node === record.from),
        )
        expect(unheard).toEqual([])
      }),
      { numRuns: stories },
    )
  }, 3_600_000)

  it('name what a story is made of: rules, firings, operations, lost heartbeats, quorums and batches', async () => {
    const { records } = await told(page(rules.slice(0, 1)), 3)
    const of = (n: number): TraceRecord => records[n - 1] as TraceRecord
    // A cut comes from its firing, that from its rule and from the election that set it off.
    const firing = records
      .find(isCut)
      ?.causes.map(of)
      .find(({ kind }) => kind === 'decision')
    expect(firing).toMatchObject({ text: expect.stringMatching(/^firing: when at s\d/) })
    expect(firing?.causes.map(of)).toContainEqual(expect.objectContaining({ text: expect.stringMatching(/^rule /) }))
    const setOff = [...behind(records, firing as TraceRecord)]
    expect(setOff.some((record) => record.kind === 'note' && record.text.includes('votes of a majority'))).toBe(true)

    // Behind the cut followers hear nothing: each election timeout afterwards names a heartbeat that was lost in it.
    const isHeartbeat = (record: TraceRecord): boolean =>
      (record.kind === 'segmentLost' || record.kind === 'lost') &&
      (record.means ?? []).some(({ layer, name }) => layer === 'raft' && name === 'append-request')
    const timeouts = records.filter(
      (record) =>
        record.kind === 'timer' && record.waits === 'raft.election' && record.causes.map(of).some(isHeartbeat),
    )
    expect(timeouts.length).toBeGreaterThan(0)
    for (const timeout of timeouts) {
      const lost = timeout.causes.map(of).filter(isHeartbeat)
      expect(lost.every((record) => 'to' in record && record.to === timeout.node)).toBe(true)
    }
    const cutOff = timeouts.filter((timeout) =>
      timeout.causes.map(of).some((record) => isHeartbeat(record) && [...behind(records, record)].some(isCut)),
    )
    expect(cutOff.length).toBeGreaterThan(0)

    // A commit has each acknowledgement of its quorum: of one other server, and its own disk or a second one.
    const commits = records.filter((record) => record.kind === 'note' && record.text.startsWith('commits'))
    expect(commits.length).toBeGreaterThan(10)
    for (const commit of commits) {
      const parts = commit.causes.map(of).filter(({ kind }) => kind === 'segment' || kind === 'diskDone')
      expect(parts.length).toBeGreaterThanOrEqual(2)
    }

    // Where several operations are written at once, the write comes from each of them.
    const batches = records.flatMap((record) => {
      const parts = record.kind === 'diskWrite' ? (record.means ?? []) : []
      const written = parts.filter((part) => part.layer === 'log' && part.name === 'entry' && part.command === 'kv.put')
      return written.length > 1 ? [{ record, count: written.length }] : []
    })
    expect(batches.length).toBeGreaterThan(0)
    for (const { record, count } of batches) {
      const operations = [...behind(records, record)].filter(
        (event) => event.kind === 'decision' && event.text.startsWith('operation '),
      )
      expect(operations.length).toBeGreaterThanOrEqual(count)
    }
  })
})
