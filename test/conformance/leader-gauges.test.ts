import { describe, expect, it } from 'vitest'
import type { Env } from '../../src/env/env.ts'
import { metricsIntervalMs } from '../../src/env/observe.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

/** What pages tell operators to alarm on, or to watch. */
const told = ['autopilot.healthy', 'autopilot.failure_tolerance', 'connect.ca.healthy', 'connect.ca.root.expiry']

describe('a gauge of the leader', () => {
  it('is set in every interval of the metrics, or an alarm on it would see it now and then', async () => {
    const set = new Set<string>()
    const noted = (env: Env): Env => ({
      ...env,
      metrics: {
        count: (name, by) => env.metrics.count(name, by),
        gauge: (name, value) => {
          set.add(name)
          env.metrics.gauge(name, value)
        },
        sample: (name, value) => env.metrics.sample(name, value),
        snapshot: () => env.metrics.snapshot(),
      },
    })
    const agent = await startSimulatedAgent('default', { more: { connect: { enabled: true } }, wrap: noted })
    try {
      // The authority has begun by then, and has nothing to do for an hour.
      await agent.target.pause(60_000)
      for (let interval = 0; interval < 20; interval++) {
        set.clear()
        await agent.target.pause(metricsIntervalMs)
        const missing = [...told, 'session_ttl.active'].filter((name) => !set.has(name))
        expect([interval, missing]).toEqual([interval, []])
      }
    } finally {
      await agent.stop()
    }
  })
})
