import { describe, expect, it } from 'vitest'
import { ConfigurationChanges } from '../../../sim/checkers/raft/configuration-changes.ts'
import { DurableTerms } from '../../../sim/checkers/raft/durable-terms.ts'
import { ElectionSafety } from '../../../sim/checkers/raft/election-safety.ts'
import { chainHash } from '../../../sim/checkers/raft/entry-hash.ts'
import { LeaderAppendOnly } from '../../../sim/checkers/raft/leader-append-only.ts'
import { LeaderCompleteness } from '../../../sim/checkers/raft/leader-completeness.ts'
import { LogMatching } from '../../../sim/checkers/raft/log-matching.ts'
import { ServerLog } from '../../../sim/checkers/raft/server-log.ts'
import { StateMachineSafety } from '../../../sim/checkers/raft/state-machine-safety.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Configuration, Entry } from '../../../src/raft/core/types.ts'
import { entry, recorder } from './reports.ts'

function logOf(...entries: readonly Entry[]): ServerLog {
  const log = new ServerLog()
  for (const one of entries) log.append(one)
  return log
}

describe('R1 election safety', () => {
  it('accepts one leader for each term, and the same one told twice', () => {
    const { judge, codes } = recorder()
    const checker = new ElectionSafety(judge)
    checker.becameLeader('s1', termOf(1))
    checker.becameLeader('s2', termOf(2))
    checker.becameLeader('s2', termOf(2))
    expect(codes).toEqual([])
  })

  it('reports two leaders of one term', () => {
    const { judge, lines } = recorder()
    const checker = new ElectionSafety(judge)
    checker.becameLeader('s1', termOf(4))
    checker.becameLeader('s3', termOf(4))
    expect(lines).toEqual(['R1: s3 leads term 4, which s1 has led already'])
  })
})

describe('R2 leader append-only', () => {
  it('lets followers cut their logs, and leaders append', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderAppendOnly(judge)
    checker.truncated('s1', logIndexOf(3))
    checker.becameLeader('s1', termOf(2))
    checker.appended('s1', logIndexOf(4), logIndexOf(3))
    checker.noLongerLeads('s1')
    checker.truncated('s1', logIndexOf(4))
    expect(codes).toEqual([])
  })

  it('reports a leader that cuts its log', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderAppendOnly(judge)
    checker.becameLeader('s1', termOf(2))
    checker.truncated('s1', logIndexOf(4))
    expect(codes).toEqual(['R2'])
  })

  it('reports a leader that writes over an entry', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderAppendOnly(judge)
    checker.becameLeader('s1', termOf(2))
    checker.appended('s1', logIndexOf(4), logIndexOf(4))
    expect(codes).toEqual(['R2'])
  })
})

