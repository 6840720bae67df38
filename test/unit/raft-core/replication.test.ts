import { describe, expect, it } from 'vitest'
import { statusOf } from '../../../src/raft/core/status.ts'
import { appendRequest, appendResponse, Cluster, command, find, leaderAlone, voteRequest } from './cluster.ts'

const five = ['s1', 's2', 's3', 's4', 's5']

function appends(cluster: Cluster, to?: string): [string, number, number[]][] {
  return cluster
    .mailOf('append-request')
    .filter((request) => to === undefined || request.to === to)
    .map((request) => [request.to, request.previousIndex, request.entries.map((entry) => entry.index)])
}

describe('replicating (paper 5.3)', () => {
  it('appends a command to its log and sends it to every follower, while its own disk is still at work', () => {
    const cluster = leaderAlone()
    cluster.slowDisks.add('s1')
    const effects = cluster.propose('s1', 'a')
    expect(find(effects, 'accepted')).toMatchObject({ index: 3, term: 2 })
    expect(appends(cluster)).toEqual([
      ['s2', 2, [3]],
      ['s3', 2, [3]],
    ])
  })

  it('what is proposed together travels together', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a', 'b', 'c')
    expect(appends(cluster, 's2')).toEqual([['s2', 2, [3, 4, 5]]])
  })

  it('sends ahead of answers, at most so many requests; what comes later gathers and shares the next', () => {
    const cluster = leaderAlone()
    for (const text of ['a', 'b', 'c', 'd', 'e']) cluster.propose('s1', text)
    expect(appends(cluster, 's2')).toEqual([
      ['s2', 2, [3]],
      ['s2', 3, [4]],
    ])
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(appends(cluster, 's2')).toEqual([['s2', 4, [5, 6, 7]]])
  })

  it('one answer to a later request frees all before it', () => {
    const cluster = leaderAlone()
    for (const text of ['a', 'b', 'c', 'd']) cluster.propose('s1', text)
    cluster.mail()
    cluster.receive('s1', 's2', appendResponse({ index: 4 }))
    expect(appends(cluster, 's2')).toEqual([['s2', 4, [5, 6]]])
  })

  it('limits a request by entries and by bytes, but one large entry goes', () => {
    const cluster = leaderAlone({ limits: { appendBytesMax: 10, appendEntriesMax: 3, appendsInFlightMax: 9 } })
    cluster.propose('s1', 'aaaa', 'bbbb', 'cccc', 'x'.repeat(50), 'd', 'e', 'f', 'g')
    expect(appends(cluster, 's2')).toEqual([
      ['s2', 2, [3, 4]],
      ['s2', 4, [5]],
      ['s2', 5, [6]],
      ['s2', 6, [7, 8, 9]],
      ['s2', 9, [10]],
    ])
  })

  it('waits for answers when so many bytes are under way, however few the requests', () => {
    const limits = { appendBytesMax: 10, appendsInFlightMax: 9, appendBytesInFlightMax: 20 }
    const cluster = leaderAlone({ limits })
    cluster.propose('s1', ...['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(10)))
    expect(appends(cluster, 's2')).toEqual([
      ['s2', 2, [3]],
      ['s2', 3, [4]],
    ])
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    expect(appends(cluster, 's2')).toEqual([['s2', 4, [5]]])
    cluster.receive('s1', 's2', appendResponse({ index: 5 }))
    expect(appends(cluster, 's2').map(([, previous]) => previous)).toEqual([5, 6])
  })

  it('a lost request shows at the next heartbeat, and all from there on is sent again', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.propose('s1', 'b')
    cluster.mail()
    cluster.fire('s1', 'heartbeat')
    cluster.fire('s1', 'heartbeat')
    const [heartbeat] = cluster.mailOf('append-request').filter((request) => request.to === 's2')
    expect(heartbeat).toMatchObject({ previousIndex: 4, entries: [] })
    cluster.receive('s1', 's2', appendResponse({ success: false, index: 2, hintTerm: 2, round: 3 }))
    expect(appends(cluster, 's2')).toEqual([['s2', 2, [3, 4]]])
  })

  it('a lost answer is given again to the next heartbeat', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.fire('s1', 'heartbeat')
    cluster.fire('s1', 'heartbeat')
    cluster.receive('s1', 's2', appendResponse({ index: 3, round: 3 }))
    expect(cluster.raft('s1').commit).toBe(3)
  })

  it.each([
    ['the follower’s log is shorter', { index: 3, hintTerm: 1 }, 3],
    ['the follower has newer terms there: the hint was before them', { index: 4, hintTerm: 2 }, 4],
    ['the follower has older terms there: the leader skips its own newer ones', { index: 6, hintTerm: 2 }, 5],
    ['nothing in common', { index: 0, hintTerm: 0 }, 0],
  ])('finds where the logs agree in one step (%s)', (_, hint, agreed) => {
    // index 1 2 3 4 5 6 7: terms 1 1 1 2 2 3 3, and the no-op 8 of term 4
    const cluster = leaderAlone({ past: { s1: { terms: [1, 1, 1, 2, 2, 3, 3] } } }, [])
    for (const pre of [true, false]) {
      for (const id of ['s2', 's3']) cluster.receive('s1', id, { kind: 'vote-response', pre, term: 4, granted: true })
    }
    cluster.mail()
    cluster.receive('s1', 's2', appendResponse({ term: 4, success: false, ...hint }))
    expect(appends(cluster)).toMatchObject([['s2', agreed, expect.anything()]])
  })

  it('a refusal that is late, or comes twice, changes nothing', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.mail()
    const late = appendResponse({ success: false, index: 1, hintTerm: 1 })
    expect(cluster.receive('s1', 's2', late)).toEqual([])
    expect(cluster.receive('s1', 's2', late)).toEqual([])
  })

  it('answers may come in any order, and late ones take nothing back', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.propose('s1', 'b')
    cluster.receive('s1', 's2', appendResponse({ index: 4 }))
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.receive('s1', 's2', appendResponse({ index: 4 }))
    expect(cluster.raft('s1').commit).toBe(4)
  })

  it('a follower that lost its disk is noticed, and served from the start', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.receive('s1', 's2', appendResponse({ index: 3 }))
    cluster.fire('s1', 'heartbeat')
    cluster.mail()
    const effects = cluster.receive('s1', 's2', appendResponse({ success: false, index: 0, round: 2 }))
    expect(find(effects, 'note')).toMatchObject({
      level: 'warn',
      counts: 'raft.replication.lostLog',
      text: 'a follower has lost entries that it acknowledged',
      fields: { from: 's2', match: 3, index: 0, committed: true },
    })
    expect(appends(cluster)).toEqual([['s2', 0, [1, 2, 3]]])
    expect(cluster.raft('s1').commit).toBe(3)
  })

  it('an answer that claims more than there is counts for nothing', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    expect(cluster.receive('s1', 's2', appendResponse({ index: 99 }))).toMatchObject([{ kind: 'note', level: 'warn' }])
    expect(cluster.raft('s1').commit).toBe(2)
  })

  it.each([
    ['of an older term', { term: 1, index: 3 }],
    ['to a round that never was', { index: 3, round: 77 }],
  ])('an answer %s counts for nothing', (_, over) => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    cluster.mail()
    expect(cluster.receive('s1', 's2', appendResponse(over))).toEqual([])
    expect(cluster.raft('s1').commit).toBe(2)
  })

  it('an answer of a newer term ends its leadership; a stranger’s does not', () => {
    const cluster = leaderAlone()
    cluster.receive('s1', 's9', appendResponse({ term: 5, success: false }))
    expect(cluster.raft('s1').role.kind).toBe('leader')
    cluster.receive('s1', 's3', appendResponse({ term: 5, success: false }))
    expect(cluster.raft('s1')).toMatchObject({ term: 5, role: { kind: 'follower' } })
  })

  it('refuses proposals when it does not lead, and names the leader', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3'], running: ['s1'] })
    cluster.receive('s1', 's2', appendRequest())
    expect(find(cluster.propose('s1', 'a'), 'refused')).toMatchObject({
      refusal: { kind: 'not-leader', leader: 's2' },
    })
  })

  it('refuses proposals beyond the bound on what is not committed', () => {
    const cluster = leaderAlone()
    const effects = cluster.propose('s1', ...Array.from({ length: 25 }, (_, i) => `${i}`))
    expect(effects.filter((effect) => effect.kind === 'accepted')).toHaveLength(20)
    expect(effects.filter((effect) => effect.kind === 'refused')).toMatchObject(
      Array.from({ length: 5 }, () => ({ refusal: { kind: 'overloaded' } })),
    )
  })

  it('and beyond the same bound on what its own disk has not written, though a quorum commits it', () => {
    const cluster = leaderAlone()
    cluster.slowDisks.add('s1')
    for (let i = 0; i < 25; i++) {
      cluster.propose('s1', `${i}`)
      for (const id of ['s2', 's3'])
        cluster.receive('s1', id, appendResponse({ index: cluster.raft('s1').log.lastIndex }))
    }
    expect(cluster.raft('s1').log.lastIndex).toBe(22)
    expect(cluster.raft('s1').commit).toBe(22)
    cluster.sync('s1')
    expect(find(cluster.propose('s1', 'now'), 'accepted')).toBeDefined()
  })

  it('never drops entries of its own log, whichever server says so: another leader in its term is ignored', () => {
    const cluster = leaderAlone()
    cluster.propose('s1', 'a')
    const effects = cluster.receive('s1', 's2', appendRequest({ previousIndex: 1, entries: [command(2, 2)] }))
    expect(effects).toMatchObject([{ kind: 'note', level: 'warn' }])
    expect(cluster.terms('s1')).toEqual([1, 2, 2])
  })
})

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

  it('a leader alone with itself stays one', () => {
    const cluster = new Cluster({ voters: ['s1'] })
    cluster.elect('s1')
    cluster.nowMs += 60_000
    expect(cluster.fire('s1', 'quorum')).toMatchObject([{ kind: 'set-timer', timer: 'quorum' }])
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
