import { describe, expect, it } from 'vitest'
import type { RaftLimits } from '../../../src/raft/core/options.ts'
import { appendRequest, Cluster, command, configurationEntry, find, members, type Past } from './cluster.ts'

const trio = ['s1', 's2', 's3']

/** A follower of three; `s2` leads, and is played by the test, as `s3` is. */
function follower(past: Past = {}, limits: Partial<RaftLimits> = {}): Cluster {
  return new Cluster({ voters: trio, running: ['s1'], past: { s1: past }, limits })
}

function answers(cluster: Cluster): [boolean, number, number][] {
  return cluster.mailOf('append-response').map(({ success, index, hintTerm }) => [success, index, hintTerm])
}

describe('receiving entries (paper figure 2, AppendEntries)', () => {
  it('refuses a leader of an older term, whose rounds are none of the present term', () => {
    const cluster = follower({ terms: [1, 3] })
    cluster.receive('s1', 's2', appendRequest({ term: 2, entries: [command(2, 2)] }))
    expect(cluster.mailOf('append-response')).toMatchObject([{ to: 's2', term: 3, success: false, round: 0 }])
    expect(cluster.terms('s1')).toEqual([1, 3])
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: undefined })
  })

  it('follows a leader of a newer term, member or not, and a server without configuration learns one', () => {
    const cluster = follower({ entries: [], term: 0 })
    const configuration = members(trio)
    cluster.receive(
      's1',
      's9',
      appendRequest({ term: 4, previousIndex: 0, previousTerm: 0, entries: [configurationEntry(1, 1, configuration)] }),
    )
    expect(cluster.raft('s1')).toMatchObject({ term: 4, role: { leader: 's9' } })
    expect(cluster.raft('s1').configurations.latest).toEqual({ configuration, index: 1 })
    expect(find(cluster.effects, 'configuration-changed')).toBeDefined()
  })

  it.each([
    ['its log is too short: its end', [1, 1], { previousIndex: 5, previousTerm: 2 }, [false, 2, 1]],
    ['the terms differ, its own older: there', [1, 1, 1], { previousIndex: 3, previousTerm: 2 }, [false, 3, 1]],
    [
      'the terms differ, its own newer: before that run of terms',
      [1, 2, 3, 3, 3],
      { term: 4, previousIndex: 5, previousTerm: 2 },
      [false, 2, 2],
    ],
    ['an empty log', [1], { previousIndex: 3, previousTerm: 2 }, [false, 1, 1]],
  ])('refuses what does not fit, and hints where the logs may agree (%s)', (_, terms, over, expected) => {
    const cluster = follower({ terms })
    cluster.receive('s1', 's2', appendRequest({ ...over, term: 4 }))
    expect(answers(cluster)).toEqual([expected])
    expect(cluster.terms('s1')).toEqual(terms)
  })

  it('drops a conflicting entry and all that follow it', () => {
    const cluster = follower({ terms: [1, 1, 1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 2, previousTerm: 1, entries: [command(3, 2)] }))
    expect(cluster.terms('s1')).toEqual([1, 1, 2])
    expect(cluster.disk('s1').entries.map((entry) => entry.term)).toEqual([1, 1, 2])
    expect(find(cluster.effects, 'persist')).toMatchObject({ truncateFrom: 3 })
  })

  it('appends what it does not have, and answers with the last entry that the request verified', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2), command(3, 2)] }))
    expect(cluster.terms('s1')).toEqual([1, 2, 2])
    expect(answers(cluster)).toEqual([[true, 3, 0]])
  })

  it.each([
    ['repeated', [command(2, 1), command(3, 1)]],
    ['an older, shorter one', [command(2, 1)]],
    ['an empty one', []],
  ])('drops nothing for a request that fits (%s)', (_, entries) => {
    const cluster = follower({ terms: [1, 1, 1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 1, previousTerm: 1, entries }))
    expect(cluster.terms('s1')).toEqual([1, 1, 1, 1])
    expect(answers(cluster)).toEqual([[true, 1 + entries.length, 0]])
    expect(cluster.effects.some((e) => e.kind === 'persist' && e.truncateFrom !== undefined)).toBe(false)
  })

  it('commits to the lesser of the leader’s commit index and the last verified entry, never to its own last', () => {
    const cluster = follower({ terms: [1, 1, 1, 1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 2, previousTerm: 1, commit: 4 }))
    expect(cluster.raft('s1').commit).toBe(2)
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 5, previousTerm: 1, commit: 4 }))
    expect(cluster.raft('s1').commit).toBe(4)
    expect(cluster.applied.get('s1')).toHaveLength(4)
  })

  it('its commit index never falls', () => {
    const cluster = follower({ terms: [1, 1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 1, commit: 3 }))
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 1, commit: 1 }))
    expect(cluster.raft('s1').commit).toBe(3)
    expect(cluster.applied.get('s1')).toHaveLength(3)
  })

  it('takes a request that begins below its commit index, or below what it still remembers', () => {
    const configuration = members(trio)
    const snapshot = { index: 5, term: 1, configuration, configurationIndex: 1 }
    const cluster = follower({ snapshot, entries: [command(5, 1), command(6, 1)], term: 1 })
    const entries = [2, 3, 4, 5, 6, 7].map((index) => command(index, 1))
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 1, previousTerm: 1, entries, commit: 7 }))
    expect(answers(cluster)).toEqual([[true, 7, 0]])
    expect(cluster.raft('s1').commit).toBe(7)
  })

  it('stops rather than drop a committed entry', () => {
    const cluster = follower({ terms: [1, 1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 1, commit: 3 }))
    const conflicting = appendRequest({ previousIndex: 1, previousTerm: 1, entries: [command(2, 2)] })
    expect(() => cluster.receive('s1', 's2', conflicting)).toThrow('no committed entry is dropped')
    const elsewhere = appendRequest({ previousIndex: 2, previousTerm: 2 })
    expect(() => cluster.receive('s1', 's2', elsewhere)).toThrow('the leader holds every committed entry')
  })

  it('requests may come in any order', () => {
    const cluster = follower()
    const first = appendRequest({ previousIndex: 1, previousTerm: 1, entries: [command(2, 2)] })
    const second = appendRequest({ previousIndex: 2, previousTerm: 2, entries: [command(3, 2)], commit: 3 })
    for (const request of [second, first, second, first, second]) cluster.receive('s1', 's2', request)
    expect(answers(cluster)).toEqual([
      [false, 1, 1],
      [true, 2, 0],
      [true, 3, 0],
      [true, 2, 0],
      [true, 3, 0],
    ])
    expect(cluster.terms('s1')).toEqual([1, 2, 2])
    expect(cluster.raft('s1').commit).toBe(3)
  })

  it('answers no notice of the commit index, unless it must refuse it', () => {
    const cluster = follower({ terms: [1, 1] })
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 2, previousTerm: 1, commit: 2, round: 0 }))
    expect(cluster.raft('s1').commit).toBe(2)
    expect(cluster.mail()).toEqual([])
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 1, round: 0 }))
    expect(answers(cluster)).toEqual([[false, 2, 1]])
  })

  it.each([
    ['a gap', { entries: [command(3, 2)] }],
    ['falling terms', { entries: [command(2, 2), command(3, 1)] }],
    ['an entry newer than its term', { entries: [command(2, 3)] }],
    ['a configuration that cannot be read', { entries: [{ ...command(2, 2), kind: 'configuration' as const }] }],
    ['an index that is none', { previousIndex: 0.5 }],
    ['a commit index that is none', { commit: -1 }],
  ])('ignores a request with %s', (_, over) => {
    const cluster = follower()
    expect(cluster.receive('s1', 's2', appendRequest(over))).toMatchObject([{ kind: 'note', level: 'warn' }])
    expect(cluster.raft('s1')).toMatchObject({ term: 1, role: { leader: undefined } })
    expect(cluster.mail()).toEqual([])
  })

  it('keeps to the leader that it knows when another claims the same term', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
    cluster.mail()
    expect(cluster.receive('s1', 's3', appendRequest({ entries: [command(2, 2), command(3, 2)] }))).toMatchObject([
      { kind: 'note', level: 'warn' },
    ])
    expect(cluster.terms('s1')).toEqual([1, 2])
    expect(cluster.mail()).toEqual([])
  })

  it('ignores what claims to come from itself', () => {
    const cluster = follower()
    expect(cluster.receive('s1', 's1', appendRequest())).toEqual([])
  })
})

