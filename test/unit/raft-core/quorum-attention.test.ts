import { describe, expect, it } from 'vitest'
import { statusOf } from '../../../src/raft/core/status.ts'
import { appendRequest, appendResponse, Cluster, find, leaderAlone, voteRequest } from './cluster.ts'

const five = ['s1', 's2', 's3', 's4', 's5']

describe('heartbeats and the quorum’s attention', () => {
  it('come in a tenth to a fifth of the timeout, to each follower, with a new round', () => {
    const cluster = leaderAlone()
    expect(find(cluster.fire('s1', 'heartbeat'), 'set-timer')).toEqual({
      kind: 'set-timer',
      timer: 'heartbeat',
      minMs: 100,
      maxMs: 200,
    })
    cluster.mail()
    cluster.fire('s1', 'heartbeat')
    expect(cluster.mailOf('append-request')).toMatchObject([
      { to: 's2', entries: [], previousIndex: 2, previousTerm: 2, commit: 2, round: 3 },
      { to: 's3', round: 3 },
    ])
  })

  it('spare a follower that was sent an append since the last one', () => {
    const cluster = leaderAlone()
    cluster.fire('s1', 'heartbeat')
    cluster.propose('s1', 'a')
    cluster.mail()
    cluster.fire('s1', 'heartbeat')
    expect(cluster.mail()).toEqual([])
    cluster.fire('s1', 'heartbeat')
    expect(cluster.mail()).toHaveLength(2)
  })

  it('do not spare one that has been silent meanwhile: its acknowledgement may wait for a slow disk', () => {
    const cluster = leaderAlone()
    cluster.fire('s1', 'heartbeat')
    cluster.propose('s1', 'a')
    cluster.mail()
    cluster.nowMs += 99
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    cluster.nowMs += 1
    cluster.fire('s1', 'heartbeat')
    expect(cluster.mailOf('append-request')).toMatchObject([{ to: 's3', entries: [] }])
  })

  it('set no timer at a leader without followers, until a change brings the first', () => {
    const cluster = new Cluster({ voters: ['s1'], running: ['s1'] })
    cluster.nowMs = 10_000
    const elected = cluster.fire('s1', 'election')
    expect(cluster.raft('s1').role.kind).toBe('leader')
    expect(elected.filter(({ kind }) => kind === 'set-timer')).toEqual([])
    cluster.nowMs += 3_600_000
    expect(cluster.fire('s1', 'quorum')).toEqual([])
    expect(cluster.fire('s1', 'heartbeat')).toEqual([])
    expect(cluster.raft('s1').role.kind).toBe('leader')
    const change = { kind: 'add-voter', id: 's2', address: 's2:8300' } as const
    const effects = cluster.step('s1', { kind: 'change-requested', requestId: 7, change })
    expect(find(effects, 'set-timer')).toMatchObject({ timer: 'heartbeat', minMs: 100, maxMs: 200 })
    cluster.nowMs += 500
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1').role.kind).toBe('follower')
  })

  it('a leader that a quorum does not answer for as long as its lease steps down', () => {
    const cluster = leaderAlone({ voters: five })
    cluster.nowMs += 300
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    cluster.receive('s1', 's3', appendResponse({ index: 2 }))
    cluster.nowMs += 200
    expect(cluster.fire('s1', 'quorum')).toMatchObject([{ kind: 'set-timer', timer: 'quorum', minMs: 300, maxMs: 301 }])
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    cluster.nowMs += 300
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: undefined })
  })

  it('a leader that removes the server which answered last leads on only for the lease of the others', () => {
    const cluster = leaderAlone()
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    cluster.nowMs += 300
    cluster.receive('s1', 's3', appendResponse({ index: 2 }))
    cluster.nowMs += 100
    const change = { kind: 'remove', id: 's3' } as const
    const effects = cluster.step('s1', { kind: 'change-requested', requestId: 7, change })
    expect(effects).toContainEqual({ kind: 'set-timer', timer: 'quorum', minMs: 100, maxMs: 101 })
    cluster.nowMs += 100
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1').role.kind).toBe('follower')
  })

  it('its last contact is then the moment when it stepped down, not never', () => {
    const cluster = leaderAlone()
    cluster.nowMs += 500
    expect(statusOf(cluster.raft('s1'), cluster.nowMs).lastContactMs).toBe(0)
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1').role.kind).toBe('follower')
    expect(statusOf(cluster.raft('s1'), cluster.nowMs + 70).lastContactMs).toBe(70)
  })

  it('non-voters do not keep it in office', () => {
    const cluster = leaderAlone({ voters: ['s1', 's2', 's3'], nonvoters: ['s4', 's5'] })
    cluster.nowMs += 500
    cluster.receive('s1', 's4', appendResponse({ index: 2 }))
    cluster.receive('s1', 's5', appendResponse({ index: 2 }))
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1').role.kind).toBe('follower')
  })

  it('“heard” from a follower whose disk is slow keeps it in office, and commits nothing', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.nowMs += 500
    cluster.receive('s1', 's2', appendResponse({ index: 0 }))
    cluster.fire('s1', 'quorum')
    expect(cluster.raft('s1')).toMatchObject({ commit: 2, role: { kind: 'leader' } })
  })

  it('timers of a role that is over do nothing', () => {
    const cluster = leaderAlone()
    expect(cluster.fire('s1', 'election')).toEqual([])
    cluster.receive('s1', 's2', appendRequest({ term: 3 }))
    for (const timer of ['heartbeat', 'quorum', 'transfer'] as const) expect(cluster.fire('s1', timer)).toEqual([])
  })

  it('a deposed leader becomes a follower when it hears the new one, and its tail goes', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3'] })
    cluster.elect('s1')
    cluster.cuts.add('s1')
    cluster.propose('s1', 'lost')
    cluster.elect('s2')
    cluster.propose('s2', 'kept')
    cluster.deliver()
    cluster.cuts.clear()
    cluster.fire('s2', 'heartbeat')
    cluster.fire('s2', 'heartbeat')
    cluster.deliver()
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
    expect(cluster.applied.get('s1')).toEqual(['configuration', 'no-op', 'no-op', 'kept'])
    cluster.nowMs += 5000
    cluster.receive('s1', 's3', voteRequest({ term: 9, lastIndex: 9, lastTerm: 9 }))
    expect(cluster.raft('s1').term).toBe(9)
  })
})
