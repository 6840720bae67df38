import { expect, it } from 'vitest'
import type { Aggregate, MetricsInterval } from '../../../src/env/observe.ts'
import { metricsText } from '../../../src/features/agent/metrics-text.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'

const one: Aggregate = {
  name: 'raft.apply',
  labels: undefined,
  count: 6,
  sum: 6,
  sumOfSquares: 6,
  min: 1,
  max: 1,
  lastWallMs: 9_000,
}

it('shows metrics a line each: gauges, counters and samples of every interval, with labels as parts of the name', () => {
  const took = { ...one, name: 'took', sum: 20, sumOfSquares: 120, count: 4, min: 2, max: 8 }
  const interval: MetricsInterval = {
    startMs: 0,
    gauges: [{ name: 'g', labels: undefined, value: 1.5 }],
    counters: [one, { ...one, labels: labelsOf(['service', 'a\nb\u001b[2J'], ['tag', 't']) }],
    samples: [took],
    dropped: 0,
  }
  const next = { ...interval, startMs: 10_000, gauges: [], counters: [] }
  const at = '[1970-01-01 00:00:00 +0000 UTC]'
  const updated = 'LastUpdated: 1970-01-01 00:00:09 +0000 UTC'
  const spread = `'svc.took': Count: 4 Min: 2.000 Mean: 5.000 Max: 8.000 Stddev: 2.582 Sum: 20.000 ${updated}`
  expect(metricsText([interval, next], 'svc').split('\n')).toEqual([
    `${at}[G] 'svc.g': 1.500`,
    `${at}[C] 'svc.raft.apply': Count: 6 Sum: 6.000 ${updated}`,
    `${at}[C] 'svc.raft.apply.a_b_[2J.t': Count: 6 Sum: 6.000 ${updated}`,
    `${at}[S] ${spread}`,
    `[1970-01-01 00:00:10 +0000 UTC][S] ${spread}`,
    '',
  ])
  expect(metricsText([interval], '').startsWith(`${at}[G] 'g': 1.500\n`)).toBe(true)
})