describe('what must be durable before it is said', () => {
  it('acknowledges entries only when they are durable', () => {
    const cluster = follower()
    cluster.slowDisks.add('s1')
    const effects = cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
    expect(find(effects, 'persist')).toMatchObject({ hardState: { term: 2 }, entries: [{ index: 2 }] })
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(answers(cluster)).toEqual([[true, 2, 0]])
  })

  it('an acknowledgement of entries that are still being written waits for them, though it writes nothing itself', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest())
    cluster.mail()
    cluster.slowDisks.add('s1')
    const request = appendRequest({ entries: [command(2, 2)] })
    cluster.receive('s1', 's2', request)
    cluster.receive('s1', 's2', request)
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(answers(cluster)).toEqual([
      [true, 2, 0],
      [true, 2, 0],
    ])
  })

  it('a slow disk does not make it look dead: that it heard the leader, it says at once, and acknowledges nothing by it', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest())
    cluster.mail()
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 2, previousTerm: 2, round: 9 }))
    expect(cluster.mailOf('append-response')).toMatchObject([{ success: true, index: 0, round: 9 }])
    cluster.sync('s1')
    expect(cluster.mailOf('append-response')).toMatchObject([
      { success: true, index: 2, round: 1 },
      { success: true, index: 2, round: 9 },
    ])
  })

  it('but nothing at all while the term itself is not durable', () => {
    const cluster = follower()
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest())
    cluster.receive('s1', 's2', appendRequest())
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 8, previousTerm: 2 }))
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(cluster.mail().length).toBeGreaterThan(2)
  })

  it('applies what is committed though its own copy is not durable: a quorum has it', () => {
    const cluster = follower()
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2, 'a')], commit: 2 }))
    expect(cluster.applied.get('s1')).toEqual(['configuration', 'a'])
  })

  it('a disk that does not move at all silences the server, and bounds what waits for it', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest())
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
    let answered = 0
    for (let i = 0; i < 6000; i++) {
      const effects = cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
      if (effects.length > 0) answered++
    }
    expect(answered).toBeGreaterThan(1000)
    expect(answered).toBeLessThan(4100)
    cluster.sync('s1')
    expect(cluster.receive('s1', 's2', appendRequest()).length).toBeGreaterThan(0)
  })

  it('a disk that takes nothing more does not keep the server from hearing its leader, and only its leader', () => {
    const cluster = follower({}, { heldMessagesMax: 1 })
    cluster.receive('s1', 's2', appendRequest())
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))
    cluster.nowMs += 5000
    expect(cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)] }))).toEqual([])
    cluster.nowMs += 900
    expect(find(cluster.fire('s1', 'election'), 'role-changed')).toBeUndefined()
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
    cluster.receive('s1', 's3', appendRequest({ term: 9 }))
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { leader: 's2' } })
    cluster.nowMs += 5000
    cluster.fire('s1', 'election')
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
    cluster.receive('s1', 's2', appendRequest())
    expect(cluster.raft('s1').role).toEqual({ kind: 'follower', leader: 's2' })
  })

  it('a restart finds term, vote and log as they were acknowledged, and nothing as committed', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [command(2, 2)], commit: 2 }))
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 2, previousTerm: 2, entries: [command(3, 2)] }))
    cluster.crash('s1')
    cluster.start('s1')
    expect(cluster.raft('s1')).toMatchObject({ term: 2, commit: 0, applied: 0 })
    expect(cluster.terms('s1')).toEqual([1, 2])
  })
})

