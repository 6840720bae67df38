import { describe, expect, it } from 'vitest'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RequestRefusal } from '../../../src/raft/core/types.ts'
import { appendRequest, appendResponse, Cluster, find, leaderAlone } from './cluster.ts'

const trio = ['s1', 's2', 's3']

function transfer(cluster: Cluster, to?: string, from = 's1'): readonly RaftEffect[] {
  return cluster.step(from, { kind: 'transfer-requested', requestId: 7, to })
}

function failed(effects: readonly RaftEffect[]): RequestRefusal | undefined {
  return find(effects, 'refused')?.refusal
}

describe('handing leadership on (thesis 3.10)', () => {
  it('a target that has the whole log is told to stand at once', () => {
    const cluster = leaderAlone()
    const effects = transfer(cluster, 's3')
    expect(cluster.mail()).toEqual([{ from: 's1', to: 's3', message: { kind: 'timeout-now', term: 2 } }])
    expect(find(effects, 'set-timer')).toEqual({ kind: 'set-timer', timer: 'transfer', minMs: 1000, maxMs: 1001 })
  })

  it('another is brought up to date first', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    transfer(cluster, 's3')
    expect(cluster.mailOf('timeout-now')).toEqual([])
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(cluster.mailOf('timeout-now')).toEqual([])
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.mailOf('timeout-now')).toMatchObject([{ to: 's3' }])
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.mailOf('timeout-now')).toEqual([])
  })

  it('without a wish it is the voter that has the most', () => {
    const cluster = leaderAlone({ nonvoters: ['s0'] })
    cluster.propose('s1', 'a')
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    cluster.receive('s1', 's0', appendResponse({ index: 3 }))
    cluster.mail()
    transfer(cluster)
    expect(cluster.mailOf('timeout-now')).toMatchObject([{ to: 's3' }])
  })

  it('and not one that is silent, though it may have as much', () => {
    const cluster = leaderAlone()
    for (let round = 2; round < 6; round++) {
      cluster.nowMs += 150
      cluster.fire('s1', 'heartbeat')
      cluster.receive('s1', 's3', appendResponse({ index: 2, round }))
    }
    cluster.mail()
    transfer(cluster)
    expect(cluster.mailOf('timeout-now')).toMatchObject([{ to: 's3' }])
  })

  it('the target skips the question and the others’ loyalty, and wins', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    transfer(cluster, 's2')
    cluster.deliver()
    expect(cluster.raft('s2')).toMatchObject({ term: 3, role: { kind: 'leader' } })
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
    expect(cluster.effects).toContainEqual({ kind: 'transferred', requestId: 7 })
    expect(cluster.effects).toContainEqual({ kind: 'clear-timer', timer: 'transfer' })
  })

  it('proposals and changes are refused meanwhile, as by a server that knows no leader', () => {
    const cluster = leaderAlone()
    transfer(cluster, 's3')
    expect(failed(cluster.propose('s1', 'a'))).toEqual({ kind: 'not-leader', leader: undefined })
    const change = { kind: 'remove', id: 's2' } as const
    expect(failed(cluster.step('s1', { kind: 'change-requested', requestId: 8, change }))).toEqual({
      kind: 'not-leader',
      leader: undefined,
    })
  })

  it('is given up after an election timeout; proposals are taken again', () => {
    const cluster = leaderAlone()
    transfer(cluster, 's3')
    expect(failed(cluster.fire('s1', 'transfer'))).toMatchObject({ kind: 'transfer-failed' })
    expect(find(cluster.propose('s1', 'a'), 'accepted')).toBeDefined()
  })

  it('fails when another wins', () => {
    const cluster = leaderAlone()
    transfer(cluster, 's3')
    expect(failed(cluster.receive('s1', 's2', appendRequest({ term: 3 })))).toMatchObject({ kind: 'transfer-failed' })
  })

  it('waits for the outcome though a newer term deposed it before the winner is known', () => {
    const cluster = leaderAlone()
    transfer(cluster, 's3')
    cluster.receive('s1', 's2', appendResponse({ term: 3, success: false }))
    expect(cluster.raft('s1').role.kind).toBe('follower')
    expect(find(cluster.receive('s1', 's3', appendRequest({ term: 3 })), 'transferred')).toEqual({
      kind: 'transferred',
      requestId: 7,
    })
  })

  it('fails at once when leadership is lost before anyone was told to stand', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    transfer(cluster, 's3')
    expect(failed(cluster.receive('s1', 's2', appendResponse({ term: 3, success: false })))).toMatchObject({
      kind: 'transfer-failed',
    })
  })

  it.each([
    ['to a stranger', 's9', { kind: 'unknown-server', id: 's9' }],
    ['to itself', 's1', { kind: 'transfer-failed' }],
    ['to a non-voter', 's4', { kind: 'transfer-failed' }],
  ])('is refused %s', (_, to, expected) => {
    expect(failed(transfer(leaderAlone({ nonvoters: ['s4'] }), to))).toMatchObject(expected)
  })

  it('is refused where there is no other server, while another is under way, and on a follower', () => {
    const alone = new Cluster({ voters: ['s1'] })
    alone.elect('s1')
    expect(failed(transfer(alone))).toMatchObject({ kind: 'transfer-failed' })
    const cluster = leaderAlone()
    transfer(cluster, 's3')
    expect(failed(transfer(cluster, 's2'))).toMatchObject({ kind: 'transfer-failed' })
    cluster.receive('s1', 's2', appendRequest({ term: 3 }))
    expect(failed(transfer(cluster, 's3'))).toEqual({ kind: 'not-leader', leader: 's2' })
  })

  it.each([
    ['of another term', 's2', 1],
    ['of a term to come', 's2', 3],
    ['from a server that does not lead', 's3', 2],
  ])('the order to stand is ignored when it is %s', (_, from, term) => {
    const cluster = new Cluster({ voters: trio, running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    cluster.mail()
    expect(cluster.receive('s1', from, { kind: 'timeout-now', term })).toEqual([])
  })

  it('the order to stand is ignored by a non-voter', () => {
    const cluster = new Cluster({ voters: ['s2', 's3'], nonvoters: ['s1'], running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    expect(cluster.receive('s1', 's2', { kind: 'timeout-now', term: 2 })).toEqual([])
  })

  it('a request that came of it is told from others, and leaves only when term and own vote are durable', () => {
    const cluster = new Cluster({ voters: trio, running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    cluster.mail()
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', { kind: 'timeout-now', term: 2 })
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(cluster.mailOf('vote-request')).toMatchObject([
      { to: 's2', pre: false, term: 3, transfer: true },
      { to: 's3', pre: false, term: 3, transfer: true },
    ])
  })
})
