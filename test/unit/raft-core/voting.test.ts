import { describe, expect, it } from 'vitest'
import { appendRequest, Cluster, find, voteRequest } from './cluster.ts'
import { lone, trio } from './trio.ts'

describe('counting votes', () => {
  it.each([
    ['of an older term', { pre: false, term: 1, granted: true }],
    ['of the wrong kind', { pre: true, term: 2, granted: true }],
    ['refused', { pre: false, term: 2, granted: false }],
  ])('an answer %s elects nobody', (_, answer) => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    cluster.receive('s1', 's3', { kind: 'vote-response', ...answer })
    expect(cluster.raft('s1').role.kind).toBe('candidate')
  })

  it('the same vote twice is one vote', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3', 's4', 's5'], running: ['s1'] })
    cluster.nowMs = 5000
    cluster.fire('s1', 'election')
    for (const pre of [true, true]) {
      cluster.receive('s1', 's2', { kind: 'vote-response', pre, term: 2, granted: true })
    }
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })

  it('votes of non-voters and strangers do not count', () => {
    const cluster = new Cluster({ voters: trio, nonvoters: ['s4'], running: ['s1'] })
    cluster.nowMs = 5000
    cluster.fire('s1', 'election')
    for (const id of ['s4', 'stranger']) {
      cluster.receive('s1', id, { kind: 'vote-response', pre: true, term: 2, granted: true })
    }
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })

  it('the own vote counts only once it is durable', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    cluster.mail()
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: false, term: 2, granted: true })
    expect(cluster.raft('s1').role.kind).toBe('candidate')
    cluster.sync('s1')
    expect(cluster.raft('s1').role.kind).toBe('leader')
  })

  it('an answer of a newer term makes a candidate a follower of that term', () => {
    const cluster = lone()
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 7, granted: false })
    expect(cluster.raft('s1')).toMatchObject({ term: 7, role: { kind: 'follower' } })
    expect(cluster.disk('s1').hardState).toEqual({ term: 7, votedFor: undefined })
  })

  it('half of four voters elect no leader', () => {
    const cluster = new Cluster({ voters: ['s1', 's2', 's3', 's4'], running: ['s1'] })
    cluster.nowMs = 5000
    cluster.fire('s1', 'election')
    cluster.receive('s1', 's2', { kind: 'vote-response', pre: true, term: 2, granted: true })
    expect(cluster.raft('s1').role.kind).toBe('pre-candidate')
  })
})

