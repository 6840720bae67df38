import { describe, expect, it } from 'vitest'
import { RequestBudget } from '../../../src/agent/requests/asking/client-target.ts'
import type { Env } from '../../../src/env/env.ts'
import { HandClock } from '../features/hand-clock.ts'

describe('the requests that a client agent may send', () => {
  const begin = (perSecond: number | undefined, burst: number) => {
    const clock = new HandClock()
    const counted: string[] = []
    const env = { ...clock.env, metrics: { count: (name: string) => counted.push(name) } } as unknown as Env
    const budget = new RequestBudget(env, { perSecond, burst })
    const allowed = (tries: number): number =>
      Array.from({ length: tries }, () => budget.spend()).filter(Boolean).length
    return { clock, counted, budget, allowed }
  }

  it('are a burst, and then so many a second', async () => {
    const { clock, allowed } = begin(2, 5)
    expect(allowed(20)).toBe(5)
    await clock.advance(499)
    expect(allowed(20)).toBe(0)
    await clock.advance(1)
    expect(allowed(20)).toBe(1)
    await clock.advance(3_600_000)
    expect(allowed(20)).toBe(5)
  })

  it('are without number where no rate is configured', () => {
    expect(begin(undefined, 0).allowed(10_000)).toBe(10_000)
  })

  it('follow a reload, which gives no second burst', async () => {
    const { clock, budget, allowed } = begin(undefined, 10)
    budget.setLimits({ perSecond: 1, burst: 3 })
    expect(allowed(20)).toBe(3)
    budget.setLimits({ perSecond: 4, burst: 100 })
    expect(allowed(20)).toBe(0)
    await clock.advance(1_000)
    expect(allowed(20)).toBe(4)
  })

  it('are counted, and those refused as well', () => {
    const { counted, allowed } = begin(1, 1)
    allowed(2)
    expect(counted).toEqual(['client.rpc', 'client.rpc', 'client.rpc.exceeded'])
  })
})
