import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import type { Env } from '../../../src/env/env.ts'
import type { LogLevel, MetricsInterval } from '../../../src/env/observe.ts'
import { metricsJson, timestamp } from '../../../src/features/agent/metrics-json.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { LoneServer } from './lone-server.ts'

const one = {
  name: 'raft.commitTime',
  labels: undefined,
  count: 4,
  sum: 20,
  sumOfSquares: 120,
  min: 2,
  max: 8,
  lastWallMs: 0,
}

function interval(startMs: number, parts: Partial<MetricsInterval> = {}): MetricsInterval {
  return { startMs, gauges: [], counters: [], samples: [], dropped: 0, ...parts }
}

describe('metrics', () => {
  it('are those of the last whole interval, or of the first while it runs', () => {
    const start = 1_795_231_490_000
    const shown = (nowMs: number) =>
      (metricsJson([interval(start), interval(start + 10_000)], nowMs, 'svc') as { Timestamp: string }).Timestamp
    expect(shown(start + 19_999)).toBe(timestamp(start))
    expect(shown(start + 20_000)).toBe(timestamp(start + 10_000))
    expect((metricsJson([interval(start)], start, 'svc') as { Timestamp: string }).Timestamp).toBe(timestamp(start))
  })

  it('[TEL-008] have count, rate, sum, extremes, mean and deviation as the field shows them', () => {
    const json = metricsJson(
      [interval(0, { gauges: [{ name: 'g', labels: undefined, value: 1.5 }], counters: [one] })],
      10_000,
      'svc',
    )
    expect(JSON.parse(writeJson(json))).toEqual({
      Timestamp: '1970-01-01 00:00:00 +0000 UTC',
      Gauges: [{ Name: 'svc.g', Value: 1.5, Labels: {} }],
      Points: [],
      Counters: [
        {
          Name: 'svc.raft.commitTime',
          Count: 4,
          Rate: 2,
          Sum: 20,
          Min: 2,
          Max: 8,
          Mean: 5,
          Stddev: Math.sqrt(80 / 12),
          Labels: {},
        },
      ],
      Samples: [],
    })
  })

  it('[TEL-008] have labels as an object, the last value of a label that occurs twice', () => {
    const labels = labelsOf(['service', 'web'], ['tag', 'a'], ['tag', 'b'])
    const json = metricsJson([interval(0, { counters: [{ ...one, labels }] })], 10_000, 'svc')
    expect(json.Counters?.map(({ Name, Labels }) => [Name, Labels])).toEqual([
      ['svc.raft.commitTime', { service: 'web', tag: 'b' }],
    ])
  })

  it('[TEL-008] one value has no deviation, and what JSON cannot say is 0', () => {
    const single = { ...one, count: 1, min: Number.NEGATIVE_INFINITY }
    const json = metricsJson([interval(0, { samples: [single] })], 10_000, '') as { Samples: readonly object[] }
    expect(json.Samples[0]).toMatchObject({ Stddev: 0, Min: 0 })
  })

  it('times are written as the platform would write them', () => {
    for (const wallMs of [
      0, 951_782_399_000, 951_782_400_000, 1_795_231_490_123, 4_107_542_400_000, 1_709_164_800_000,
    ]) {
      const iso = new Date(wallMs).toISOString()
      expect(timestamp(wallMs)).toBe(`${iso.slice(0, 10)} ${iso.slice(11, 19)} +0000 UTC`)
    }
  })
})

describe('GET /v1/agent/monitor', () => {
  it('sends the lines there are, then those that come, of the level asked for', async () => {
    let say = (_line: string): void => {}
    let followed: LogLevel | undefined
    let closed = 0
    const log = {
      follow: (level: LogLevel, use: (line: string) => void) => {
        followed = level
        say = use
        return { recent: ['before'], close: () => closed++ }
      },
    }
    const server = new LoneServer({ log } as unknown as Env)
    const response = await server.request('GET', '/v1/agent/monitor?loglevel=warn')
    if (response.kind !== 'stream') throw new Error(response.kind)
    let text = ''
    const source = response.stream.open({
      write: (more) => {
        text += more
        return true
      },
    })
    say('after')
    expect([followed, text]).toEqual(['warn', 'before\nafter\n'])
    source.close()
    expect(closed).toBe(1)
  })

  it('an unknown level is refused', async () => {
    const response = await new LoneServer({} as Env).request('GET', '/v1/agent/monitor?loglevel=loud')
    expect(response).toEqual({ kind: 'failure', failure: { kind: 'bad-request', message: 'Unknown log level: LOUD' } })
  })
})