describe('voting (paper figure 2, RequestVote)', () => {
  const votes = (cluster: Cluster) =>
    cluster.mailOf('vote-response').map(({ to, term, granted }) => [to, term, granted])

  it('refuses a candidate of an older term', () => {
    const cluster = lone({ s1: { term: 5 } })
    cluster.receive('s1', 's2', voteRequest({ term: 4 }))
    expect(votes(cluster)).toEqual([['s2', 5, false]])
  })

  it('votes for one candidate in each term, first come, and for it again when it asks again', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', voteRequest())
    cluster.receive('s1', 's3', voteRequest())
    cluster.receive('s1', 's2', voteRequest())
    expect(votes(cluster)).toEqual([
      ['s2', 2, true],
      ['s3', 2, false],
      ['s2', 2, true],
    ])
    expect(cluster.disk('s1').hardState).toEqual({ term: 2, votedFor: 's2' })
  })

  it('has on its disk a vote in a term that it has entered before, too', () => {
    const cluster = lone({ s1: { terms: [1, 2, 2] } })
    cluster.receive('s1', 's3', voteRequest({ term: 4, lastTerm: 1, lastIndex: 1 }))
    expect(cluster.disk('s1').hardState).toEqual({ term: 4, votedFor: undefined })
    cluster.receive('s1', 's2', voteRequest({ term: 4, lastTerm: 2, lastIndex: 3 }))
    expect(votes(cluster)).toEqual([
      ['s3', 4, false],
      ['s2', 4, true],
    ])
    expect(cluster.disk('s1').hardState).toEqual({ term: 4, votedFor: 's2' })
  })

  it('remembers its vote over a restart', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', voteRequest())
    cluster.crash('s1')
    cluster.start('s1')
    cluster.nowMs += 3000
    cluster.mail()
    cluster.receive('s1', 's3', voteRequest())
    expect(votes(cluster)).toEqual([['s3', 2, false]])
  })

  it.each([
    ['a newer last term, though shorter', { lastTerm: 3, lastIndex: 1 }, true],
    ['the same log', { lastTerm: 2, lastIndex: 3 }, true],
    ['a longer log of the same term', { lastTerm: 2, lastIndex: 9 }, true],
    ['a shorter log of the same term', { lastTerm: 2, lastIndex: 2 }, false],
    ['an older last term, though longer', { lastTerm: 1, lastIndex: 9 }, false],
  ])('judges %s by its last entry (paper 5.4.1)', (_, last, granted) => {
    const cluster = lone({ s1: { terms: [1, 2, 2] } })
    cluster.receive('s1', 's2', voteRequest({ term: 4, ...last }))
    expect(votes(cluster)).toEqual([['s2', 4, granted]])
    cluster.receive('s1', 's3', voteRequest({ pre: true, term: 5, ...last }))
    expect(votes(cluster)).toEqual([['s3', granted ? 5 : 4, granted]])
  })

  it('enters the newer term of a candidate that it refuses', () => {
    const cluster = lone({ s1: { terms: [1, 2] } })
    cluster.receive('s1', 's2', voteRequest({ term: 9 }))
    expect(cluster.disk('s1').hardState).toEqual({ term: 9, votedFor: undefined })
  })

  it('speaks its vote only when it is durable, with its term, in one record', () => {
    const cluster = lone()
    cluster.slowDisks.add('s1')
    const effects = cluster.receive('s1', 's2', voteRequest())
    expect(effects.some((effect) => effect.kind === 'send')).toBe(false)
    expect(find(effects, 'persist')).toMatchObject({ hardState: { term: 2, votedFor: 's2' }, thenSend: [{ to: 's2' }] })
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(votes(cluster)).toEqual([['s2', 2, true]])
  })

  it('says nothing in a term that is not yet durable, not even no', () => {
    const cluster = lone({ s1: { terms: [1, 2] } })
    cluster.slowDisks.add('s1')
    cluster.receive('s1', 's2', voteRequest({ term: 9 }))
    expect(cluster.mail()).toEqual([])
    cluster.sync('s1')
    expect(votes(cluster)).toEqual([['s2', 9, false]])
  })

  it('a vote granted puts off its own standing; a vote refused does not', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', voteRequest())
    cluster.nowMs += 500
    expect(cluster.fire('s1', 'election')).toMatchObject([{ kind: 'set-timer', minMs: 500 }])
    const refusing = lone({ s1: { terms: [1, 1] } })
    refusing.receive('s1', 's2', voteRequest())
    refusing.nowMs += 500
    refusing.fire('s1', 'election')
    expect(refusing.raft('s1').role.kind).toBe('pre-candidate')
  })

  it('answers a pre-vote without promising anything', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', voteRequest({ pre: true }))
    cluster.receive('s1', 's3', voteRequest({ pre: true }))
    expect(votes(cluster)).toEqual([
      ['s2', 2, true],
      ['s3', 2, true],
    ])
    expect(cluster.disk('s1').hardState).toEqual({ term: 1, votedFor: undefined })
  })

  it('refuses a pre-vote for a term that is not newer than its own', () => {
    const cluster = lone({ s1: { term: 6 } })
    cluster.receive('s1', 's2', voteRequest({ pre: true, term: 6 }))
    expect(votes(cluster)).toEqual([['s2', 6, false]])
  })

  it('votes for a server that its own configuration does not know, and though it is no voter itself', () => {
    const cluster = new Cluster({ voters: ['s2', 's3'], nonvoters: ['s1'], running: ['s1'] })
    cluster.nowMs = 5000
    cluster.receive('s1', 's9', voteRequest())
    expect(votes(cluster)).toEqual([['s9', 2, true]])
  })

  it.each([
    ['a fraction', { term: 2.5 }],
    ['a negative index', { lastIndex: -1 }],
    ['not a number', { lastTerm: Number.NaN }],
  ])('ignores a request with %s', (_, over) => {
    const cluster = lone()
    const effects = cluster.receive('s1', 's2', voteRequest(over))
    expect(effects).toMatchObject([{ kind: 'note', level: 'warn' }])
    expect(cluster.raft('s1').term).toBe(1)
  })
})