describe('the log of a server, seen from outside', () => {
  it('has equal hashes exactly when everything up to the index is equal', () => {
    const a = logOf(entry(1, 1, 'a'), entry(2, 1, 'b'), entry(3, 2, 'c'))
    const b = logOf(entry(1, 1, 'a'), entry(2, 1, 'x'), entry(3, 2, 'c'))
    expect(a.hashAt(logIndexOf(1))).toBe(b.hashAt(logIndexOf(1)))
    expect(a.hashAt(logIndexOf(2))).not.toBe(b.hashAt(logIndexOf(2)))
    expect(a.hashAt(logIndexOf(3))).not.toBe(b.hashAt(logIndexOf(3)))
    b.truncate(logIndexOf(2))
    b.append(entry(2, 1, 'b'))
    b.append(entry(3, 2, 'c'))
    expect(a.hashAt(logIndexOf(3))).toBe(b.hashAt(logIndexOf(3)))
  })

  it('tells entries apart by term, kind and payload', () => {
    const hashes = [
      entry(1, 1, 'a'),
      entry(1, 2, 'a'),
      entry(1, 1, 'b'),
      entry(1, 1, 'aa'),
      { ...entry(1, 1, 'a'), kind: 'no-op' as const },
    ].map((one) => chainHash(0, one))
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('goes on after a snapshot with the hash that the snapshot stands for', () => {
    const whole = logOf(entry(1, 1, 'a'), entry(2, 1, 'b'), entry(3, 2, 'c'))
    const cut = new ServerLog()
    cut.reset(logIndexOf(2), termOf(1), whole.hashAt(logIndexOf(2)))
    expect(cut.append(entry(3, 2, 'c'))).toBe(true)
    expect(cut.hashAt(logIndexOf(3))).toBe(whole.hashAt(logIndexOf(3)))
    expect(cut.append(entry(5, 2, 'e'))).toBe(false)
    whole.forget(logIndexOf(2))
    expect([whole.termAt(logIndexOf(2)), whole.termAt(logIndexOf(1)), whole.lastIndex]).toEqual([1, undefined, 3])
    expect(whole.hashAt(logIndexOf(3))).toBe(cut.hashAt(logIndexOf(3)))
  })
})

describe('R3 log matching', () => {
  it('accepts logs that differ in entries of different terms', () => {
    const { judge, codes } = recorder()
    const checker = new LogMatching(judge)
    const a = logOf(entry(1, 1, 'a'), entry(2, 1, 'b'))
    const b = logOf(entry(1, 1, 'a'), entry(2, 2, 'x'))
    for (const [node, log] of [['s1', a] as const, ['s2', b] as const]) {
      for (const index of [1, 2])
        checker.appended(
          node,
          logIndexOf(index),
          termOf(log.termAt(logIndexOf(index)) ?? 0),
          log.hashAt(logIndexOf(index)) ?? 0,
        )
    }
    expect(codes).toEqual([])
  })

  it('reports an entry of equal index and term behind different entries', () => {
    const { judge, lines } = recorder()
    const checker = new LogMatching(judge)
    const a = logOf(entry(1, 1, 'a'), entry(2, 3, 'b'))
    const b = logOf(entry(1, 2, 'y'), entry(2, 3, 'b'))
    checker.appended('s1', logIndexOf(2), termOf(3), a.hashAt(logIndexOf(2)) ?? 0)
    checker.appended('s2', logIndexOf(2), termOf(3), b.hashAt(logIndexOf(2)) ?? 0)
    expect(lines).toEqual(['R3: entry 2 of term 3 follows other entries at s2 than at s1'])
  })

  it('reports a gap', () => {
    const { judge, codes } = recorder()
    new LogMatching(judge).gap('s1', logIndexOf(9), logIndexOf(3))
    expect(codes).toEqual(['R3'])
  })
})

describe('R4 leader completeness', () => {
  const one = entry(1, 1, 'a')
  const two = entry(2, 1, 'b')

  it('accepts a later leader that has all that was committed', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.committed(logIndexOf(2), termOf(1), logOf(one, two))
    checker.becameLeader('s2', termOf(2), logOf(one, two, entry(3, 1, 'more')))
    expect(codes).toEqual([])
  })

  it('reports a later leader whose log is too short', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.committed(logIndexOf(2), termOf(1), logOf(one, two))
    checker.becameLeader('s2', termOf(2), logOf(one))
    expect(codes).toEqual(['R4'])
  })

  it('reports a later leader that has another entry there', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.committed(logIndexOf(2), termOf(2), logOf(one, entry(2, 2, 'committed')))
    checker.becameLeader('s2', termOf(4), logOf(one, entry(2, 3, 'other'), entry(3, 3)))
    expect(codes).toEqual(['R4'])
  })

  it('asks nothing of a late winner of an earlier term', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.committed(logIndexOf(2), termOf(5), logOf(one, entry(2, 5, 'b')))
    checker.becameLeader('s2', termOf(4), logOf(one))
    expect(codes).toEqual([])
  })

  it('asks it of a leader elected before the commit of an earlier term becomes known', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.becameLeader('s2', termOf(4), logOf(one))
    checker.committed(logIndexOf(2), termOf(3), logOf(one, entry(2, 3, 'b')))
    expect(codes).toEqual(['R4'])
  })

  it('asks nothing any more of one that has stepped down', () => {
    const { judge, codes } = recorder()
    const checker = new LeaderCompleteness(judge)
    checker.becameLeader('s2', termOf(4), logOf(one))
    checker.noLongerLeads('s2')
    checker.committed(logIndexOf(2), termOf(3), logOf(one, entry(2, 3, 'b')))
    expect(codes).toEqual([])
  })
})

