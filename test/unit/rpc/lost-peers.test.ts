import { describe, expect, it } from 'vitest'
import type { Hello } from '../../../src/rpc/frame.ts'
import { type DialOutcome, LostPeers } from '../../../src/rpc/lost-peers.ts'
import { FakeTime } from '../raft-log/fake-env.ts'

const peer: Hello = { protocol: 1, nodeId: 'b', nodeName: 'b', datacenter: 'dc1', address: '10.0.0.2:8300' }

/** Dials come out as the list says, each after 1 ms; beyond its end nothing answers. */
function searching(...outcomes: readonly DialOutcome[]) {
  const time = new FakeTime()
  const [gone, dialledAtMs]: [string[], number[]] = [[], []]
  const left = [...outcomes]
  const lostPeers = new LostPeers({
    env: {
      detach: () => {},
      timers: { after: (delayMs: number, use: () => void) => time.after(delayMs, use) },
      deferred: <T>() => {
        let resolve: (value: T) => void = () => {}
        const promise = new Promise<T>((settle) => {
          resolve = settle
        })
        return { promise, resolve, reject: () => {} }
      },
    } as never,
    dial: () => {
      dialledAtMs.push(time.nowMs)
      const outcome = left.shift()
      return new Promise((resolve) => {
        if (outcome !== undefined) time.after(1, () => resolve(outcome))
      })
    },
  })
  const watch = { isWatched: () => true, onGone: ({ nodeId }: Hello) => gone.push(nodeId) }
  return { time, gone, dialledAtMs, lostPeers, lose: () => lostPeers.lost(peer, watch) }
}

describe('a peer whose last connection has closed', () => {
  it('is gone when the dial is refused, and is not dialled again', async () => {
    const { time, gone, dialledAtMs, lose } = searching('refused', 'refused')
    lose()
    await time.advance(5000)
    expect(gone).toEqual(['b'])
    expect(dialledAtMs).toHaveLength(1)
  })

  it.each(['connected', 'failed'] as const)('is left alone when the dial comes out as %s', async (outcome) => {
    const { time, gone, dialledAtMs, lose } = searching(outcome, 'refused')
    lose()
    await time.advance(5000)
    expect(gone).toEqual([])
    expect(dialledAtMs).toHaveLength(1)
  })

  it('is dialled a few more times, with longer and longer pauses, while dials are cut short', async () => {
    const { time, gone, dialledAtMs, lose } = searching(...Array.from({ length: 9 }, () => 'cut-short' as const))
    lose()
    await time.advance(5000)
    expect(gone).toEqual([])
    const pauses = dialledAtMs.slice(1).map((at, i) => Math.round(at - (dialledAtMs[i] ?? 0)))
    expect(pauses).toEqual([26, 51, 101, 201])
  })

  it('is gone when a later dial is refused', async () => {
    const { time, gone, lose } = searching('cut-short', 'cut-short', 'refused')
    lose()
    await time.advance(5000)
    expect(gone).toEqual(['b'])
  })

  it('is not gone when it has said hello since, whatever a dial from before finds', async () => {
    const { time, gone, lostPeers, lose } = searching('refused')
    lose()
    lostPeers.met('b')
    await time.advance(5000)
    expect(gone).toEqual([])
  })

  it('is looked for once more when it is lost once more, and only that search tells', async () => {
    const { time, gone, lostPeers, lose } = searching('refused', 'refused')
    lose()
    lostPeers.met('b')
    lose()
    await time.advance(5000)
    expect(gone).toEqual(['b'])
  })

  it('is not reported after the end', async () => {
    const { time, gone, lostPeers, lose } = searching('refused')
    lose()
    lostPeers.stop()
    await time.advance(5000)
    expect(gone).toEqual([])
  })
})
