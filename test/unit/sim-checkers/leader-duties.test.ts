import { describe, expect, it } from 'vitest'
import { FrugalConsensus } from '../../../sim/checkers/raft/frugal-consensus.ts'
import { GivenVotes } from '../../../sim/checkers/raft/given-votes.ts'
import { LeaderAttention } from '../../../sim/checkers/raft/leader-attention.ts'
import { QuorumContact } from '../../../sim/checkers/raft/quorum-contact.ts'
import { Transfers } from '../../../sim/checkers/raft/transfers.ts'
import { WaitingReads } from '../../../sim/checkers/raft/waiting-reads.ts'
import { logIndexOf, noIndex, noTerm, termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Configuration } from '../../../src/raft/core/types.ts'
import { entry, recorder } from './reports.ts'

const two = termOf(2)

interface Sent {
  readonly round?: number
  readonly last?: number
  readonly commit?: number
  readonly full?: boolean
}

function append({ round = 1, last = 0, commit = 0, full = false }: Sent = {}): RaftMessage {
  const at = { previousIndex: logIndexOf(last), previousTerm: noTerm, commit: logIndexOf(commit), round }
  return { kind: 'append-request', term: two, entries: full ? [entry(last + 1, 2)] : [], ...at }
}

function answer(round: number, index = 0, success = true): RaftMessage {
  return { kind: 'append-response', term: two, success, index: logIndexOf(index), hintTerm: noTerm, round }
}

