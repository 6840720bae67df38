import { describe, expect, it } from 'vitest'
import { logIndexOf } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import { readsByLease } from '../../../src/raft/core/read.ts'
import { appendRequest, appendResponse, Cluster, find, leaderAlone } from './cluster.ts'

let request = 0

function read(cluster: Cluster, mode: 'quorum' | 'lease' = 'quorum'): [number, readonly RaftEffect[]] {
  const requestId = ++request
  const core = cluster.raft('s1')
  const { commit } = core
  const atOnce = readsByLease(core, commit, cluster.nowMs)
  expect(readsByLease(core, logIndexOf(commit - 1), cluster.nowMs), 'what is committed must be applied').toBe(false)
  const effects = cluster.step('s1', { kind: 'read-requested', requestId, mode })
  if (mode === 'lease') expect(ready(effects).length > 0, 'the same as is said without a request').toBe(atOnce)
  return [requestId, effects]
}

function ready(effects: readonly RaftEffect[]): [number, number][] {
  return effects.flatMap((effect) => (effect.kind === 'read-ready' ? [[effect.requestId, effect.index]] : []))
}

/** The round that the newest request on the table carries. */
function roundOf(cluster: Cluster): number {
  return cluster.mailOf('append-request').at(-1)?.round ?? 0
}

describe('reads by a quorum round (thesis 6.4)', () => {
  it('are answered when a quorum has answered a round begun after they came', () => {
    const cluster = leaderAlone()
    const before = appendResponse({ index: 2, round: 1 })
    const [id, effects] = read(cluster)
    expect(ready(effects)).toEqual([])
    const round = roundOf(cluster)
    expect(ready(cluster.receive('s1', 's2', before))).toEqual([])
    expect(ready(cluster.receive('s1', 's2', appendResponse({ index: 2, round })))).toEqual([[id, 2]])
    expect(ready(cluster.receive('s1', 's3', appendResponse({ index: 2, round })))).toEqual([])
  })

  it('a refusal answers the round as well, and so does a follower whose disk is slow', () => {
    for (const answer of [
      { success: false, index: 1, hintTerm: 1 },
      { success: true, index: 0 },
    ]) {
      const cluster = leaderAlone()
      const [id] = read(cluster)
      const round = roundOf(cluster)
      expect(ready(cluster.receive('s1', 's2', appendResponse({ ...answer, round })))).toEqual([[id, 2]])
    }
  })

  it('an answer in an older term confirms nothing', () => {
    const cluster = leaderAlone()
    read(cluster)
    const round = roundOf(cluster)
    expect(cluster.receive('s1', 's2', appendResponse({ term: 1, round }))).toEqual([])
  })

  it('non-voters confirm nothing', () => {
    const cluster = leaderAlone({ nonvoters: ['s4', 's5'] })
    read(cluster)
    const round = roundOf(cluster)
    for (const id of ['s4', 's5']) {
      expect(ready(cluster.receive('s1', id, appendResponse({ index: 2, round })))).toEqual([])
    }
  })

  it('several reads share a round; those that come while it is under way share the next', () => {
    const cluster = leaderAlone()
    const [first] = read(cluster)
    const round = roundOf(cluster)
    const [second] = read(cluster)
    const [third] = read(cluster)
    expect(cluster.mail()).toEqual([])
    expect(ready(cluster.receive('s1', 's2', appendResponse({ index: 2, round })))).toEqual([[first, 2]])
    const next = roundOf(cluster)
    expect(next).toBe(round + 1)
    expect(ready(cluster.receive('s1', 's3', appendResponse({ index: 2, round: next })))).toEqual([
      [second, 2],
      [third, 2],
    ])
  })

  it('a round that is lost is made up for by the next heartbeat', () => {
    const cluster = leaderAlone()
    const [id] = read(cluster)
    cluster.propose('s1', 'a')
    cluster.mail()
    cluster.fire('s1', 'heartbeat')
    const round = roundOf(cluster)
    expect(ready(cluster.receive('s1', 's2', appendResponse({ index: 2, round })))).toEqual([[id, 2]])
  })

  it('index is the commit index when the read came', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    const [id] = read(cluster)
    const round = roundOf(cluster)
    const effects = cluster.receive('s1', 's2', appendResponse({ index: 3, round }))
    expect(cluster.raft('s1').commit).toBe(3)
    expect(ready(effects)).toEqual([[id, 2]])
  })

  it.each(['quorum', 'lease'] as const)('wait (%s) until an entry of the own term is committed', (mode) => {
    const cluster = leaderAlone({ past: { s1: { terms: [1, 1] } } }, [])
    const [id, effects] = read(cluster, mode)
    expect(ready(effects)).toEqual([])
    expect(ready(cluster.receive('s1', 's2', appendResponse({ index: 2, round: 1 })))).toEqual([])
    const committed = [
      ...cluster.receive('s1', 's2', appendResponse({ index: 3, round: 1 })),
      ...cluster.receive('s1', 's2', appendResponse({ index: 3, round: 2 })),
    ]
    expect(ready(committed)).toEqual([[id, 3]])
  })

  it('are answered at once by a leader that is the only voter', () => {
    const cluster = new Cluster({ voters: ['s1'] })
    cluster.elect('s1')
    const [id, effects] = read(cluster)
    expect(ready(effects)).toEqual([[id, 2]])
  })

  it('are refused by a server that does not lead, and when leadership is lost', () => {
    const cluster = leaderAlone()
    const [id] = read(cluster)
    expect(find(cluster.receive('s1', 's2', appendRequest({ term: 3 })), 'refused')).toEqual({
      kind: 'refused',
      requestId: id,
      refusal: { kind: 'leadership-lost' },
    })
    expect(find(read(cluster)[1], 'refused')?.refusal).toEqual({ kind: 'not-leader', leader: 's2' })
  })

  it.each([[['s2', 's3']], [[]]])('are bounded, waiting for a round or for the own term (%s)', (answering) => {
    const cluster = leaderAlone({}, answering)
    for (let i = 0; i < 5; i++) expect(find(read(cluster)[1], 'refused')).toBeUndefined()
    expect(find(read(cluster)[1], 'refused')?.refusal).toEqual({ kind: 'overloaded' })
  })
})

