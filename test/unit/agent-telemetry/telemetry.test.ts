import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { passes, type TelemetryConfig } from '../../../src/agent/settings/telemetry-settings.ts'
import { plainLines, StatsdLines } from '../../../src/agent/telemetry/statsd-lines.ts'
import { openTelemetry } from '../../../src/agent/telemetry/telemetry.ts'
import type { Env } from '../../../src/env/env.ts'
import { parsePrometheus } from './prometheus-text.ts'

const defaults = defaultAgentConfig('n', '10.0.0.1').telemetry

function told(changes: Partial<TelemetryConfig> = {}) {
  const kept: string[] = []
  const env = {
    clock: { monoMs: () => 0, wallMs: () => 0 },
    machine: { hostName: 'box' },
    metrics: {
      count: (name: string, by: number) => kept.push(`c ${name} ${by}`),
      gauge: (name: string, value: number) => kept.push(`g ${name} ${value}`),
      sample: (name: string, value: number) => kept.push(`s ${name} ${value}`),
      snapshot: () => [],
    },
  } as unknown as Env
  const telemetry = openTelemetry(env, { ...defaults, ...changes }, 'n1')
  const all = (): readonly string[] => {
    telemetry.metrics.count('raft.apply')
    telemetry.metrics.gauge('session_ttl.active', 3)
    telemetry.metrics.sample('raft.commitTime', 1.5)
    return kept.splice(0)
  }
  return { telemetry, all }
}

const everything = ['c raft.apply 1', 'g session_ttl.active 3', 's raft.commitTime 1.5']

describe('telemetry', () => {
  it('hands everything on where nothing is configured, and has nothing for Prometheus', () => {
    const { telemetry, all } = told()
    expect(all()).toEqual(everything)
    expect(telemetry.exposition()).toBeUndefined()
    expect(telemetry.prefix).toBe('svc')
  })

  it('puts the host into the names of gauges for other receivers, unless it is turned off', () => {
    const shown = (changes: Partial<TelemetryConfig>): readonly string[] => told(changes).all()
    const gauge = 'g box.session_ttl.active 3'
    expect(shown({ prometheusRetentionMs: 1 })).toEqual([everything[0], gauge, everything[2]])
    expect(shown({ prometheusRetentionMs: 1, disableHostname: true })).toEqual(everything)
    expect(shown({ disableHostname: true })).toEqual(everything)
  })

  it('keeps what the filter lets through, by full names, in memory too, and takes over another', () => {
    const filter = { allowed: ['svc.raft.apply'], blocked: ['svc.raft'], otherwise: true }
    const { telemetry, all } = told({ filter })
    expect(all()).toEqual([everything[0], everything[1]])
    telemetry.reload({ ...defaults, filter: { allowed: ['svc.session'], blocked: [], otherwise: false } })
    expect(all()).toEqual([everything[1]])
  })

  it('[TEL-006] every name begins with the prefix that is configured', () => {
    const { telemetry, all } = told({ prefix: 'acme', prometheusRetentionMs: 1_000, disableHostname: true })
    all()
    expect(telemetry.prefix).toBe('acme')
    expect([...parsePrometheus(telemetry.exposition() ?? '').keys()]).toEqual([
      'acme_raft_apply',
      'acme_raft_commitTime',
      'acme_session_ttl_active',
    ])
    const bare = told({ prefix: '', prometheusRetentionMs: 1_000 })
    bare.all()
    expect(bare.telemetry.exposition()).toContain('\nraft_apply 1\n')
  })
})

