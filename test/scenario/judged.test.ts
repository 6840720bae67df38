import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { invariants } from '../../sim/checkers/checkers.ts'
import { seedRecordSchema } from '../../sim/report/seed-record.ts'
import { projectRoot, scenarioFile, svcSim } from './svc-sim.ts'

/** A few short scenarios that together judge every invariant; what each is here for. */
const sample = {
  'upgrade-single-server-raft3': 'R1 to R7, D1, K3, M1, M2, M6, E1 to E3, H3, P1, P2 and L1',
  'ca-federation-upgrade': 'C1 to C6, M7, W1 and W2',
  'acl-two-datacenters-any-order': 'A1 to A4, and M3',
  'no-leader-stale-reads': 'K1, K2, M4 and W3',
  'two-datacenters-failover': 'Q1',
  'replace-servers-1.0-and-1.0.1': 'M5, and O1 to O3',
  'unknown-command': 'D2',
  'anti-entropy': 'E4',
  'lock-fencing': 'S1 to S3',
} as const

describe('what runs judge', () => {
  it('is every invariant, in one scenario or another', { timeout: 240_000 }, async () => {
    const files = Object.keys(sample).map((name) => join(projectRoot, `scenarios/${name}.yaml`))
    const { exit, out } = await svcSim(['run', ...files, '--seeds', '1..1', '--json'])
    expect(exit).toBe(0)
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => seedRecordSchema.parse(JSON.parse(line)))
    const judged = records.flatMap(({ counts }) =>
      Object.entries(counts).flatMap(([code, { facts }]) => (facts > 0 ? [code] : [])),
    )
    expect([...new Set(judged)].sort()).toEqual(Object.keys(invariants).sort())
  })

  it('stands below the verdict, and a run that tested nothing of an invariant says so', async () => {
    const quiet = scenarioFile(`scenario: Nobody does anything
cluster:
  dc1: { servers: { count: 1 } }
steps:
  - step: it leads
    eventually: { within: 20s, leader: exactly one }
`)
    const { exit, out } = await svcSim(['run', quiet])
    expect(exit).toBe(0)
    const below = out.slice(out.indexOf('  trace '))
    expect(below).toMatch(/^ {2}R1 1 election · /m)
    expect(below).toMatch(/(^ {2}| · )K1 K2 none( · |$)/m)
    expect(below).toMatch(/(^ {2}| · )A1 to A4 none( · |$)/m)
    const silent = await svcSim(['run', quiet, '--quiet'])
    expect(silent.out).not.toContain('none')
    const many = await svcSim(['run', quiet, '--seeds', '1..2'])
    expect(many.out).toMatch(/^Nobody does anything: all 2 seeds passed\n {2}R1 2 elections · /m)
  })
})

describe('heartbeats for a check', () => {
  const beating = (check: string, every: string): string => `scenario: A service keeps its check alive
cluster:
  dc1:
    servers: { count: 1 }
    clients: { count: 1, config: { checks: [{ id: pulse, name: pulse, ttl: 30s, status: passing }] } }
heartbeats:
  pulses: { at: clients, check: ${check}, every: ${every} }
steps:
  - step: it goes on for a while
    wait: 20s
  - step: another check comes, too late for any heartbeat
    http: { at: c1, request: PUT /v1/agent/check/register, body: '{ "Name": "late", "TTL": "30s" }' }
    expect: { status: 200 }
`

  it('are facts where the agent holds it, and none where it does not: the verdict says so', async () => {
    const held = await svcSim(['run', scenarioFile(beating('pulse', '2s'))])
    expect(held.out).toMatch(/E4 1\d heartbeats/)
    const absent = await svcSim(['run', scenarioFile(beating('late', '60s'))])
    expect(absent.out).toMatch(/^passed/m)
    expect(absent.out).toMatch(/E4 none/)
  })
})
