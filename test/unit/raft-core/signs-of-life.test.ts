import { describe, expect, it } from 'vitest'
import { silenceOf } from '../../../src/raft/core/signs-of-life.ts'
import { appendResponse, type Cluster, leaderAlone } from './cluster.ts'

/** Lets time pass as an event loop that runs has it: no heartbeat comes late. */
function passes(cluster: Cluster, ms: number): void {
  const untilMs = cluster.nowMs + ms
  while (cluster.nowMs < untilMs) {
    cluster.nowMs = Math.min(untilMs, cluster.nowMs + 150)
    cluster.fire('s1', 'heartbeat')
  }
}

const silence = (cluster: Cluster, id = 's2'): number | undefined => silenceOf(cluster.raft('s1'), id, cluster.nowMs)

describe('the silence of a follower', () => {
  it('begins with the leadership, and ends with every reply of the term', () => {
    const cluster = leaderAlone({}, [])
    expect(silence(cluster)).toBe(0)
    passes(cluster, 3000)
    expect(silence(cluster)).toBe(3000)
    const replies = [
      appendResponse({ index: 1 }),
      appendResponse({ success: true, index: 0 }),
      appendResponse({ success: false, index: 0 }),
      {
        kind: 'snapshot-response',
        term: 2,
        index: 1,
        nextOffset: 0,
        installed: false,
        round: 1,
      },
    ] as const
    for (const reply of replies) {
      cluster.receive('s1', 's2', reply)
      expect(silence(cluster)).toBe(0)
      passes(cluster, 1000)
      expect(silence(cluster)).toBe(1000)
    }
    expect(silence(cluster, 's3')).toBe(7000)
  })

  it('is not ended by what was said in an earlier term', () => {
    const cluster = leaderAlone()
    passes(cluster, 1000)
    cluster.receive('s1', 's2', appendResponse({ term: 1 }))
    expect(silence(cluster)).toBe(1000)
  })

  it('counts anew after a stall of the leader, from the first moment on in which it runs again', () => {
    const cluster = leaderAlone()
    passes(cluster, 5000)
    cluster.nowMs += 30_000
    // Whatever runs first after the stall: the heartbeat has not fired yet.
    expect(silence(cluster)).toBe(0)
    cluster.fire('s1', 'heartbeat')
    expect(silence(cluster)).toBe(0)
    passes(cluster, 2000)
    expect(silence(cluster)).toBe(2000)
  })

  it('goes on over a heartbeat that is a little late', () => {
    const cluster = leaderAlone()
    passes(cluster, 1000)
    cluster.nowMs += 450
    cluster.fire('s1', 'heartbeat')
    expect(silence(cluster)).toBe(1450)
  })

  it('is known to the leader alone, and of its followers', () => {
    const cluster = leaderAlone()
    expect(silence(cluster, 's9')).toBeUndefined()
    cluster.receive('s1', 's2', appendResponse({ term: 3 }))
    expect(silence(cluster)).toBeUndefined()
  })
})
