import { describe, expect, it } from 'vitest'
import { ServiceWatcher } from '../../../sim/workload/service-watcher.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }
const dns = { host: '10.0.0.1', port: 8600 }

/** How an agent does, second by second: so many instances, or no answer. */
type Seconds = readonly (number | 'silent')[]

/** The gaps that a watcher over HTTP finds at an agent that answers like this; there is no DNS. */
function gapsOf(seconds: Seconds, silentMsMax: number | undefined): Promise<readonly string[]> {
  return inSimulation({}, async (simulation) => {
    const gaps: string[] = []
    const agent = simulation.addNode({ name: 'a1', host: http.host })
    const serve = (count: number) => async (env: Env) => {
      // Each answer takes a moment, and each has an index of its own: no read is held.
      await env.http.serve(http, async () => {
        const rested = env.deferred<void>()
        env.timers.after(100, () => rested.resolve())
        await rested.promise
        const body = JSON.stringify(Array.from({ length: count }, () => ({})))
        return { status: 200, headers: [['X-Svc-Index', '1']], body }
      })
    }
    const plan = { service: 'web', atLeast: 2, silentMsMax, host: '10.0.0.9' }
    simulation.addNode({ name: 'watcher', host: plan.host }).boot((env) => {
      const watched = { name: 'a1', http, dns }
      new ServiceWatcher(env, plan, watched, (what) => gaps.push(what)).start()
    })
    for (const [at, count] of seconds.entries()) {
      if (agent.running) agent.crash({ disk: 'kept' })
      if (count !== 'silent') agent.boot(serve(count))
      await simulation.run({ untilMs: (at + 1) * 1_000 })
    }
    return gaps
  })
}

describe('a watcher of a service', () => {
  it('finds nothing missing while there are enough instances, nor before there were', async () => {
    expect(await gapsOf([1, 2, 3, 2], undefined)).toEqual([])
  })

  it('finds it out when there are fewer', async () => {
    expect((await gapsOf([2, 1], undefined))[0]).toBe('a1 has 1 of 2 instances of web over HTTP')
  })

  it('takes silence for none, however long, where nothing is said of it', async () => {
    expect(await gapsOf([2, 'silent', 'silent', 'silent', 2], undefined)).toEqual([])
  })

  it('bears a silence up to its bound, again and again', async () => {
    expect(await gapsOf([2, 'silent', 2, 'silent', 2, 'silent', 2], 1_500)).toEqual([])
  })

  it('and no longer', async () => {
    const gaps = await gapsOf([2, 'silent', 'silent', 'silent'], 1_500)
    expect(gaps[0]).toMatch(/^a1 has said nothing of web over HTTP for 1\.[5-9]\d*s$/)
  })

  it('nor one that began before anything was heard', async () => {
    expect(await gapsOf(['silent', 'silent', 'silent', 2], 1_500)).toEqual([])
  })
})
