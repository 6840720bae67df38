import { describe, expect, it } from 'vitest'
import { Loyalty } from '../../../sim/checkers/loyalty.ts'
import type { ServerTiming } from '../../../sim/checkers/process-facts.ts'
import { GivenVotes } from '../../../sim/checkers/raft/given-votes.ts'
import { HonestVotes } from '../../../sim/checkers/raft/honest-votes.ts'
import { LeaderReads } from '../../../sim/checkers/raft/leader-reads.ts'
import { ServerLog } from '../../../sim/checkers/raft/server-log.ts'
import { logIndexOf, noIndex, noTerm, termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { entry, recorder } from './reports.ts'

const [one, two, three] = [termOf(1), termOf(2), termOf(3)]

function asks(term: number, { pre = false, transfer = false } = {}): RaftMessage {
  return { kind: 'vote-request', pre, term: termOf(term), lastIndex: noIndex, lastTerm: noTerm, transfer }
}

function gives(term: number): RaftMessage {
  return { kind: 'vote-response', pre: false, term: termOf(term), granted: true }
}

function append(term: number, round: number): RaftMessage {
  const head = { term: termOf(term), previousIndex: noIndex, previousTerm: noTerm }
  return { kind: 'append-request', ...head, entries: [], commit: noIndex, round }
}

function answer(term: number, round: number): RaftMessage {
  return { kind: 'append-response', term: termOf(term), success: true, index: noIndex, hintTerm: noTerm, round }
}

/** Servers s1 to s3, called a to c in consensus. */
function voters() {
  const { judge, lines, counts } = recorder()
  const votes = new GivenVotes()
  for (const at of [1, 2, 3]) votes.named(`s${at}`, 'abc'.charAt(at - 1))
  const logs = new Map<string, ServerLog>()
  const logOf = (node: string): ServerLog => {
    const log = logs.get(node) ?? new ServerLog()
    logs.set(node, log)
    return log
  }
  const law = new HonestVotes(judge, votes, logOf)
  const writes = (node: string, term: number, votedFor: string, stands = false): void => {
    votes.voted(node, termOf(term), votedFor)
    law.written(node, termOf(term), votedFor, stands)
  }
  return { law, votes, lines, counts, logOf, writes }
}

describe('R9, what is said of a vote', () => {
  it('accepts votes that are on the disk of the server that tells of them', () => {
    const { law, lines, counts, writes } = voters()
    writes('s1', 2, 'a', true)
    law.received('s2', 'a', asks(2))
    writes('s2', 2, 'a')
    law.received('s1', 'b', gives(2))
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R9 3'])
  })

  it('reports a candidate without its own vote, and a vote that was not persisted', () => {
    const { law, lines, writes } = voters()
    law.received('s2', 'a', asks(2))
    writes('s2', 2, 'b', true)
    writes('s3', 2, 'b')
    law.received('s1', 'c', gives(2))
    expect(lines).toEqual([
      'R9: s1 stands in term 2, and its disk has none instead of its own vote',
      'R9: s3 gives s1 its vote in term 2, and its disk has a vote for s2 there',
    ])
  })

  it('accepts what a machine sent that was lost since, whose ID another one has', () => {
    const { law, votes, lines, writes } = voters()
    writes('s1', 2, 'a', true)
    writes('s2', 2, 'a')
    for (const [node, id] of [
      ['s1', 'a'],
      ['s2', 'b'],
    ] as const) {
      votes.replaced(node)
      votes.named(node, id)
    }
    law.received('s3', 'a', asks(2))
    law.received('s1', 'b', gives(2))
    expect(lines).toEqual([])
  })

  it('leaves alone what promises nothing: a question before an election, and a vote of the term before', () => {
    const { law, lines, writes } = voters()
    law.received('s2', 'a', asks(2, { pre: true }))
    writes('s1', 1, 'a', true)
    writes('s2', 1, 'a')
    writes('s3', 2, 'c', true)
    writes('s2', 2, 'c')
    law.received('s1', 'b', gives(1))
    expect(lines).toEqual([])
  })
})

describe('R9, logs', () => {
  const elected = (own: readonly number[], theirs: readonly number[], later: readonly number[] = []) => {
    const { lines, logOf, writes } = voters()
    const fill = (node: string, terms: readonly number[]): void => {
      for (const term of terms) logOf(node).append(entry(logOf(node).lastIndex + 1, term))
    }
    fill('s1', own)
    fill('s2', theirs)
    writes('s1', 4, 'a', true)
    fill('s1', later)
    writes('s2', 4, 'a')
    return lines
  }

  it('accepts a vote for a log that ends no earlier: by term, then by length', () => {
    expect(elected([1, 1], [1, 1])).toEqual([])
    expect(elected([1, 2], [1, 1, 1])).toEqual([])
    expect(elected([1, 1, 1], [1, 1])).toEqual([])
  })

  it('reports a vote for a log that was shorter, or of an older term, when its server stood', () => {
    expect(elected([1, 1], [1, 1, 1])).toEqual([
      'R9: s2 votes in term 4 for s1, whose log ends with entry 2 of term 1, its own with 3 of 1',
    ])
    expect(elected([1, 1, 1], [1, 2])).toHaveLength(1)
    expect(elected([1], [1, 1], [1])).toHaveLength(1)
  })
})

describe('R9, candidates', () => {
  it('reports a vote for a server that stands in another term, or does not stand', () => {
    const { lines, writes } = voters()
    writes('s1', 2, 'a', true)
    writes('s2', 2, 'a')
    writes('s3', 3, 'a')
    writes('s2', 3, 'c')
    expect(lines).toEqual([
      'R9: s3 votes in term 3 for s1, which does not stand there',
      'R9: s2 votes in term 3 for s3, which does not stand there',
    ])
  })

  it('accepts a vote for one that has lost its disk since, or stands in a later term by now', () => {
    const { votes, lines, counts, writes } = voters()
    writes('s1', 2, 'a', true)
    writes('s1', 3, 'a', true)
    writes('s2', 2, 'a')
    votes.replaced('s1')
    votes.named('s1', 'a')
    writes('s3', 3, 'a')
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R9 2'])
  })
})

describe('R9, servers that are encouraged to stand', () => {
  const encouraged = (term: number): RaftMessage => ({ ...gives(term), pre: true }) as RaftMessage
  const wonders = (term: number, lastIndex = 0, lastTerm = 0): RaftMessage =>
    ({ ...asks(term, { pre: true }), lastIndex, lastTerm }) as RaftMessage
  /** Voter s2, called b, in term 2, whose disk has entries 1 and 2 of it. */
  const voter = () => {
    const all = voters()
    all.law.found('s2', two)
    for (const index of [1, 2]) all.logOf('s2').append(entry(index, 2))
    return all
  }

  it('have a log that ends no earlier, and ask for a later term', () => {
    const { law, lines, counts } = voter()
    law.received('s2', 'a', wonders(3, 2, 2))
    law.sent('s2', 'a', encouraged(3))
    law.received('s2', 'c', wonders(3, 1, 2))
    law.sent('s2', 'c', { ...encouraged(3), granted: false } as RaftMessage)
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R9 1'])
    law.sent('s2', 'c', encouraged(3))
    law.received('s2', 'a', wonders(2, 2, 2))
    law.sent('s2', 'a', encouraged(2))
    expect(lines).toEqual([
      'R9: s2 encourages s3 to stand in term 3, whose log ends with entry 1 of term 2, its own with 2 of 2',
      'R9: s2 encourages s1 to stand in term 2, and its disk has term 2',
    ])
  })

  it('are judged by the log as it was when they asked', () => {
    const { law, lines, logOf } = voter()
    law.received('s2', 'a', wonders(3, 2, 2))
    logOf('s2').append(entry(3, 2))
    law.sent('s2', 'a', encouraged(3))
    expect(lines).toEqual([])
  })

  it('may have asked several times, of which any may be answered', () => {
    const { law, lines } = voter()
    law.received('s2', 'a', wonders(3, 2, 2))
    law.received('s2', 'a', wonders(3, 1, 2))
    law.sent('s2', 'a', encouraged(3))
    law.received('s2', 'a', wonders(4, 1, 2))
    law.sent('s2', 'a', encouraged(3))
    expect(lines).toEqual([])
  })

  it('are not judged by the end of a log that was just being cut', () => {
    const { law, lines, logOf } = voter()
    law.received('s2', 'a', wonders(3, 1, 2))
    logOf('s2').truncate(logIndexOf(2))
    law.cut('s2')
    law.sent('s2', 'a', encouraged(3))
    expect(lines).toEqual([])
  })
})

/** Leader s1, called a, of voters a to c, in term 2; its clock is moved by hand. */
function leader({ hasCommitted = true } = {}) {
  const { judge, lines, counts } = recorder()
  // Entries up to 4 are of former terms, entry 5 is the first of this one, and no later one is on its disk.
  const termAt = (_node: string, index: number) => (index < 5 ? one : index === 5 ? two : undefined)
  const clock = { ms: 0 }
  const law = new LeaderReads({ ...judge, nowUs: () => clock.ms * 1000 }, { votersOf: () => ['a', 'b', 'c'] }, termAt)
  law.began('s1', 'a', { monoMs: () => clock.ms, heartbeatTimeoutMs: 1000, leaderLeaseMs: 500, detection: 'fixed' })
  law.becameLeader('s1', two)
  if (hasCommitted) law.committed('s1', logIndexOf(5))
  const round = (number: number): void => law.sent('s1', append(2, number))
  return { law, lines, counts, clock, round }
}

describe('R10', () => {
  it('accepts a read once a majority has answered what left after it came', () => {
    const { law, lines, counts, clock, round } = leader()
    round(1)
    clock.ms = 600
    law.asked('s1', 7)
    round(2)
    law.received('s1', 'b', answer(2, 2))
    law.confirmed('s1', 7)
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R10 1'])
  })

  it('reports one that joins a round which had begun, and one that counts another term', () => {
    const joined = leader()
    joined.round(1)
    joined.clock.ms = 600
    joined.law.asked('s1', 7)
    joined.law.received('s1', 'b', answer(2, 1))
    joined.law.confirmed('s1', 7)
    expect(joined.lines).toEqual([
      'R10: s1, leader of term 2, answers a read, and 1 of 3 voters have answered a message sent since then, or within the lease',
    ])
    const older = leader()
    older.law.asked('s1', 7)
    older.round(1)
    older.law.received('s1', 'b', answer(1, 1))
    older.law.confirmed('s1', 7)
    expect(older.lines).toHaveLength(1)
  })

  it('accepts a read within the lease, and none after it, nor after the leader has handed over', () => {
    const within = leader()
    within.round(1)
    within.law.received('s1', 'b', answer(2, 1))
    within.clock.ms = 499
    within.law.confirmed('s1', undefined)
    expect(within.lines).toEqual([])
    within.clock.ms = 500
    within.law.confirmed('s1', undefined)
    expect(within.lines).toHaveLength(1)
    const over = leader()
    over.round(1)
    over.law.received('s1', 'b', answer(2, 1))
    over.law.sent('s1', { kind: 'timeout-now', term: two })
    over.law.confirmed('s1', undefined)
    expect(over.lines).toHaveLength(1)
  })

  it('reports a read before an entry of the term is committed, whatever else is', () => {
    const { law, lines, round, clock } = leader({ hasCommitted: false })
    round(1)
    law.received('s1', 'b', answer(2, 1))
    law.committed('s1', logIndexOf(4))
    law.confirmed('s1', undefined)
    clock.ms = 1
    law.committed('s1', logIndexOf(6))
    law.confirmed('s1', undefined)
    expect(lines).toEqual(['R10: s1, leader of term 2, answers a read before it has committed in its term'])
    const deposed = leader({ hasCommitted: false })
    deposed.round(1)
    deposed.law.received('s1', 'b', answer(2, 1))
    deposed.law.confirmed('s1', undefined)
    deposed.clock.ms = 1
    deposed.law.noLongerLeads('s1')
    expect(deposed.lines).toEqual(lines)
    // The same turn commits the entry.
    const atOnce = leader({ hasCommitted: false })
    atOnce.round(1)
    atOnce.law.received('s1', 'b', answer(2, 1))
    atOnce.law.confirmed('s1', undefined)
    atOnce.law.committed('s1', logIndexOf(5))
    atOnce.law.noLongerLeads('s1')
    expect(atOnce.lines).toEqual([])
  })

  it('excuses a change that is not in the log yet, by one voter alone, and reports a server that does not lead', () => {
    const { law, lines, counts, round } = leader()
    law.changing('s1', true)
    law.asked('s1', 7)
    round(1)
    law.confirmed('s1', 7)
    expect(lines).toHaveLength(1)
    const four = recorder()
    const group = new LeaderReads(
      { ...four.judge, nowUs: () => 0 },
      { votersOf: () => ['a', 'b', 'c', 'd'] },
      () => two,
    )
    group.began('s1', 'a', undefined)
    group.becameLeader('s1', two)
    group.committed('s1', logIndexOf(1))
    group.changing('s1', true)
    group.asked('s1', 1)
    group.sent('s1', append(2, 1))
    group.received('s1', 'b', answer(2, 1))
    group.confirmed('s1', 1)
    expect(four.lines).toEqual([])
    expect(four.counts()).toContain('R10 excused: change under way 1')
    law.noLongerLeads('s1')
    law.confirmed('s1', undefined)
    expect(lines.at(-1)).toBe('R10: s1 answers a read although it does not lead')
    expect(counts()).toEqual(['R10 2'])
  })
})

/** Follower s2 of s1, which leads term 2; the clock of s2 and true time are moved by hand. */
function follower(detection: ServerTiming['detection'] = 'fixed') {
  const { judge, lines, counts } = recorder()
  const clock = { ms: 0, us: 0 }
  const timing: ServerTiming = { monoMs: () => clock.ms, heartbeatTimeoutMs: 1000, leaderLeaseMs: 500, detection }
  const calm = { sinceUs: Number.POSITIVE_INFINITY, leads: true }
  const law = new Loyalty(judge, {
    nowUs: () => clock.us,
    elections: { leaderOf: () => 's1' },
    calmSinceUs: () => calm.sinceUs,
    leadsVoter: () => calm.leads,
    rttMaxMs: 20,
  })
  for (const [node, id] of [
    ['s1', 'a'],
    ['s2', 'b'],
  ] as const) {
    law.began(node, id, timing)
  }
  law.leads('s1', two)
  law.written('s2', two, 'a', false)
  law.received('s2', 'a', append(2, 1))
  /** It ends, and its next process, whose clock begins anew, finds this term on its disk after as long. */
  const restarts = (afterMs: number, term = two): void => {
    law.gone('s2')
    clock.us += afterMs * 1000
    clock.ms = 0
    law.began('s2', 'b', timing)
    law.found('s2', term)
  }
  return { law, lines, counts, clock, calm, restarts }
}

describe('R11, calm', () => {
  const stands = (calmS: number, change: (of: ReturnType<typeof follower>) => void = () => {}) => {
    const of = follower()
    of.clock.us = 60_000_000
    of.clock.ms = 60_000
    of.calm.sinceUs = (60 - calmS) * 1_000_000
    change(of)
    of.law.sent('s2', asks(3, { pre: true }))
    return of.lines
  }

  it('reports a server that stands while its leader leads, and nothing was disturbed for long', () => {
    expect(stands(7)).toEqual([
      'R11: s2 stands for election in term 3: s1 leads term 2, and nothing was disturbed for 7.0 s',
    ])
  })

  it('accepts one after trouble, without a leader, and when connections have just broken', () => {
    expect(stands(6.9)).toEqual([])
    expect(stands(50, ({ calm }) => Object.assign(calm, { leads: false }))).toEqual([])
    expect(stands(50, ({ law }) => law.refuses('s3', false))).toEqual([])
    expect(stands(50, ({ law }) => law.gone('s1'))).toEqual([])
    expect(stands(50, ({ law }) => law.ends('s1'))).toEqual([])
  })
})

describe('R11, questions', () => {
  it('accepts one when the timeout is over by the own clock, and reports one before', () => {
    const { law, lines, clock } = follower()
    clock.ms = 1000
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toEqual([])
    clock.ms = 999
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toEqual([
      'R11: s2 stands for election in term 3 999.0 ms after a message from s1, leader of term 2: it binds for 1000 ms',
    ])
  })

  it.each([
    ['adaptive', 100, 3_000, 500],
    ['adaptive', 240, 3_000, 600],
    ['adaptive', 100, 1_900, 1_000],
    ['fixed', 100, 3_000, 1_000],
  ] as const)(
    'with %s detection, a leader heard each %d ms for %d ms binds for %d ms',
    (detection, each, forMs, binds) => {
      const { law, lines, clock } = follower(detection)
      for (clock.ms = each; clock.ms <= forMs; clock.ms += each) law.received('s2', 'a', append(2, 1))
      const last = clock.ms - each
      clock.ms = last + binds
      law.sent('s2', asks(3, { pre: true }))
      expect(lines).toEqual([])
      clock.ms = last + binds - 1
      law.sent('s2', asks(3, { pre: true }))
      expect(lines).toHaveLength(1)
    },
  )

  it('counts the words of the term that is left alone', () => {
    const { law, lines } = follower()
    law.written('s2', three, undefined, false)
    law.received('s2', 'a', append(2, 2))
    law.sent('s2', asks(4, { pre: true }))
    expect(lines).toEqual([])
  })

  it('lets a leader go whose process has ended, or is asked to, and excuses one that refuses connections', () => {
    for (const end of ['gone', 'ends'] as const) {
      const { law, lines } = follower()
      law[end]('s1')
      law.sent('s2', asks(3, { pre: true }))
      expect(lines).toEqual([])
    }
    const { law, lines, counts } = follower()
    law.refuses('s1', true)
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toEqual([])
    expect(counts()).toContain('R11 excused: connections refused 1')
  })

  it('ends that excuse, and the other one when the disk has written', () => {
    const refused = follower()
    refused.law.refuses('s1', false)
    refused.clock.us = 10_000_001
    refused.law.received('s2', 'a', append(2, 2))
    refused.law.sent('s2', asks(3, { pre: true }))
    expect(refused.lines).toHaveLength(1)
    const behind = follower()
    for (let count = 0; count < 2048; count++) behind.law.received('s2', 'a', append(2, 1))
    behind.law.sent('s2', asks(3, { pre: true }))
    expect(behind.counts()).toContain('R11 excused: disk far behind 1')
    expect(behind.lines).toEqual([])
    behind.law.wrote('s2')
    behind.law.sent('s2', asks(3, { pre: true }))
    expect(behind.lines).toHaveLength(1)
  })
})

describe('R11, restarts', () => {
  it('reports a question and a vote of a process whose predecessor heard the leader within the timeout', () => {
    const { law, lines, clock, restarts } = follower()
    restarts(200)
    clock.ms = 699
    law.sent('s2', asks(3, { pre: true }))
    law.received('s2', 'c', asks(3))
    law.written('s2', three, 'c', false)
    expect(lines).toEqual([
      'R11: s2 stands for election in term 3 899.0 ms after a message from s1, leader of term 2: it binds for 900 ms',
      'R11: s2 votes for c in term 3 899.0 ms after a message from s1, leader of term 2: it binds for 900 ms',
    ])
  })

  it('accepts both later, by a clock that may be a tenth too fast', () => {
    const { law, lines, clock, restarts } = follower()
    restarts(200)
    clock.ms = 700
    law.sent('s2', asks(3, { pre: true }))
    law.received('s2', 'c', asks(3))
    law.written('s2', three, 'c', false)
    expect(lines).toEqual([])
  })

  it('counts the message over two restarts, and a newer one in its place', () => {
    const { law, lines, clock, restarts } = follower()
    for (const afterMs of [300, 300]) restarts(afterMs)
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toHaveLength(1)
    law.received('s2', 'a', append(2, 1))
    clock.ms = 999
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('it binds for 1000 ms')
  })

  it('lets a server go whose disk lacks the term of the message, or has a later one', () => {
    for (const found of [one, three]) {
      const { law, lines, restarts } = follower()
      restarts(100, found)
      law.sent('s2', asks(found + 1, { pre: true }))
      law.sent('s2', asks(3, { pre: true }))
      expect(lines).toEqual([])
    }
  })

  it('lets a process that has heard no leader itself stand in calm', () => {
    const { law, lines, calm, clock, restarts } = follower()
    restarts(100)
    clock.us = 60_000_000
    clock.ms = 60_000
    calm.sinceUs = 0
    law.sent('s2', asks(3, { pre: true }))
    expect(lines).toEqual([])
  })
})

describe('R11, votes', () => {
  it('reports one for a candidate that asked while the leader was heard', () => {
    const { law, lines, clock } = follower()
    clock.ms = 300
    law.received('s2', 'c', asks(3))
    clock.ms = 350
    law.written('s2', three, 'c', false)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^R11: s2 votes for c in term 3/)
  })

  it('accepts one that was asked for in time, once at least, or because the leader hands over', () => {
    const late = follower()
    late.clock.ms = 300
    late.law.received('s2', 'c', asks(3))
    late.clock.ms = 1000
    late.law.received('s2', 'c', asks(3))
    late.law.written('s2', three, 'c', false)
    expect(late.lines).toEqual([])
    const over = follower()
    over.law.received('s2', 'c', asks(3, { transfer: true }))
    over.law.written('s2', three, 'c', false)
    expect(over.lines).toEqual([])
  })

  it('does not judge a server that was in another term by then', () => {
    const { law, lines } = follower()
    law.received('s2', 'c', asks(4))
    law.written('s2', three, undefined, false)
    law.written('s2', termOf(4), 'c', false)
    expect(lines).toEqual([])
  })
})
