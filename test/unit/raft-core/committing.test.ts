import { describe, expect, it } from 'vitest'
import { appendRequest, appendResponse, Cluster, command, leaderAlone } from './cluster.ts'

const five = ['s1', 's2', 's3', 's4', 's5']

describe('committing (paper 5.3, 5.4.2)', () => {
  it('what a majority holds, itself counted when its own copy is durable', () => {
    const cluster = leaderAlone({ voters: five })
    cluster.slowDisks.add('s1')
    cluster.propose('s1', 'a')
    const before = cluster.raft('s1').commit
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.raft('s1').commit).toBe(before)
    cluster.sync('s1')
    expect(cluster.raft('s1').commit).toBe(3)
    expect(cluster.applied.get('s1')).toEqual(['configuration', 'no-op', 'a'])
  })

  it('or what a majority of the others holds, before it is durable here', () => {
    const cluster = leaderAlone()
    cluster.slowDisks.add('s1')
    cluster.propose('s1', 'a')
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.raft('s1').commit).toBe(3)
  })

  it('half of an even number is not enough', () => {
    const cluster = leaderAlone({ voters: ['s1', 's2', 's3', 's4'] }, [])
    cluster.receive('s1', 's2', appendResponse({ index: 2 }))
    expect(cluster.raft('s1').commit).toBe(0)
    cluster.receive('s1', 's3', appendResponse({ index: 2 }))
    expect(cluster.raft('s1').commit).toBe(2)
  })

  it('an entry of an earlier term is not committed by counting, only with one of its own (figure 8)', () => {
    const cluster = leaderAlone({ past: { s1: { terms: [1, 2, 2] } } }, [])
    for (const pre of [true, false]) {
      for (const id of ['s2', 's3']) cluster.receive('s1', id, { kind: 'vote-response', pre, term: 3, granted: true })
    }
    expect(cluster.raft('s1')).toMatchObject({ term: 3, role: { kind: 'leader' } })
    cluster.receive('s1', 's2', appendResponse({ term: 3, index: 3 }))
    cluster.receive('s1', 's3', appendResponse({ term: 3, index: 3 }))
    expect(cluster.raft('s1').commit).toBe(0)
    cluster.receive('s1', 's2', appendResponse({ term: 3, index: 4 }))
    expect(cluster.raft('s1').commit).toBe(4)
  })

  it('a persist of entries that were truncated since vouches for nothing', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3'], running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2), command(3, 2), command(4, 2)] }))
    cluster.receive('s1', 's3', appendRequest({ term: 3, entries: [command(2, 3)] }))
    expect(cluster.raft('s1').durability.index).toBe(1)
    cluster.sync('s1', 1)
    expect(cluster.raft('s1').durability.index).toBe(1)
    cluster.sync('s1')
    expect(cluster.raft('s1').durability.index).toBe(2)
  })

  it('tells followers that have everything at once, by one message that wants no answer', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.mail()
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(cluster.mailOf('append-request')).toMatchObject([
      { to: 's2', previousIndex: 3, entries: [], commit: 3, round: 0 },
    ])
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.mailOf('append-request')).toMatchObject([{ to: 's3', commit: 3, round: 0 }])
    cluster.receive('s1', 's3', appendResponse({ index: 3 }))
    expect(cluster.mail()).toEqual([])
  })

  it('under load the next append carries the news instead', () => {
    const cluster = leaderAlone({ limits: { appendsInFlightMax: 1 } })
    cluster.propose('s1', 'a')
    cluster.propose('s1', 'b')
    cluster.mail()
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(cluster.mailOf('append-request')).toMatchObject([{ to: 's2', commit: 3, entries: [{ index: 4 }] }])
  })

  it('what is applied is applied once, in order', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3'] })
    cluster.elect('s1')
    cluster.propose('s1', 'a', 'b')
    cluster.propose('s1', 'c')
    cluster.deliver()
    for (const id of ['s1', 's2', 's3']) {
      expect(cluster.applied.get(id)).toEqual(['configuration', 'no-op', 'a', 'b', 'c'])
    }
  })
})
