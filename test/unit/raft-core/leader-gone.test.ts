import { describe, expect, it } from 'vitest'
import type { ServerId } from '../../../src/raft/core/types.ts'
import { appendRequest, Cluster, find, voteRequest } from './cluster.ts'

const trio = ['s1', 's2', 's3'] as const

function gone(cluster: Cluster, at: ServerId, leader: ServerId) {
  return cluster.step(at, { kind: 'leader-gone', leader })
}

/** `s1` follows `s2`, which it has just heard in term 2. */
function follower(voters: readonly ServerId[] = trio): Cluster {
  const cluster = new Cluster({ voters, running: ['s1'] })
  cluster.nowMs = 5_000
  cluster.receive('s1', 's2', appendRequest())
  cluster.mail()
  return cluster
}

describe('a follower that has seen its leader’s process gone', () => {
  it('keeps to no leader from that moment, and stands after a time drawn from 50 ms', () => {
    const cluster = follower()
    const effects = gone(cluster, 's1', 's2')
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'follower', leader: undefined } })
    expect(find(effects, 'set-timer')).toEqual({ kind: 'set-timer', timer: 'election', minMs: 0, maxMs: 50 })
    cluster.receive('s1', 's3', voteRequest({ pre: true, term: 3 }))
    expect(cluster.mailOf('vote-response')).toMatchObject([{ to: 's3', granted: true }])
  })

  it('asks around when that time comes, however lately it heard the leader, and enters no term by asking', () => {
    const cluster = follower()
    gone(cluster, 's1', 's2')
    cluster.nowMs += 1
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'pre-candidate' } })
    expect(cluster.mailOf('vote-request')).toMatchObject([
      { to: 's2', pre: true, term: 3, transfer: false },
      { to: 's3', pre: true, term: 3, transfer: false },
    ])
  })

  it('asks again with longer and longer waits, up to the usual one', () => {
    const cluster = follower()
    const waits = [find(gone(cluster, 's1', 's2'), 'set-timer')]
    for (let i = 0; i < 21; i++) waits.push(find(cluster.fire('s1', 'election'), 'set-timer'))
    expect(waits.slice(0, 4).map((wait) => [wait?.minMs, wait?.maxMs])).toEqual([
      [0, 50],
      [50, 100],
      [100, 150],
      [150, 200],
    ])
    expect(waits[19]).toMatchObject({ minMs: 950, maxMs: 1000 })
    expect(waits[20]).toMatchObject({ minMs: 1000, maxMs: 2000 })
    expect(waits[21]).toMatchObject({ minMs: 1000, maxMs: 2000 })
  })

  it('stands no later than usual where the usual time is short', () => {
    const cluster = new Cluster({
      voters: trio,
      running: ['s1'],
      timing: { heartbeatTimeoutMs: 35, electionTimeoutMs: 52, leaderLeaseMs: 20 },
    })
    cluster.receive('s1', 's2', appendRequest())
    expect(find(gone(cluster, 's1', 's2'), 'set-timer')).toMatchObject({ minMs: 0, maxMs: 35 })
  })

  it('has time again as soon as it hears a leader, the same or another', () => {
    for (const [leader, term] of [
      ['s2', 2],
      ['s3', 3],
    ] as const) {
      const cluster = follower()
      gone(cluster, 's1', 's2')
      cluster.fire('s1', 'election')
      cluster.receive('s1', leader, appendRequest({ term }))
      cluster.mail()
      expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader })
      cluster.receive('s1', leader === 's2' ? 's3' : 's2', voteRequest({ term: 9, lastIndex: 9, lastTerm: 8 }))
      expect(cluster.mail()).toEqual([])
      cluster.nowMs += 60
      expect(find(cluster.fire('s1', 'election'), 'set-timer')).toMatchObject({ minMs: 940, maxMs: 1940 })
    }
  })

  it('gives a candidate that it votes for the usual time', () => {
    const cluster = follower()
    gone(cluster, 's1', 's2')
    cluster.receive('s1', 's3', voteRequest({ term: 3 }))
    expect(cluster.mailOf('vote-response')).toMatchObject([{ to: 's3', granted: true }])
    cluster.nowMs += 60
    expect(find(cluster.fire('s1', 'election'), 'set-timer')).toMatchObject({ minMs: 940, maxMs: 1940 })
  })

  it('stays in a hurry when its candidacy fails against a rival of the same moment', () => {
    const cluster = follower()
    gone(cluster, 's1', 's2')
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's3', { kind: 'vote-response', pre: true, term: 3, granted: true })
    expect(cluster.raft('s1')).toMatchObject({ term: 3, role: { kind: 'candidate' } })
    cluster.receive('s1', 's3', { kind: 'vote-response', pre: false, term: 3, granted: false })
    expect(find(cluster.fire('s1', 'election'), 'set-timer')).toMatchObject({ minMs: 100, maxMs: 150 })
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })

  it('of two survivors of three, one leads, and what was acknowledged is there', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.propose('s1', 'x')
    cluster.deliver()
    cluster.crash('s1')
    for (const id of ['s2', 's3']) gone(cluster, id, 's1')
    cluster.fire('s3', 'election')
    cluster.deliver()
    expect(cluster.raft('s3')).toMatchObject({ term: 3, role: { kind: 'leader' } })
    expect(cluster.raft('s2').role).toEqual({ kind: 'follower', leader: 's3' })
    expect(cluster.applied.get('s2')).toContain('x')
  })

  it('without a vote, only keeps to no leader', () => {
    const cluster = new Cluster({ voters: ['s2', 's3'], nonvoters: ['s1'], running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    expect(find(gone(cluster, 's1', 's2'), 'set-timer')).toBeUndefined()
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: undefined })
  })
})

describe('a process that is gone means nothing', () => {
  it('when it was not the leader’s', () => {
    const cluster = follower()
    expect(gone(cluster, 's1', 's3')).toEqual([])
    cluster.receive('s1', 's3', voteRequest({ term: 3 }))
    expect(cluster.mail()).toEqual([])
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
  })

  it('when another leads by now', () => {
    const cluster = follower()
    cluster.receive('s1', 's3', appendRequest({ term: 3 }))
    expect(gone(cluster, 's1', 's2')).toEqual([])
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's3' })
  })

  it('to a leader, and to a server that knows of none and may have been loyal before its restart', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    expect(gone(cluster, 's1', 's1')).toEqual([])
    expect(gone(cluster, 's1', 's2')).toEqual([])
    cluster.crash('s2')
    cluster.start('s2')
    expect(gone(cluster, 's2', 's1')).toEqual([])
    cluster.mail()
    cluster.receive('s2', 's3', voteRequest({ term: 3, lastIndex: 9, lastTerm: 2 }))
    expect(cluster.mail()).toEqual([])
  })

  it('to others: a follower that still hears the leader does not answer', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.fire('s1', 'heartbeat')
    cluster.deliver()
    gone(cluster, 's2', 's1')
    for (let i = 0; i < 5; i++) {
      cluster.fire('s2', 'election')
      cluster.deliver()
    }
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'leader' } })
    expect(cluster.raft('s3').role).toEqual({ kind: 'follower', leader: 's1' })
    cluster.fire('s1', 'heartbeat')
    cluster.deliver()
    expect(cluster.raft('s2').role).toEqual({ kind: 'follower', leader: 's1' })
  })
})
