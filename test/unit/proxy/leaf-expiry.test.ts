import { describe, expect, it } from 'vitest'
import { utcText } from '../../../src/base/utc-text.ts'
import { LeafExpiry } from '../../../src/proxy/following.ts'
import { HandClock } from '../features/hand-clock.ts'

const hourMs = 3_600_000
const soon = 'The leaf certificate expires soon, and the agent provides no new one'
const over = 'The leaf certificate has expired, and the agent provides no new one: new connections fail until it does'

const leaf = (fromMs: number, hours: number) => ({
  ValidAfter: utcText(fromMs),
  ValidBefore: utcText(fromMs + hours * hourMs),
})

describe('a leaf that is not renewed', () => {
  it('is said to be late when an agent would have renewed it, to have expired when it has, and that each hour', async () => {
    const clock = new HandClock()
    const expiry = new LeafExpiry(clock.env, 'web')
    expiry.follow(leaf(0, 10))
    await clock.advance(9 * hourMs)
    expect(clock.logged).toEqual([])
    await clock.advance(0.5 * hourMs)
    expect(clock.logged).toEqual([soon])
    await clock.advance(0.5 * hourMs)
    expect(clock.logged).toEqual([soon, over])
    await clock.advance(1.01 * hourMs)
    expect(clock.logged).toEqual([soon, over, over])
    expiry.close()
    expect(clock.timers).toBe(0)
  })

  it('is forgotten as soon as there is another one', async () => {
    const clock = new HandClock()
    const expiry = new LeafExpiry(clock.env, 'web')
    expiry.follow(leaf(0, 10))
    await clock.advance(8 * hourMs)
    expiry.follow(leaf(8 * hourMs, 10))
    expect(clock.timers).toBe(1)
    await clock.advance(9 * hourMs)
    expect(clock.logged).toEqual([])
    expiry.close()
  })

  it('is noticed though the wall clock was set', async () => {
    const clock = new HandClock()
    let aheadMs = 0
    const wall = { monoMs: () => clock.env.clock.monoMs(), wallMs: () => clock.env.clock.wallMs() + aheadMs }
    const expiry = new LeafExpiry({ ...clock.env, clock: wall }, 'web')
    expiry.follow(leaf(0, 10))
    aheadMs = 11 * hourMs
    await clock.advance(60_000)
    expect(clock.logged).toEqual([over])
    expiry.close()
  })

  it('is not watched where its term cannot be read', () => {
    const clock = new HandClock()
    const expiry = new LeafExpiry(clock.env, 'web')
    expiry.follow({ ValidAfter: '', ValidBefore: 'tomorrow' })
    expect(clock.timers).toBe(0)
  })
})