describe('reads by lease', () => {
  /** A leader whose round 2, begun now, was answered after this time. */
  function leased(answeredAfterMs: number, setting: Parameters<typeof leaderAlone>[0] = {}): Cluster {
    const cluster = leaderAlone(setting)
    cluster.nowMs += 100
    cluster.fire('s1', 'heartbeat')
    cluster.nowMs += answeredAfterMs
    cluster.receive('s1', 's2', appendResponse({ index: 2, round: 2 }))
    cluster.mail()
    return cluster
  }

  it.each([
    ['within it', 449, true],
    ['at its end, shortened by the bound on clock rates', 450, false],
    ['after a pause beyond it', 9000, false],
  ])('are answered at once %s, else by a round', (_, afterMs, atOnce) => {
    const cluster = leased(0)
    cluster.nowMs += afterMs
    const [id, effects] = read(cluster, 'lease')
    expect(ready(effects)).toEqual(atOnce ? [[id, 2]] : [])
    expect(cluster.mail().length > 0).toBe(!atOnce)
    if (atOnce) return
    expect(ready(cluster.receive('s1', 's3', appendResponse({ index: 2, round: 3 })))).toEqual([[id, 2]])
  })

  it('the lease counts from when the round began, not from when it was answered', () => {
    const cluster = leased(400)
    cluster.nowMs += 50
    expect(ready(read(cluster, 'lease')[1])).toEqual([])
  })

  it('one follower of four is no quorum', () => {
    const cluster = leased(0, { voters: ['s1', 's2', 's3', 's4', 's5'] })
    cluster.nowMs += 449
    expect(ready(read(cluster, 'lease')[1])).toEqual([])
  })

  it('a round so old that its beginning is forgotten gives none', () => {
    const cluster = leased(0)
    for (let i = 0; i < 600; i++) cluster.fire('s1', 'heartbeat')
    expect(ready(read(cluster, 'lease')[1])).toEqual([])
  })

  it('ends before a transfer tells anyone to stand, and for the rest of the term', () => {
    const cluster = leased(0)
    cluster.step('s1', { kind: 'transfer-requested', requestId: 900, to: 's2' })
    expect(ready(read(cluster, 'lease')[1])).toEqual([])
    cluster.fire('s1', 'transfer')
    cluster.fire('s1', 'heartbeat')
    const round = roundOf(cluster)
    for (const id of ['s2', 's3']) cluster.receive('s1', id, appendResponse({ index: 2, round }))
    expect(ready(read(cluster, 'lease')[1])).toEqual([])
  })

  it('a leader that is the only voter needs none', () => {
    const cluster = new Cluster({ voters: ['s1'], nonvoters: ['s2'], running: ['s1'] })
    cluster.nowMs = 9000
    cluster.fire('s1', 'election')
    cluster.nowMs += 60_000
    expect(ready(read(cluster, 'lease')[1])).toHaveLength(1)
  })

  it('is never longer than the loyalty of the voters', () => {
    expect(() => new Cluster({ voters: ['s1'], timing: { leaderLeaseMs: 1001 } })).toThrow('no lease outlives')
  })
})