describe('R5 state machine safety', () => {
  it('accepts the same entries applied at different times, again after a restart, and on from a snapshot', () => {
    const { judge, codes } = recorder()
    const checker = new StateMachineSafety(judge)
    const entries = [entry(1, 1, 'a'), entry(2, 1, 'b'), entry(3, 2, 'c')]
    expect(entries.map((one) => checker.applied('s1', one))).toEqual([true, true, true])
    expect(entries.map((one) => checker.applied('s2', one))).toEqual([false, false, false])
    checker.died('s1')
    for (const one of entries) checker.applied('s1', one)
    checker.restored('s3', logIndexOf(2))
    checker.applied('s3', entries[2] as Entry)
    expect(codes).toEqual([])
    expect(checker.appliedIndex('s3')).toBe(3)
  })

  it('reports different entries applied at one index', () => {
    const { judge, codes } = recorder()
    const checker = new StateMachineSafety(judge)
    checker.applied('s1', entry(1, 1, 'a'))
    checker.applied('s2', entry(1, 1, 'b'))
    expect(codes).toEqual(['R5'])
  })

  it('reports an entry skipped, and one applied twice', () => {
    const { judge, codes } = recorder()
    const checker = new StateMachineSafety(judge)
    checker.applied('s1', entry(1, 1, 'a'))
    checker.applied('s1', entry(3, 1, 'c'))
    checker.applied('s1', entry(3, 1, 'c'))
    expect(codes).toEqual(['R5', 'R5'])
  })

  it('reports states that differ after the same entry', () => {
    const { judge, codes } = recorder()
    const checker = new StateMachineSafety(judge)
    checker.state('s1', 7, 'aa')
    checker.state('s2', 7, 'aa')
    checker.state('s3', 8, 'bb')
    expect(codes).toEqual([])
    checker.state('s2', 8, 'cc')
    expect(codes).toEqual(['R5'])
  })
})

describe('R6 durable monotonicity', () => {
  it('accepts growing terms, one vote in each, and the same found again after a restart', () => {
    const { judge, codes } = recorder()
    const checker = new DurableTerms(judge)
    checker.hardState('s1', termOf(1), undefined)
    checker.hardState('s1', termOf(1), 's2')
    checker.recovered('s1', termOf(1), 's2')
    checker.hardState('s1', termOf(2), 's1')
    checker.recovered('s1', termOf(3), undefined)
    expect(codes).toEqual([])
  })

  it('reports a vote that a restart has forgotten', () => {
    const { judge, lines } = recorder()
    const checker = new DurableTerms(judge)
    checker.hardState('s1', termOf(3), 's2')
    checker.recovered('s1', termOf(3), undefined)
    expect(lines).toEqual(['R6: s1 came back with a vote for nobody in term 3 after one for s2'])
  })

  it('calls candidates by the names of their nodes, where a process has begun under the one of the vote', () => {
    const { judge, lines } = recorder()
    const checker = new DurableTerms(judge)
    checker.named('s2', '6f3c1b44-0000-4000-8000-000000000002')
    checker.hardState('s1', termOf(3), '6f3c1b44-0000-4000-8000-000000000002')
    checker.hardState('s1', termOf(3), '10.0.1.9:8300')
    expect(lines).toEqual(['R6: s1 wrote a vote for 10.0.1.9:8300 in term 3 after one for s2'])
  })

  it('reports a second vote in a term', () => {
    const { judge, codes } = recorder()
    const checker = new DurableTerms(judge)
    checker.hardState('s1', termOf(3), 's2')
    checker.hardState('s1', termOf(3), 's3')
    expect(codes).toEqual(['R6'])
  })

  it('reports a term that goes back over a restart', () => {
    const { judge, codes } = recorder()
    const checker = new DurableTerms(judge)
    checker.hardState('s1', termOf(3), undefined)
    checker.recovered('s1', termOf(2), undefined)
    expect(codes).toEqual(['R6'])
  })
})

