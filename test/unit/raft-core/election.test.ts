import { describe, expect, it } from 'vitest'
import type { Entry, SnapshotMeta } from '../../../src/raft/core/types.ts'
import type { Plain } from '../../tools/plain.ts'
import { appendRequest, Cluster, command, configurationEntry, find, members } from './cluster.ts'
import { lone, trio } from './trio.ts'

describe('a server that is not in the configuration that it has', () => {
  it('says once that it can never lead, and why', () => {
    const cluster = new Cluster({ voters: ['s2', 's3'], running: ['s1'], past: { s1: { terms: [1, 1] } } })
    cluster.nowMs = 5000
    const notes = () => cluster.fire('s1', 'election').filter(({ kind }) => kind === 'note')
    expect(notes()).toMatchObject([
      {
        level: 'warn',
        text: 'This server (ID s1) is not in its own configuration, and can never lead',
        fields: { index: 1, servers: 's2, s3' },
      },
    ])
    expect([...notes(), ...notes()]).toEqual([])
    cluster.receive(
      's1',
      's2',
      appendRequest({ previousIndex: 2, previousTerm: 1, entries: [configurationEntry(3, 2, members(['s3']))] }),
    )
    cluster.nowMs = 60_000
    expect([...notes(), ...notes()]).toMatchObject([{ fields: { index: 3, servers: 's3' } }])
  })

  it('says nothing while it belongs to no cluster, or has its place', () => {
    const cluster = lone()
    expect(cluster.fire('s1', 'election').filter(({ kind }) => kind === 'note')).toEqual([])
  })
})

describe('standing for election (paper 5.2)', () => {
  it('starts as a follower that knows no leader', () => {
    const { role, term } = lone().raft('s1')
    expect(role).toEqual({ kind: 'follower', leader: undefined })
    expect(term).toBe(1)
  })

  it('asks before it stands, and raises no term by asking (thesis 9.6)', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    const asked = { kind: 'vote-request', pre: true, term: 2, lastIndex: 1, lastTerm: 1, transfer: false }
    expect(cluster.mail().map(({ to, message }) => [to, message])).toEqual([
      ['s2', asked],
      ['s3', asked],
    ])
    expect(cluster.raft('s1').term).toBe(1)
    expect(cluster.disk('s1').hardState.term).toBe(1)
  })

  it('increments its term, votes for itself and asks all others once a quorum would vote for it', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.mail()
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    expect(cluster.disk('s1').hardState).toEqual({ term: 2, votedFor: 's1' })
    expect(cluster.mailOf('vote-request').map(({ to, pre, term }) => [to, pre, term])).toEqual([
      ['s2', false, 2],
      ['s3', false, 2],
    ])
  })

  it('becomes leader when it has the votes of a majority, and begins with a no-op to everyone', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    cluster.mail()
    cluster.receive('s1', 's3', { kind: 'vote-response', pre: false, term: 2, granted: true })
    expect(cluster.raft('s1').role.kind).toBe('leader')
    const appends = cluster.mailOf('append-request')
    expect(
      appends.map(({ to, entries }) => [to, entries.map((entry) => [entry.index, entry.term, entry.kind])]),
    ).toEqual([
      ['s2', [[2, 2, 'no-op']]],
      ['s3', [[2, 2, 'no-op']]],
    ])
  })

  it('a candidate stands again when its timer fires, and asks first again', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    cluster.mail()
    cluster.nowMs += 1500
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
    expect(cluster.mailOf('vote-request').every(({ pre, term }) => pre && term === 3)).toBe(true)
  })

  it('a candidate that hears the leader of its term follows it', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    cluster.receive('s1', 's3', appendRequest())
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's3' })
    expect(cluster.disk('s1').hardState).toEqual({ term: 2, votedFor: 's1' })
  })

  it('a candidate ignores a leader of an older term, and tells it the newer one', () => {
    const cluster = lone({ s1: { term: 4 } })
    cluster.fire('s1', 'election')
    cluster.mail()
    cluster.receive('s1', 's3', appendRequest({ term: 3 }))
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
    expect(cluster.mailOf('append-response')).toMatchObject([{ to: 's3', term: 4, success: false }])
  })

  it('waits at random in [timeout, 2 × timeout), for its first term as for every other', () => {
    const cluster = lone()
    const timer = { timer: 'election', minMs: 1000, maxMs: 2000 }
    expect(find(cluster.effects, 'set-timer')).toMatchObject(timer)
    expect(find(cluster.fire('s1', 'election'), 'set-timer')).toMatchObject(timer)
  })

  it('does not stand while it hears its leader, though the timer is not set anew each time', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', appendRequest())
    cluster.nowMs += 400
    const effects = cluster.fire('s1', 'election')
    expect(effects).toEqual([{ kind: 'set-timer', timer: 'election', minMs: 600, maxMs: 1600 }])
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
  })

  it('the only voter elects itself, and commits what is durable on its own disk', () => {
    const cluster = new Cluster({ voters: ['s1'] })
    cluster.elect('s1')
    expect(cluster.applied.get('s1')).toEqual(['configuration', 'no-op'])
    cluster.propose('s1', 'a')
    expect(cluster.applied.get('s1')?.at(-1)).toBe('a')
  })

  it('a server without configuration never stands', () => {
    const cluster = new Cluster({ voters: trio, running: ['s1'], past: { s1: { entries: [], term: 0 } } })
    cluster.nowMs = 5000
    cluster.fire('s1', 'election')
    expect(cluster.mail()).toEqual([])
    expect(cluster.raft('s1').role.kind).toBe('follower')
  })

  it('a non-voter never stands, but forgets a leader that is silent', () => {
    const cluster = new Cluster({ voters: ['s2', 's3'], nonvoters: ['s1'], running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 0, previousTerm: 0 }))
    cluster.nowMs += 1500
    cluster.mail()
    expect(find(cluster.fire('s1', 'election'), 'role-changed')).toMatchObject({ role: 'follower', leader: undefined })
    expect(cluster.mail()).toEqual([])
  })

  it('does not promise a second term while the first is not durable', () => {
    const cluster = lone()
    cluster.slowDisks.add('s1')
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    expect(cluster.raft('s1').term).toBe(2)
    cluster.nowMs += 1500
    cluster.mail()
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1').term).toBe(2)
    expect(cluster.mail()).toEqual([])
  })
})

