import { describe, expect, it } from 'vitest'
import { metricsIntervalMs as intervalMs } from '../../../src/env/observe.ts'
import { HostMetrics, intervalsKept, seriesMax } from '../../../src/host/metrics.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'

function metricsAt(startMs: number) {
  const clock = { nowMs: startMs, wallMs: () => clock.nowMs, monoMs: () => 0 }
  return { clock, metrics: new HostMetrics(clock) }
}

const start = 1_700_000_000_000
const none = { labels: undefined, lastWallMs: start }

describe('metrics', () => {
  it('sum up what was counted and sampled in an interval, and keep the last value of a gauge', () => {
    const { clock, metrics } = metricsAt(start)
    metrics.count('raft.apply')
    metrics.count('raft.apply', 4)
    clock.nowMs += 3
    for (const value of [2, 4, 9]) metrics.sample('raft.commitTime', value)
    metrics.gauge('b', 1)
    metrics.gauge('a', 1)
    metrics.gauge('b', 2)
    expect(metrics.snapshot()).toEqual([
      {
        startMs: start,
        gauges: [
          { name: 'a', labels: undefined, value: 1 },
          { name: 'b', labels: undefined, value: 2 },
        ],
        counters: [{ name: 'raft.apply', ...none, count: 2, sum: 5, sumOfSquares: 17, min: 1, max: 4 }],
        samples: [
          {
            name: 'raft.commitTime',
            ...none,
            count: 3,
            sum: 15,
            sumOfSquares: 101,
            min: 2,
            max: 9,
            lastWallMs: start + 3,
          },
        ],
        dropped: 0,
      },
    ])
  })

  it('sum up each series of a name by itself, in the order of labels', () => {
    const { metrics } = metricsAt(start)
    const [one, two] = [labelsOf(['op', 'set']), labelsOf(['op', 'cas'])]
    metrics.count('kvs', 1, one)
    metrics.count('kvs', 2, two)
    metrics.count('kvs', 4)
    metrics.count('kvs', 8, labelsOf(['op', 'set']))
    metrics.gauge('kvs', 5, one)
    metrics.gauge('kvs', 6, one)
    const [interval] = metrics.snapshot()
    const shown = interval?.counters.map(({ labels, sum }) => [labels?.key, sum])
    expect(shown).toEqual([
      [undefined, 4],
      [';op=cas', 2],
      [';op=set', 9],
    ])
    expect(interval?.gauges).toEqual([{ name: 'kvs', labels: one, value: 6 }])
  })

  it('begin an interval at each multiple of ten seconds and keep one minute', () => {
    const { clock, metrics } = metricsAt(start + 7)
    for (let i = 0; i < intervalsKept + 2; i++) {
      metrics.count(`n${i}`)
      clock.nowMs += intervalMs
    }
    const kept = metrics.snapshot()
    expect(kept).toHaveLength(intervalsKept)
    expect(kept.map((each) => (each.startMs - start) / intervalMs)).toEqual([3, 4, 5, 6, 7, 8])
    expect(kept.flatMap((each) => each.counters.map(({ name }) => name))).toEqual(['n3', 'n4', 'n5', 'n6', 'n7'])
  })

  it('show nothing of the future after the wall clock was set back', () => {
    const { clock, metrics } = metricsAt(start)
    metrics.count('before')
    clock.nowMs -= 25_000
    metrics.count('after')
    expect(metrics.snapshot().map((each) => each.startMs - start)).toEqual([-30_000])
    clock.nowMs += 10 * 60_000
    expect(metrics.snapshot()).toHaveLength(1)
  })

  it('drop and count what comes under too many names, and continue with those they know', () => {
    const { metrics } = metricsAt(start)
    for (let i = 0; i < seriesMax + 5; i++) metrics.count(`name ${i}`)
    metrics.count('name 0')
    const [interval] = metrics.snapshot()
    expect(interval?.counters).toHaveLength(seriesMax)
    expect(interval?.dropped).toBe(5)
    expect(interval?.counters.find(({ name }) => name === 'name 0')?.count).toBe(2)
  })
})