describe('R7 configuration', () => {
  const servers = (...voters: readonly string[]): Configuration => ({
    servers: voters.map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' })),
  })

  it('accepts one change after another, and non-voters at any time', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.becameLeader('s1', termOf(1))
    checker.committed('s1', logIndexOf(1), termOf(1))
    checker.appended('s1', logIndexOf(4), termOf(1), servers('a', 'b', 'c', 'd'))
    checker.committed('s1', logIndexOf(4), termOf(1))
    checker.appended('s1', logIndexOf(5), termOf(1), servers('a', 'b', 'd'))
    expect(codes).toEqual([])
  })

  it('reports a change begun before the last one is committed', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.becameLeader('s1', termOf(1))
    checker.committed('s1', logIndexOf(1), termOf(1))
    checker.appended('s1', logIndexOf(4), termOf(1), servers('a', 'b', 'c', 'd'))
    checker.appended('s1', logIndexOf(5), termOf(1), servers('a', 'b', 'd'))
    expect(codes).toEqual(['R7'])
  })

  it('reports a change that a leader begins before an entry of its own term is committed', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.committed('s1', logIndexOf(1), termOf(1))
    checker.becameLeader('s1', termOf(2))
    checker.appended('s1', logIndexOf(3), termOf(2), servers('a', 'b', 'c', 'd'))
    expect(codes).toEqual(['R7'])
  })

  it('reports such a change in a later term, too, whatever its leader has committed as the leader of an earlier one', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.becameLeader('s1', termOf(1))
    checker.committed('s1', logIndexOf(1), termOf(1))
    checker.noLongerLeads('s1')
    checker.becameLeader('s1', termOf(3))
    checker.appended('s1', logIndexOf(3), termOf(3), servers('a', 'b', 'c', 'd'))
    expect(codes).toEqual(['R7'])
  })

  it('knows the change that a leader was asked for from an earlier one, which its own disk is late with', () => {
    const checker = new ConfigurationChanges(recorder().judge)
    checker.becameLeader('s1', termOf(2))
    checker.committed('s1', logIndexOf(4), termOf(2))
    expect(checker.hasWritten('s1', logIndexOf(4))).toBe(false)
    checker.asked('s1')
    const written = [4, 6, 7].map((index) => checker.hasWritten('s1', logIndexOf(index)))
    expect(written).toEqual([false, true, false])
    checker.asked('s1')
    checker.noLongerLeads('s1')
    expect(checker.hasWritten('s1', logIndexOf(9))).toBe(false)
  })

  it('lets a candidate hear from the winner that it is removed, while its vote for itself is written', () => {
    const checker = new ConfigurationChanges(recorder().judge)
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b'))
    checker.committed('s1', logIndexOf(1), termOf(1))
    checker.appended('s1', logIndexOf(4), termOf(1), servers('b'))
    const both = [['a', 'b'], ['b']]
    expect(checker.standingAt('s1', termOf(2))).toEqual(both)
    checker.committed('s1', logIndexOf(4), termOf(2))
    checker.committed('s1', logIndexOf(5), termOf(2))
    expect([checker.standingAt('s1', termOf(2)), checker.standingAt('s1', termOf(3))]).toEqual([both, [['b']]])
    checker.committed('s1', logIndexOf(6), termOf(3))
    expect([checker.standingAt('s1', termOf(3)), checker.standingAt('s1')]).toEqual([[['b']], [['b']]])
  })

  it('reports two voters changed at once, on whichever server', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s2', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.appended('s2', logIndexOf(4), termOf(1), servers('a', 'd', 'c'))
    expect(codes).toEqual(['R7'])
  })

  it('lets a removed leader lead until its removal is committed, then say its last words, and reports it after that', () => {
    const { judge, lines } = recorder()
    const checker = new ConfigurationChanges(judge)
    const sends = (round: number): void =>
      checker.sent('s1', {
        kind: 'append-request',
        term: termOf(1),
        previousIndex: logIndexOf(4),
        previousTerm: termOf(1),
        entries: [],
        commit: logIndexOf(4),
        round,
      })
    checker.named('s1', 'a')
    checker.appended('s1', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.becameLeader('s1', termOf(1))
    checker.committed('s1', logIndexOf(1), termOf(1))
    sends(1)
    checker.appended('s1', logIndexOf(4), termOf(1), servers('b', 'c'))
    sends(2)
    checker.committed('s1', logIndexOf(4), termOf(1))
    sends(0)
    expect(lines).toEqual([])
    sends(3)
    expect(lines).toEqual([
      'R7: s1, leader of term 1, leads on, and it has committed the change at 4, after which it has no vote',
    ])
  })

  it('forgets a change that was cut from the log', () => {
    const { judge, codes } = recorder()
    const checker = new ConfigurationChanges(judge)
    checker.appended('s2', logIndexOf(1), termOf(1), servers('a', 'b', 'c'))
    checker.appended('s2', logIndexOf(4), termOf(1), servers('a', 'b', 'c', 'd'))
    checker.truncated('s2', logIndexOf(4))
    checker.appended('s2', logIndexOf(4), termOf(2), servers('a', 'b', 'c', 'e'))
    expect(codes).toEqual([])
  })
})
