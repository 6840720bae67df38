import { describe, expect, it } from 'vitest'
import { TimerSet } from '../../../src/raft/driver/timer-set.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { fakeEnv } from '../raft-log/fake-env.ts'

function made() {
  const env = fakeEnv(new CrashDisk())
  const fired: string[] = []
  const timers = new TimerSet(env, (name) => fired.push(`${name} ${env.time.nowMs}`))
  return { env, fired, timers }
}

describe("the core's timers", () => {
  it('fire once, when they are due', async () => {
    const { env, fired, timers } = made()
    timers.set('heartbeat', 100, 101, 1)
    await env.time.advance(1000)
    expect(fired).toEqual(['heartbeat 100'])
  })

  it('fire at the time that was set last, later or earlier, at the cost of one timer', async () => {
    const { env, fired, timers } = made()
    timers.set('election', 100, 101, 1)
    for (let i = 0; i < 10; i++) {
      await env.time.advance(50)
      timers.set('election', 100, 101, 1)
      expect(env.time.pending).toBe(1)
    }
    await env.time.advance(1000)
    expect(fired).toEqual(['election 600'])
    timers.set('election', 500, 501, 1)
    timers.set('election', 20, 21, 1)
    await env.time.advance(1000)
    expect(fired).toEqual(['election 600', 'election 1520'])
  })

  it('do not fire when they are cleared, and may be set again', async () => {
    const { env, fired, timers } = made()
    timers.set('quorum', 100, 101, 1)
    timers.set('election', 100, 101, 1)
    timers.clear('quorum')
    await env.time.advance(50)
    timers.set('quorum', 100, 101, 1)
    await env.time.advance(1000)
    expect(fired).toEqual(['election 100', 'quorum 150'])
    timers.set('quorum', 100, 101, 1)
    timers.clearAll()
    await env.time.advance(1000)
    expect(fired).toHaveLength(2)
    expect(env.time.pending).toBe(0)
  })

  it('draw their time from the range that they are given', async () => {
    const { env, fired, timers } = made()
    const times = new Set<number>()
    for (let i = 0; i < 50; i++) {
      const startMs = env.time.nowMs
      timers.set('election', 100, 200, 1)
      await env.time.advance(200)
      const firedMs = Number(fired[i]?.split(' ')[1]) - startMs
      expect(firedMs).toBeGreaterThanOrEqual(100)
      expect(firedMs).toBeLessThan(200)
      times.add(firedMs)
    }
    expect(times.size).toBeGreaterThan(40)
  })
})