describe('the process itself', () => {
  it('is looked at each second where there is one, until the agent ends; that it may open nothing more is told once', () => {
    const gauges: string[] = []
    const due: (() => void)[] = []
    let closed = 0
    const logged: string[] = []
    let mayOpen = true
    const more = { cpuSeconds: 0.5, startSeconds: 77, pendingWork: 3, gcRuns: 2, gcPauseNs: 7 }
    const process = () => ({ heapBytes: 5, residentBytes: 9, mayOpen, ...more })
    const after = (delayMs: number, fire: () => void) => {
      expect(delayMs).toBe(1_000)
      due.push(fire)
      return { close: () => closed++ }
    }
    const env = {
      clock: { monoMs: () => 0, wallMs: () => 0 },
      timers: { after },
      machine: { hostName: 'box', process },
      metrics: { gauge: (name: string, value: number) => gauges.push(`${name} ${value}`) },
      log: { write: (level: string, _topic: string, text: string) => logged.push(`${level} ${text.split(':')[0]}`) },
    } as unknown as Env
    const telemetry = openTelemetry(env, { ...defaults, prometheusRetentionMs: 1_000, disableHostname: true }, 'n1')
    due.shift()?.()
    const each = ['alloc_bytes 5', 'sys_bytes 9', 'num_goroutines 3', 'total_gc_runs 2', 'total_gc_pause_ns 7']
    expect(gauges).toEqual([...Array(2)].flatMap(() => each.map((gauge) => `runtime.${gauge}`)))
    const families = parsePrometheus(telemetry.exposition() ?? '')
    expect([...families.keys()]).toEqual([
      'svc_runtime_alloc_bytes',
      'svc_runtime_num_goroutines',
      'svc_runtime_sys_bytes',
      'svc_runtime_total_gc_pause_ns',
      'svc_runtime_total_gc_runs',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
    ])
    expect(families.get('process_start_time_seconds')?.samples.get('process_start_time_seconds')).toBe(77)
    for (const may of [false, false, true]) {
      mayOpen = may
      due.shift()?.()
    }
    expect(logged).toEqual(['error No file descriptor is left', 'info There are file descriptors again'])
    telemetry.close()
    expect(closed).toBe(1)
  })
})

describe('a filter of metrics', () => {
  const filter = { allowed: ['svc.raft.apply', 'svc.x'], blocked: ['svc.raft', 'svc.x'], otherwise: true }

  it.each([
    ['svc.raft.apply', true],
    ['svc.raft.applyMore', true],
    ['svc.raft.commitTime', false],
    ['svc.rafting', false],
    ['svc.x.y', false],
    ['svc.kvs.apply', true],
    ['svc', true],
  ])('of %s says %s: the longest beginning counts, and to block wins over to allow', (name, kept) => {
    expect(passes(filter, name)).toBe(kept)
  })

  it('drops what no rule speaks of where that is the default', () => {
    expect(passes({ ...filter, otherwise: false }, 'svc.kvs.apply')).toBe(false)
    expect(passes({ ...filter, otherwise: false }, 'svc.raft.apply')).toBe(true)
  })
})

describe('a line of statsd', () => {
  function lines(format = plainLines): readonly string[] {
    const sent: string[] = []
    const sink = new StatsdLines({ send: (line) => sent.push(line), close: () => {} }, format)
    sink.count('svc.raft.apply', 2)
    sink.gauge('svc.box.a:b|c d', 1.25)
    sink.sample('svc.raft.commitTime', 0.5)
    sink.gauge('svc.none', Number.NaN)
    return sent
  }

  it('has a name, a value and a type, and no value that is no number', () => {
    expect(lines()).toEqual([
      'svc.raft.apply:2.000000|c\n',
      'svc.box.a_b_c_d:1.250000|g\n',
      'svc.raft.commitTime:0.500000|ms\n',
    ])
  })

  it('of DogStatsD has tags, whole counts, and leaves the host to the receiver', () => {
    expect(lines({ tags: ['env:prod', 'a b|c'], wholeCounts: true, leavesOut: 'box' })).toEqual([
      'svc.raft.apply:2|c|#env:prod,a_b_c\n',
      'svc.a_b_c_d:1.250000|g|#env:prod,a_b_c\n',
      'svc.raft.commitTime:0.500000|ms|#env:prod,a_b_c\n',
    ])
  })
})
