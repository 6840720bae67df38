import { describe, expect, it } from 'vitest'
import { appendRequest, Cluster, find, voteRequest } from './cluster.ts'

const trio = ['s1', 's2', 's3'] as const

/** `s1` follows `s2`, which it hears at these intervals, in milliseconds, until `untilMs`. */
function hearing(everyMs: readonly number[], untilMs: number, detection: 'adaptive' | 'fixed' = 'adaptive'): Cluster {
  const cluster = new Cluster({ voters: trio, running: ['s1'], timing: { detection } })
  cluster.nowMs = 5_000
  let heard = 0
  for (let round = 0; heard <= untilMs; round++) {
    cluster.receive('s1', 's2', appendRequest())
    const next = everyMs[round % everyMs.length] ?? 0
    heard += next
    cluster.nowMs += next
  }
  cluster.nowMs -= everyMs[0] ?? 0
  cluster.receive('s1', 's2', appendRequest())
  cluster.mail()
  return cluster
}

/** How long `s1` is loyal from now on, to the tenth of a heartbeat timeout: until then it refuses a candidate. */
function loyalMs(cluster: Cluster): number {
  for (let waited = 0; waited <= 2_000; waited += 100) {
    cluster.receive('s1', 's3', voteRequest({ pre: true, term: 3 }))
    if (cluster.mailOf('vote-response').some(({ granted }) => granted)) return waited
    cluster.nowMs += 100
  }
  return Number.POSITIVE_INFINITY
}

describe('a follower that hears its leader regularly', () => {
  it('waits for as long as the lease, and stands soon after', () => {
    expect(loyalMs(hearing([100], 3_000))).toBe(500)
    const cluster = hearing([100], 3_000)
    cluster.nowMs += 400
    expect(find(cluster.fire('s1', 'election'), 'set-timer')).toMatchObject({ minMs: 100, maxMs: 200 })
    cluster.nowMs += 100
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })

  it('waits for two and a half times the longest silence that ended, up to the whole timeout', () => {
    expect(loyalMs(hearing([100, 100, 100, 280], 5_000))).toBe(700)
    expect(loyalMs(hearing([100, 100, 900], 5_000))).toBe(1_000)
  })

  it('remembers a silence for two windows, and forgets it then', () => {
    const cluster = hearing([100, 100, 900], 5_000)
    for (let heard = 0; heard < 4_100; heard += 100) {
      cluster.nowMs += 100
      cluster.receive('s1', 's2', appendRequest())
    }
    cluster.mail()
    expect(loyalMs(cluster)).toBe(500)
  })
})

describe('the whole timeout is waited for', () => {
  it('by a follower that has not heard its leader for long, or hears another one', () => {
    expect(loyalMs(hearing([100], 1_500))).toBe(1_000)
    const cluster = hearing([100], 3_000)
    cluster.receive('s1', 's3', appendRequest({ term: 3 }))
    expect(cluster.raft('s1').loyalUntilMs).toBe(cluster.nowMs + 1_000)
  })

  it('where the setting says so', () => {
    expect(loyalMs(hearing([100], 3_000, 'fixed'))).toBe(1_000)
  })
})