/** Servers a to c at their own addresses; s1, called a, leads them in term 2. A heartbeat comes in 100 to 200 ms. */
function group() {
  const { judge, lines, counts } = recorder()
  const clock = { ms: 0 }
  const timing = { monoMs: () => clock.ms, heartbeatTimeoutMs: 1000, leaderLeaseMs: 500, detection: 'fixed' } as const
  const newest: { of: Configuration } = {
    of: { servers: ['a', 'b', 'c'].map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' })) },
  }
  const reads = new WaitingReads()
  const attention = new LeaderAttention(judge, { newestOf: () => newest.of }, reads)
  const thrift = new FrugalConsensus({ ...judge, nowUs: () => clock.ms * 1000 }, { newestOf: () => newest.of }, reads)
  attention.began('s1', 'a', timing)
  thrift.began('s1', timing)
  thrift.began('s2', timing)
  reads.began('s1', timing)
  for (const law of [attention, thrift, reads]) law.becameLeader('s1', two)
  const attends = (to: string, sent: Sent = {}): void => attention.sent('s1', to, `${to}:8300`, append(sent))
  const sends = (to: string, sent: Sent = {}): void => thrift.sent('s1', to, append(sent))
  const asked = (): void => {
    reads.committed('s1')
    reads.asked('s1', 7)
  }
  return { attention, thrift, reads, asked, attends, sends, lines, counts, clock, newest }
}

describe('R12', () => {
  it('accepts heartbeats with one left out between them', () => {
    const { attends, lines, counts, clock } = group()
    for (const ms of [0, 200, 400, 800]) {
      clock.ms = ms
      for (const to of ['b', 'c']) attends(to)
    }
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R12 14'])
  })

  it('reports a follower that is sent nothing, or only what needs no answer, while others are', () => {
    const { attends, lines, clock } = group()
    for (const ms of [0, 200, 400, 600]) {
      clock.ms = ms
      attends('b')
      attends('c', ms === 0 ? {} : { round: 0 })
    }
    expect(lines).toEqual(['R12: s1, leader of term 2, has sent c no append for 600 ms'])
  })

  it('begins anew after a pause of its process, and for each new leader', () => {
    const { attention, attends, lines, clock } = group()
    attends('b')
    clock.ms = 5000
    attention.resumed('s1')
    attends('b')
    clock.ms = 9000
    attention.noLongerLeads('s1')
    attention.becameLeader('s1', two)
    attends('b')
    expect(lines).toEqual([])
  })

  it('asks nothing for a server whose removal is decided', () => {
    const { attention, attends, lines, clock } = group()
    attends('b')
    attention.removing('s1', 'c')
    clock.ms = 900
    attention.received('s1', 'b', answer(1))
    expect(lines).toEqual(['R12: s1, leader of term 2, has sent b no append for 900 ms'])
  })

  it('asks nothing for it either when a configuration from before that comes to a slow disk, but not for ever', () => {
    const { attention, attends, lines, clock, newest } = group()
    const ofC = (): readonly string[] => lines.filter((line) => line.includes('has sent c'))
    attends('c')
    attention.removing('s1', 'c')
    attention.changed('s1')
    clock.ms = 29_000
    attention.received('s1', 'b', answer(1))
    expect(ofC()).toEqual([])
    clock.ms = 31_000
    attention.received('s1', 'b', answer(1))
    expect(ofC()).toEqual(['R12: s1, leader of term 2, has sent c no append for 31000 ms'])
    newest.of = { servers: newest.of.servers.filter(({ id }) => id !== 'c') }
    attention.changed('s1')
    clock.ms = 32_000
    attention.received('s1', 'b', answer(1))
    expect(ofC()).toHaveLength(1)
  })

  it('reports entries alone while a read waits, because their answers wait for a disk', () => {
    const { asked, attends, lines, clock } = group()
    attends('b')
    asked()
    for (const ms of [100, 200, 300]) {
      clock.ms = ms
      attends('b', { full: true })
      attends('c')
    }
    expect(lines).toEqual([
      'R12: s1, leader of term 2, has not asked b for 300 ms whether it still leads, and a read has been waiting for that',
    ])
  })

  it('counts a read from when it came, and from the first commit of the term', () => {
    const { reads, attends, lines, clock } = group()
    reads.asked('s1', 7)
    for (const ms of [0, 300]) {
      clock.ms = ms
      for (const to of ['b', 'c']) attends(to, { full: true })
    }
    reads.committed('s1')
    clock.ms = 450
    attends('b', { full: true })
    reads.confirmed('s1', 7)
    clock.ms = 650
    attends('b', { full: true })
    expect(lines).toEqual([])
  })

  it('reports another address of a member than that of the configuration, and none at all', () => {
    const { attention, lines, counts } = group()
    attention.sent('s1', 'b', 'c:8300', append())
    attention.sent('s1', 'c', '', append())
    attention.sent('s1', 'd', '', append())
    attention.sent('s1', 'e', 'e:8300', append())
    attention.changing('s1', true)
    attention.sent('s1', 'b', 'c:8300', append())
    expect(lines).toEqual([
      'R12: s1, leader of term 2, sends b its messages at c:8300, and the configuration in its log has b:8300',
      'R12: s1, leader of term 2, does not know the address of c',
    ])
    expect(counts()).toContain('R12 excused: change under way 1')
  })
})

describe('R12, refusals', () => {
  const refusal = (round: number, index: number): RaftMessage => answer(round, index, false)

  it('reports a refusal after which the follower is sent nothing until a heartbeat', () => {
    const { attention, attends, lines, clock } = group()
    attends('b', { last: 9, full: true })
    attention.received('s1', 'b', refusal(1, 4))
    clock.ms = 120
    attends('b', { last: 4 })
    expect(lines).toEqual([
      'R12: s1, leader of term 2, is refused an append by b, and its first answer is a heartbeat 120 ms later',
    ])
  })

  it('accepts entries from further back, and a snapshot', () => {
    const { attention, attends, lines, clock } = group()
    attends('b', { last: 9, full: true })
    attention.received('s1', 'b', refusal(1, 4))
    attends('b', { last: 4, full: true })
    clock.ms = 120
    attends('b', { last: 4 })
    attends('c', { last: 9 })
    attention.received('s1', 'c', refusal(1, 2))
    clock.ms = 240
    attends('c')
    expect(lines).toEqual([])
  })

  it('accepts a snapshot that was begun by an earlier refusal, and comes to its end before a heartbeat', () => {
    const { attention, attends, lines, clock } = group()
    attends('b', { last: 9, full: true })
    attention.received('s1', 'b', refusal(1, 4))
    const installed = { kind: 'snapshot-response', term: two, nextOffset: 9, installed: true, round: 1 } as const
    attention.received('s1', 'b', { ...installed, index: logIndexOf(9) })
    clock.ms = 20
    attends('b', { last: 9 })
    expect(lines).toEqual([])
  })

  it('accepts no answer to a refusal that is late or known, or of a former member', () => {
    const { attention, attends, lines, clock } = group()
    attends('b', { last: 9 })
    attention.received('s1', 'b', answer(1, 6))
    attention.received('s1', 'b', refusal(1, 4))
    attends('c', { last: 4 })
    attention.received('s1', 'c', refusal(1, 4))
    clock.ms = 120
    for (const to of ['b', 'c']) attends(to, { last: 9, round: 2 })
    attention.changed('s1')
    attention.received('s1', 'c', refusal(2, 5))
    attends('c', { last: 9, round: 3 })
    attention.received('s1', 'c', refusal(2, 5))
    clock.ms = 240
    attends('c', { last: 9, round: 3 })
    expect(lines).toEqual([])
  })
})

describe('R12, refusals of a server that is removed and added again', () => {
  const refusal = answer(1, 4, false)

  it('are no concern of the leader, which greets it before the change is on its disk', () => {
    const { attention, attends, lines, clock, newest } = group()
    attends('b', { last: 9, full: true })
    newest.of = { servers: newest.of.servers.filter(({ id }) => id !== 'b') }
    attention.changed('s1')
    attention.received('s1', 'b', refusal)
    clock.ms = 12
    attends('b', { last: 9 })
    expect(lines).toEqual([])
  })

  it('are forgotten when it is removed after them', () => {
    const { attention, attends, lines, clock } = group()
    attends('b', { last: 9, full: true })
    attention.received('s1', 'b', refusal)
    attention.changed('s1')
    clock.ms = 12
    attends('b', { last: 9 })
    expect(lines).toEqual([])
  })
})

/** s1, called a, leads voters a to c in term 2; its lease is 500 ms. */
function office() {
  const { judge, lines, counts } = recorder()
  const clock = { ms: 1000 }
  const timing = { monoMs: () => clock.ms, heartbeatTimeoutMs: 1000, leaderLeaseMs: 500, detection: 'fixed' } as const
  const voters = { of: ['a', 'b', 'c'] }
  const newestOf = (): Configuration => ({
    servers: voters.of.map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' })),
  })
  const law = new QuorumContact(judge, { votersOf: () => voters.of, newestOf })
  law.began('s1', 'a', timing)
  law.becameLeader('s1', two)
  const at = (ms: number): void => {
    clock.ms = ms
    law.sent('s1', append())
  }
  return { law, lines, counts, clock, voters, at }
}

describe('R12, the majority that answers', () => {
  it('accepts a leader that one of two others answers, and one that steps down when its lease ends', () => {
    const { law, lines, clock, at } = office()
    at(1500)
    law.heard('s1', 'b')
    at(2000)
    clock.ms = 2002
    law.steppedDown('s1')
    at(9000)
    expect(lines).toEqual([])
  })

  it('reports one that sends appends beyond its lease, or steps down later', () => {
    const { law, lines, clock, at } = office()
    at(1510)
    clock.ms = 1700
    law.steppedDown('s1')
    expect(lines).toEqual([
      'R12: s1, leader of term 2, leads on 510 ms after a majority answered, longer than its lease of 500 ms',
      'R12: s1, leader of term 2, leads on 700 ms after a majority answered, longer than its lease of 500 ms',
    ])
  })

  it('counts no crash, no notice, and no time in which its process did nothing', () => {
    const { law, lines, clock, at } = office()
    clock.ms = 4000
    law.sent('s1', append({ round: 0 }))
    law.resumed('s1')
    at(4400)
    clock.ms = 9000
    law.noLongerLeads('s1')
    expect(lines).toEqual([])
  })

  it('counts a voter that joins from then on, and one that is asked to join or leave as it may be in memory', () => {
    const { law, lines, counts, clock, voters, at } = office()
    voters.of = ['a', 'b']
    clock.ms = 1400
    law.changed('s1', ['a'])
    at(1800)
    expect(lines).toEqual([])
    law.changing('s1', true)
    at(2500)
    expect(lines).toEqual([])
    expect(counts()).toContain('R12 excused: change under way 1')
    law.changing('s1', false)
    at(2600)
    expect(lines).toHaveLength(1)
  })

  it('counts no answer of its own for a leader without a vote', () => {
    const { law, lines, voters, at } = office()
    voters.of = ['b', 'c', 'd']
    law.heard('s1', 'b')
    at(1400)
    law.heard('s1', 'b')
    at(1600)
    expect(lines).toHaveLength(1)
  })
})

describe('R13', () => {
  it('reports a heartbeat beside entries that are answered, unless the answer is old or a refusal, or a read waits', () => {
    const { thrift, sends, asked, lines, clock } = group()
    const beats = (ms: number, heard: RaftMessage): void => {
      sends('b', { full: true })
      thrift.received('s1', 'b', heard)
      clock.ms += ms
      sends('b', { last: 1 })
    }
    beats(99, answer(1, 1))
    beats(50, answer(1, 1, false))
    beats(50, answer(1))
    expect(lines).toEqual([])
    beats(50, answer(1, 1))
    expect(lines).toEqual([
      'R13: s1, leader of term 2, sends b a heartbeat after entries and an answer 50 ms ago or less, and no read waits',
    ])
    asked()
    beats(50, answer(1, 1))
    expect(lines).toHaveLength(1)
  })

  it('reports a commit index that is told twice, but not to a server that leaves or joins', () => {
    const { thrift, sends, lines, newest } = group()
    sends('b', { round: 0, last: 4, commit: 3 })
    sends('b', { round: 0, last: 4, commit: 4 })
    sends('b', { round: 0, last: 4, commit: 5 })
    expect(lines).toEqual(['R13: s1, leader of term 2, tells b once more that entries up to 4 are committed'])
    thrift.removing('s1', 'b')
    thrift.changed('s1')
    sends('b', { round: 0, last: 4, commit: 4 })
    newest.of = { servers: newest.of.servers.filter(({ id }) => id !== 'b') }
    thrift.changed('s1')
    sends('b', { round: 0, last: 4, commit: 4 })
    expect(lines).toHaveLength(1)
  })

  it('reports a piece of a snapshot that is sent again at once, unless it is the first', () => {
    const { thrift, lines, clock } = group()
    const meta = { index: logIndexOf(9), term: two, configuration: { servers: [] }, configurationIndex: noIndex }
    const sends = (offset: number, afterMs: number): void => {
      clock.ms += afterMs
      const piece = { meta, sizeBytes: 300, offset, bytes: new Uint8Array(100), round: 1 }
      thrift.sent('s1', 'b', { kind: 'snapshot-chunk', term: two, ...piece })
    }
    sends(0, 0)
    sends(0, 5)
    sends(100, 5)
    sends(100, 1000)
    sends(200, 5)
    sends(100, 5)
    expect(lines).toEqual([])
    sends(100, 5)
    expect(lines).toEqual(['R13: s1, leader of term 2, sends b the piece at 100 of its snapshot again after 5 ms'])
  })

  it('accepts a piece that was sent to a silent follower once more, and once, when that is heard', () => {
    const { thrift, lines, clock } = group()
    const meta = { index: logIndexOf(9), term: two, configuration: { servers: [] }, configurationIndex: logIndexOf(1) }
    const send = (ms: number): void => {
      clock.ms = ms
      const piece = { meta, offset: 100, sizeBytes: 200, bytes: new Uint8Array(100), round: 1 }
      thrift.sent('s1', 'b', { kind: 'snapshot-chunk', term: two, ...piece })
    }
    const hear = (ms: number): void => {
      clock.ms = ms
      thrift.received('s1', 'b', answer(1))
    }
    hear(0)
    send(1010)
    hear(1500)
    send(1510)
    expect(lines).toEqual([])
    hear(1520)
    send(1530)
    expect(lines).toEqual(['R13: s1, leader of term 2, sends b the piece at 100 of its snapshot again after 20 ms'])
  })

  it('reports a second answer at one moment, unless the disk has just written', () => {
    const { thrift, lines, clock, counts } = group()
    const answersTwice = (round: number): void => {
      thrift.received('s2', 'a', append({ round }))
      thrift.sent('s2', 'a', answer(round))
      thrift.sent('s2', 'a', answer(round, 3))
    }
    thrift.received('s2', 'a', append({ round: 1 }))
    thrift.sent('s2', 'a', answer(1))
    clock.ms = 20
    thrift.sent('s2', 'a', answer(1, 3))
    thrift.wrote('s2')
    answersTwice(2)
    expect(lines).toEqual([])
    clock.ms = 40
    answersTwice(3)
    expect(lines).toEqual(['R13: s2 answers an append of round 3 twice at one moment'])
    expect(counts()).toEqual(['R13 6'])
  })

  it('reports more answers than two to an append without entries, and than one to entries', () => {
    const { thrift, lines, clock } = group()
    const answers = (sent: Sent, times: number): void => {
      thrift.received('s2', 'a', append(sent))
      for (let i = 0; i < times; i++) {
        clock.ms++
        thrift.sent('s2', 'a', answer(sent.round ?? 1, i))
      }
    }
    answers({ round: 1 }, 3)
    answers({ round: 2, full: true }, 2)
    answers({ round: 3, full: true }, 1)
    answers({ round: 3 }, 2)
    expect(lines).toEqual([
      'R13: s2 answers 1 appends of round 1 3 times',
      'R13: s2 answers 1 appends of round 2 2 times',
    ])
  })
})

describe('R14', () => {
  const order = { node: 's1', term: two }
  /** Server s3, called c, leads term 3. */
  function transferred() {
    const { judge, lines, counts } = recorder()
    const votes = new GivenVotes()
    for (const at of [1, 2, 3]) votes.named(`s${at}`, 'abc'.charAt(at - 1))
    const law = new Transfers(judge, votes)
    law.becameLeader('s1', two)
    law.becameLeader('s3', termOf(3))
    return { law, lines, counts }
  }

  it('accepts success if the named server, or any other, leads, and failure for another or for want of time', () => {
    const { law, lines, counts } = transferred()
    law.answered({ ...order, to: 's3', failure: undefined })
    law.answered({ ...order, to: undefined, failure: undefined })
    law.answered({ ...order, to: 's2', failure: 'server c became leader' })
    law.answered({ ...order, to: 's2', failure: 'the target did not become leader in time' })
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R14 4'])
  })

  it('reports success that another server had, and failure of what has succeeded', () => {
    const { law, lines } = transferred()
    law.answered({ ...order, to: 's2', failure: undefined })
    law.answered({ ...order, to: 's3', failure: 'server c became leader' })
    law.answered({ ...order, to: 's3', failure: 'server b became leader' })
    law.answered({ ...order, term: termOf(3), to: undefined, failure: undefined })
    expect(lines).toEqual([
      'R14: s1 answers an order to transfer its leadership to s2 with success, and since term 2 s3 has led',
      'R14: s1 answers an order to transfer its leadership to s3 with failure, because s3 became leader',
      'R14: s1 answers an order to transfer its leadership to s3 with failure, because s2 became leader',
      'R14: s1 answers an order to transfer its leadership with success, and since term 3 no server has led',
    ])
  })
})