describe('configurations in the log (thesis 4.1)', () => {
  const five = members([...trio, 's4'])

  it('count from the moment they are in the log, and fall back when they are truncated', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [configurationEntry(2, 2, five), command(3, 2)] }))
    expect(cluster.raft('s1').configurations.latest).toEqual({ configuration: five, index: 2 })
    const effects = cluster.receive('s1', 's3', appendRequest({ term: 3, entries: [command(2, 3)] }))
    expect(cluster.raft('s1').configurations.latest).toEqual({ configuration: members(trio), index: 1 })
    expect(find(effects, 'configuration-changed')).toMatchObject({ index: 1, committed: false })
  })

  it('are told again when they are committed, once', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [configurationEntry(2, 2, five), command(3, 2)] }))
    cluster.effects.length = 0
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 2, commit: 2 }))
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 3, previousTerm: 2, commit: 3 }))
    expect(cluster.effects.filter((e) => e.kind === 'configuration-changed')).toMatchObject([
      { index: 2, committed: true, configuration: five },
    ])
  })

  it('survive a restart', () => {
    const cluster = follower()
    cluster.receive('s1', 's2', appendRequest({ entries: [configurationEntry(2, 2, five)] }))
    cluster.crash('s1')
    cluster.start('s1')
    expect(cluster.raft('s1').configurations.latest).toEqual({ configuration: five, index: 2 })
  })
})
