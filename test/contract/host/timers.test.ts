import { describe, expect, it } from 'vitest'
import { hostClock } from '../../../src/host/clock.ts'
import { HostTimers } from '../../../src/host/timers.ts'

/** Waits until the timers are done, by one more that is due after all of them. */
function settled(timers: HostTimers, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(delayMs, resolve)
  })
}

describe('timers', () => {
  it('fire in the order of their due time, and those due together in the order of their setting', async () => {
    // A clock that stands still while they are set: so that many of them are due at the very same instant.
    let frozenMs: number | undefined = hostClock.monoMs()
    const timers = new HostTimers({ ...hostClock, monoMs: () => frozenMs ?? hostClock.monoMs() })
    const order: string[] = []
    for (const [name, delayMs] of [
      ['c', 12],
      ['a1', 5],
      ['b', 5.5],
      ['a2', 5],
      ['first', -1],
      ['a3', 5],
      ['second', 0],
    ] as const) {
      timers.after(delayMs, () => order.push(name))
    }
    const end = settled(timers, 20)
    frozenMs = undefined
    await end
    expect(order).toEqual(['first', 'second', 'a1', 'a2', 'a3', 'b', 'c'])
  })

  it('never fire before the monotonic clock has reached their time', async () => {
    const timers = new HostTimers(hostClock)
    const early: number[] = []
    for (let i = 0; i < 300; i++) {
      const delayMs = ((i * 37) % 50) + i / 301
      const dueMs = hostClock.monoMs() + delayMs
      timers.after(delayMs, () => {
        if (hostClock.monoMs() < dueMs) early.push(dueMs - hostClock.monoMs())
      })
    }
    await settled(timers, 60)
    expect(early).toEqual([])
  })

  it('fire in a turn of their own: what one makes ready runs before the next', async () => {
    const timers = new HostTimers(hostClock)
    const order: string[] = []
    timers.after(1, () => {
      order.push('first')
      void Promise.resolve().then(() => order.push('its promise'))
    })
    timers.after(1, () => order.push('second'))
    await settled(timers, 5)
    expect(order).toEqual(['first', 'its promise', 'second'])
  })

  it('do not fire once closed, also when closed by one that is due at the same instant', async () => {
    let frozenMs: number | undefined = hostClock.monoMs()
    const timers = new HostTimers({ ...hostClock, monoMs: () => frozenMs ?? hostClock.monoMs() })
    const fired: string[] = []
    timers.after(2, () => {
      fired.push('closer')
      victim.close()
    })
    const victim = timers.after(2, () => fired.push('victim'))
    const early = timers.after(1, () => fired.push('early'))
    early.close()
    early.close()
    frozenMs = undefined
    await settled(timers, 5)
    expect(fired).toEqual(['closer'])
  })

  it('keep apart what is set and closed in great numbers', async () => {
    const timers = new HostTimers(hostClock)
    let fired = 0
    const kept = Array.from({ length: 50 }, (_, i) => timers.after(20 + i / 100, () => fired++))
    for (let i = 0; i < 30_000; i++) timers.after(10_000 + i, () => fired++).close()
    kept[0]?.close()
    await settled(timers, 30)
    expect(fired).toBe(49)
    timers.stop()
  })

  it('wait for longer than Node can count in one timer', async () => {
    const timers = new HostTimers(hostClock)
    let fired = false
    timers.after(2 ** 31 + 5, () => {
      fired = true
    })
    timers.after(Number.POSITIVE_INFINITY, () => {
      fired = true
    })
    await settled(timers, 20)
    expect(fired).toBe(false)
    timers.stop()
    expect(timers.after(0, () => undefined).close()).toBeUndefined()
  })

  it('refuse a delay that is no number', () => {
    expect(() => new HostTimers(hostClock).after(Number.NaN, () => undefined)).toThrow(/delay/)
  })
})
