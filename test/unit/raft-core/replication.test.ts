import { describe, expect, it } from 'vitest'
import { appendRequest, appendResponse, Cluster, command, find, leaderAlone } from './cluster.ts'

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

  it('what a follower refuses of this leader’s earlier term confirms nothing in the present one, nor alarms', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3'] })
    cluster.elect('s1')
    cluster.cuts.add('s3')
    for (let i = 0; i < 4; i++) {
      cluster.fire('s1', 'heartbeat')
      cluster.deliver()
    }
    cluster.propose('s1', 'a')
    const late = cluster.mail().find(({ to, message }) => to === 's3' && message.kind === 'append-request')
    expect(late?.message).toMatchObject({ term: 2, round: 5 })
    cluster.cuts.clear()
    cluster.elect('s2')
    cluster.elect('s1')
    cluster.cuts.add('s2')
    cluster.step('s1', { kind: 'read-requested', requestId: 7, mode: 'quorum' })
    for (let i = 0; i < 4; i++) cluster.fire('s1', 'heartbeat')
    cluster.mail()
    cluster.effects.length = 0
    if (late !== undefined) cluster.receive('s3', 's1', late.message)
    const refusals = cluster.wire.map(({ message }) => message)
    expect(refusals).toMatchObject([{ kind: 'append-response', term: 4, success: false }])
    cluster.deliver()
    expect(find(cluster.effects, 'read-ready')).toBeUndefined()
    expect(find(cluster.effects, 'note')).toBeUndefined()
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
