import { describe, expect, it } from 'vitest'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

describe('what runs judge', () => {
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
    expect(below).toMatch(/(^ {2}| · )R1 1 election · /m)
    expect(below).toMatch(/(^ {2}| · )K1 K2 none( · |$)/m)
    expect(below).toMatch(/(^ {2}| · )A1 to A\d none( · |$)/m)
    const silent = await svcSim(['run', quiet, '--quiet'])
    expect(silent.out).not.toContain('none')
    const many = await svcSim(['run', quiet, '--seeds', '1..2', ...oneJob])
    expect(many.out).toMatch(/^Nobody does anything: all 2 seeds passed\n(.*\n)?.*\bR1 2 elections · /m)
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
    expect(absent.out).toMatch(/E3 to E\d+ none/)
  })
})