describe('loyalty to a living leader (thesis 4.2.3)', () => {
  it.each([true, false])(
    'ignores requests for the minimum election timeout after it heard its leader (pre: %s)',
    (pre) => {
      const cluster = lone()
      cluster.receive('s1', 's2', appendRequest())
      cluster.mail()
      cluster.nowMs += 999
      expect(cluster.receive('s1', 's3', voteRequest({ pre, term: 8, lastIndex: 9 }))).toEqual([])
      expect(cluster.raft('s1').term).toBe(2)
      cluster.nowMs += 1
      cluster.receive('s1', 's3', voteRequest({ pre, term: 8, lastIndex: 9 }))
      expect(cluster.mailOf('vote-response')).toMatchObject([{ granted: true }])
    },
  )

  it('a refused append is as good a sign of life as another', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', appendRequest({ previousIndex: 7, previousTerm: 2 }))
    cluster.mail()
    cluster.receive('s1', 's3', voteRequest({ term: 8, lastIndex: 9 }))
    expect(cluster.mail()).toEqual([])
  })

  it('a leader listens to no rival', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.receive('s1', 's3', voteRequest({ term: 8, lastIndex: 9, lastTerm: 7 }))
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'leader' } })
  })

  it('makes an exception for a candidate that the leader sent', () => {
    const cluster = lone()
    cluster.receive('s1', 's2', appendRequest())
    cluster.mail()
    cluster.receive('s1', 's3', voteRequest({ term: 3, transfer: true }))
    expect(cluster.mailOf('vote-response')).toMatchObject([{ term: 3, granted: true }])
  })

  it('after a restart keeps to the present leader, as long as if it had heard it then: a lease may rest on its word', () => {
    const cluster = lone({ s1: { terms: [1, 2] } })
    cluster.crash('s1')
    cluster.start('s1')
    cluster.nowMs += 999
    cluster.receive('s1', 's3', voteRequest({ term: 3, lastIndex: 9, lastTerm: 2 }))
    expect(cluster.mail()).toEqual([])
    cluster.nowMs += 1
    cluster.receive('s1', 's3', voteRequest({ term: 3, lastIndex: 9, lastTerm: 2 }))
    expect(cluster.mailOf('vote-response')).toMatchObject([{ granted: true }])
  })

  it.each([
    ['bootstrapped', {}],
    ['empty', { s1: { entries: [], term: 0 } }],
  ])('a fresh server, %s, has nobody to be loyal to', (_, past) => {
    const cluster = new Cluster({ voters: trio, running: ['s1'], past })
    cluster.receive('s1', 's2', voteRequest())
    expect(cluster.mailOf('vote-response')).toMatchObject([{ granted: true }])
  })

  it('a server that was cut off comes back without disturbing anyone', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.cuts.add('s3')
    for (let i = 0; i < 5; i++) {
      cluster.nowMs += 1500
      cluster.fire('s3', 'election')
      cluster.fire('s1', 'heartbeat')
      cluster.deliver()
    }
    cluster.cuts.clear()
    cluster.fire('s3', 'election')
    cluster.fire('s1', 'heartbeat')
    cluster.deliver()
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'leader' } })
    expect(cluster.raft('s3').role).toEqual({ kind: 'follower', leader: 's1' })
  })

  it('a server removed without its knowledge does not disturb anyone', () => {
    const cluster = new Cluster({ voters: trio })
    cluster.elect('s1')
    cluster.cuts.add('s3')
    cluster.step('s1', { kind: 'change-requested', requestId: 1, change: { kind: 'remove', id: 's3' } })
    cluster.deliver()
    cluster.cuts.clear()
    cluster.nowMs += 1500
    cluster.fire('s1', 'heartbeat')
    cluster.deliver()
    cluster.fire('s3', 'election')
    cluster.deliver()
    expect(cluster.raft('s1')).toMatchObject({ term: 2, role: { kind: 'leader' } })
    expect(cluster.raft('s2')).toMatchObject({ term: 2 })
  })
})