describe('a server that may be a candidate though its configuration leaves it out (thesis 4.2.2)', () => {
  const both = members(['s1', 's2'])
  const without = members(['s1'], ['s2'])

  it('one that the latest change dismisses, as long as that is not known to be committed', () => {
    const entries = [configurationEntry(1, 1, both), command(2, 2), configurationEntry(3, 2, without)]
    const cluster = new Cluster({ voters: ['s1', 's2'], past: { s1: { terms: [1, 2] }, s2: { entries } } })
    cluster.nowMs += 3000
    cluster.fire('s1', 'election')
    cluster.deliver()
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
    cluster.nowMs += 3000
    cluster.fire('s2', 'election')
    cluster.deliver()
    expect(cluster.effects).toContainEqual({ kind: 'role-changed', role: 'leader', term: 3, leader: 's2' })
    // The change is committed: it gave its office up at once, and the only voter took it.
    expect(cluster.raft('s2').role).toEqual({ kind: 'follower', leader: 's1' })
    expect(cluster.raft('s1').role.kind).toBe('leader')
    cluster.nowMs += 3000
    cluster.fire('s2', 'election')
    expect(cluster.raft('s2').role.kind).toBe('follower')
  })
})

describe('a sole voter', () => {
  const alone = members(['s1'], ['s2'])
  const before = members(['s1', 's3'], ['s2'])

  function started(entries: readonly Entry[], snapshot?: Plain<SnapshotMeta>): Cluster {
    return new Cluster({
      voters: ['s1'],
      nonvoters: ['s2'],
      running: ['s1'],
      past: { s1: { entries, term: 3, ...(snapshot === undefined ? {} : { snapshot }) } },
    })
  }

  it('leads at once when it starts, and has committed all that it holds', () => {
    const { role, term, commit } = started([configurationEntry(1, 1, alone), command(2, 1)]).raft('s1')
    expect([role.kind, term, commit]).toEqual(['leader', 4, 3])
  })

  it('leads at once when it is one by its snapshot', () => {
    const snapshot = { index: 5, term: 2, configuration: alone, configurationIndex: 4 }
    expect(started([command(6, 3)], snapshot).raft('s1').role.kind).toBe('leader')
  })

  it('waits for its timer where the change that made it one may not be committed: another leader may hold a lease', () => {
    const entries = [configurationEntry(1, 1, before), configurationEntry(2, 2, alone)]
    const cluster = started(entries)
    expect(cluster.raft('s1').role.kind).toBe('follower')
    cluster.nowMs = 5000
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1').role.kind).toBe('leader')
  })

  it('waits where a change that is not committed here adds another', () => {
    const entries = [configurationEntry(1, 1, alone), configurationEntry(2, 2, before)]
    expect(started(entries).raft('s1').role.kind).toBe('follower')
  })
})
