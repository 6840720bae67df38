import { createSocket } from 'node:dgram'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePrometheus } from '../unit/agent-telemetry/prometheus-text.ts'
import { ask } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import { type RealAgent, startRealAgent } from './real-agent.ts'

/** Each is one prefix since 1.0. Spec: TEL-003. */
const groups = 'acl autopilot catalog fsm health http kvs leader prepared-query rpc session session_ttl txn'.split(' ')

describe('the metrics of an agent that tells them to others', () => {
  let agent: RealAgent
  const heard: string[] = []
  const receiver = createSocket('udp4', (bytes) => heard.push(bytes.toString()))

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.bind(0, '127.0.0.1', resolve))
    const statsd = `127.0.0.1:${receiver.address().port}`
    const prefix_filter = ['-svc.memberlist', '+svc.memberlist.health']
    const telemetry = { prometheus_retention_time: '1h', statsd_address: statsd, prefix_filter }
    agent = await startRealAgent({ more: { telemetry } })
  })
  afterAll(async () => {
    await agent.stop()
    receiver.close()
  })

  it('[TEL-001] [TEL-002] [TEL-008] are shown as JSON and in the text of Prometheus, under one prefix', async () => {
    await ask(agent.target, 'PUT /v1/kv/a', 'x')
    const reply = await ask(agent.target, 'GET /v1/agent/metrics?format=prometheus')
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const families = new Map(parsePrometheus(reply.text))
    expect(families.get('svc_raft_apply')?.type).toBe('counter')
    expect(families.get('svc_http_PUT_v1_kv__')).toMatchObject({ type: 'summary' })
    expect(families.get('svc_http_PUT_v1_kv__')?.samples.get('svc_http_PUT_v1_kv___count')).toBe(1)
    const json = (await ask(agent.target, 'GET /v1/agent/metrics')).json() as ExactObject
    expect(Object.keys(json)).toEqual(['Timestamp', 'Gauges', 'Points', 'Counters', 'Samples'])
    const lists = ['Gauges', 'Counters', 'Samples'].flatMap((list) => json[list] as readonly ExactObject[])
    for (const own of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_start_time_seconds']) {
      expect([...(families.get(own)?.samples.values() ?? [])][0], own).toBeGreaterThan(0)
      families.delete(own)
    }
    const names = [...families.keys(), ...lists.map(({ Name }) => String(Name).replaceAll('.', '_'))]
    expect(names.filter((name) => !name.startsWith('svc_') || name.startsWith('svc_svc_'))).toEqual([])
  })

  it('come to statsd as they happen', async () => {
    await ask(agent.target, 'GET /v1/status/leader')
    await expect
      .poll(() => heard.join(''), { timeout: 20_000 })
      .toMatch(/(^|\n)svc\.http\.GET\.v1\.status\.leader:\d+\.\d{6}\|ms\n/)
  })

  it('pass the filter, and carry the host where they are gauges', async () => {
    const { text } = await ask(agent.target, 'GET /v1/agent/metrics?format=prometheus')
    const host = hostname().replace(/\W/g, '_')
    const gauges = [...parsePrometheus(text)].filter(([, { type }]) => type === 'gauge').map(([name]) => name)
    expect(gauges).toContain(`svc_${host}_runtime_alloc_bytes`)
    expect(
      gauges.filter((name) => !name.startsWith('process_')).filter((name) => !name.startsWith(`svc_${host}_`)),
    ).toEqual([])
    expect(text).not.toContain('svc_memberlist')
  })

  it('[TEL-003] are there for each group of things that it does, with one prefix', async () => {
    const told = await startRealAgent({ profile: 'acl', more: { telemetry: { prometheus_retention_time: '1h' } } })
    try {
      const asRoot = (line: string, body?: string) => ask(told.target, `${line}?token=root`, body)
      // The master token comes to be a moment after the leader.
      await expect.poll(async () => (await asRoot('PUT /v1/kv/a', 'x')).status, { timeout: 20_000 }).toBe(200)
      for (const path of ['catalog/services', 'health/service/web']) await asRoot(`GET /v1/${path}`)
      await asRoot('PUT /v1/acl/token', '{}')
      await asRoot('PUT /v1/session/create', '{"TTL": "10s"}')
      await asRoot('PUT /v1/txn', '[{"KV": {"Verb": "set", "Key": "a"}}]')
      await asRoot('POST /v1/query', '{"Name": "q", "Service": {"Service": "web"}}')
      const { text } = await ask(told.target, 'GET /v1/agent/metrics?format=prometheus&token=root')
      const names = [...parsePrometheus(text)].map(([name]) => name)
      const missing = groups.map((group) => `svc_(?:${hostname().replace(/\W/g, '_')}_)?${group.replace('-', '_')}_`)
      expect(missing.filter((group) => !names.some((name) => new RegExp(`^${group}`).test(name)))).toEqual([])
      expect(names.filter((name) => name.startsWith('svc_svc_'))).toEqual([])
    } finally {
      await told.stop()
    }
  })

  it('are JSON in an unknown format', async () => {
    const json = await ask(agent.target, 'GET /v1/agent/metrics?format=xml')
    expect(json.headers.get('content-type')).toBe('application/json')
  })
})
