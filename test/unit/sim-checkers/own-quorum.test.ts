import { describe, expect, it } from 'vitest'
import { GivenVotes } from '../../../sim/checkers/raft/given-votes.ts'
import { OwnQuorum } from '../../../sim/checkers/raft/own-quorum.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { encodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { recorder } from './reports.ts'

/** Servers s1 to s4, called a to d in consensus; `held`: the servers that have the entry that is committed. */
function group(voters: readonly string[], held: readonly string[] = [], standing = [voters]) {
  const { judge, lines, counts } = recorder()
  const votes = new GivenVotes()
  const hadBefore: string[] = []
  const law = new OwnQuorum(judge, { votersOf: () => voters, standingAt: () => standing }, votes, {
    holds: (node) => held.includes(node),
    hadBefore: (node) => hadBefore.includes(node),
    isWritten: (_node, index) => index <= 4,
    termAt: (_node, index) => (index <= 4 ? termOf(1) : undefined),
  })
  for (const [node, id] of [
    ['s1', 'a'],
    ['s2', 'b'],
    ['s3', 'c'],
    ['s4', 'd'],
  ] as const) {
    votes.named(node, id)
  }
  const elect = (...by: readonly string[]): void => {
    for (const node of by) votes.voted(node, termOf(2), 'a')
    law.becameLeader('s1', termOf(2))
  }
  return { law, votes, hadBefore, lines, counts, elect, commit: () => law.committed('s1', logIndexOf(5)) }
}

describe('R8, elections', () => {
  it('accepts a majority of the voters, and reports less', () => {
    const enough = group(['a', 'b', 'c'])
    enough.elect('s1', 's2')
    expect(enough.lines).toEqual([])
    const half = group(['a', 'b', 'c', 'd'])
    half.elect('s1', 's2')
    expect(half.lines).toEqual([
      'R8: s1 leads term 2, and 2 of 4 voters of the newest configuration in its log voted for it',
    ])
  })

  it('counts no vote of another term, for another server, or of a server without a vote', () => {
    const { votes, lines, elect } = group(['a', 'b', 'c'])
    votes.voted('s2', termOf(1), 'a')
    votes.voted('s3', termOf(2), 'c')
    elect('s1', 's4')
    expect(lines).toHaveLength(1)
  })
})

describe('R8, elections after a loss', () => {
  it('counts the vote of a machine whose disk was lost while the vote was under way', () => {
    const { votes, law, lines } = group(['a', 'b', 'c'])
    for (const node of ['s1', 's2']) votes.voted(node, termOf(2), 'a')
    votes.replaced('s2')
    votes.named('s2', 'b')
    law.becameLeader('s1', termOf(2))
    expect(lines).toEqual([])
  })
})

describe('R8, what a leader counts for', () => {
  it('is an entry of its own term, and none of a predecessor', () => {
    const { law, elect, lines, commit } = group(['a', 'b', 'c'], ['s1', 's2'])
    elect('s1', 's2')
    commit()
    expect(lines).toEqual([])
    law.committed('s1', logIndexOf(4))
    expect(lines).toEqual(['R8: s1, leader of term 2, commits entry 4 of term 1 by counting'])
  })

  it('is not asked of a follower, which learns what is committed', () => {
    const { law, elect, lines } = group(['a', 'b', 'c'], ['s1', 's2'])
    elect('s1', 's2')
    law.noLongerLeads('s1')
    law.committed('s1', logIndexOf(4))
    expect(lines).toEqual([])
  })
})

describe('R8, candidates', () => {
  it('are voters of a configuration that is not decided yet, or of the last decided one', () => {
    const { law, lines, counts } = group(
      ['a', 'b'],
      [],
      [
        ['a', 'b', 'c'],
        ['a', 'b'],
      ],
    )
    for (const node of ['s1', 's2', 's3']) law.stood(node, termOf(2))
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R8 3'])
    law.stood('s4', termOf(2))
    expect(lines).toEqual(['R8: s4 stands in term 2, and is no voter of any configuration that its log leaves open'])
  })

  it('are not judged while their log has no configuration', () => {
    const { law, counts } = group([], [], [])
    law.stood('s1', termOf(2))
    expect(counts()).toEqual([])
  })
})

describe('R8, servers that ask whether they could win', () => {
  const question: RaftMessage = {
    kind: 'vote-request',
    pre: true,
    term: termOf(3),
    lastIndex: logIndexOf(4),
    lastTerm: termOf(2),
    transfer: false,
  }
  const configuration = {
    servers: ['a', 'b', 'd'].map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' as const })),
  }
  const brings = (index: number): RaftMessage => {
    const entry = { index: logIndexOf(index), term: termOf(2), payload: encodeConfiguration(configuration) }
    const before = { previousIndex: logIndexOf(index - 1), previousTerm: termOf(2), commit: logIndexOf(1), round: 1 }
    return { kind: 'append-request', term: termOf(2), entries: [{ ...entry, kind: 'configuration' }], ...before }
  }

  it('are voters, as candidates are', () => {
    const { law, lines, counts } = group(['a', 'b'])
    law.sent('s1', question)
    law.sent('s3', { ...question, pre: false })
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R8 1'])
    law.sent('s3', question)
    expect(lines).toEqual([
      'R8: s3 asks whether it could win term 3, and is no voter of any configuration that its log leaves open',
    ])
  })

  it('may have the configuration that makes them voters in memory only, until their disk has a later one', () => {
    const { law, lines } = group(['a', 'b'])
    law.received('s4', brings(5))
    law.sent('s4', question)
    expect(lines).toEqual([])
    law.written('s4', logIndexOf(6))
    law.sent('s4', question)
    expect(lines).toHaveLength(1)
  })

  it('may have it from a snapshot that comes, too, and no longer once the process has ended', () => {
    const { law, lines } = group(['a', 'b'])
    const meta = { index: logIndexOf(9), term: termOf(2), configuration, configurationIndex: logIndexOf(5) }
    const piece = { sizeBytes: 9, offset: 0, bytes: new Uint8Array(1), round: 1 }
    law.received('s4', { kind: 'snapshot-chunk', term: termOf(2), meta, ...piece })
    law.sent('s4', question)
    expect(lines).toEqual([])
    law.began('s4')
    law.sent('s4', question)
    expect(lines).toHaveLength(1)
  })

  it('do not become voters by an entry that comes again, and is on their disk already', () => {
    const { law, lines } = group(['a', 'b'])
    law.received('s4', brings(4))
    law.sent('s4', question)
    expect(lines).toHaveLength(1)
  })
})

describe('R8, names', () => {
  it('knows a server by its address and by its ID, whichever a configuration has', () => {
    const { votes, lines, elect, commit } = group(['10.0.0.1:8300', 'b', '10.0.0.3:8300'], ['s1', 's3'])
    votes.named('s1', '10.0.0.1:8300')
    votes.named('s3', '10.0.0.3:8300')
    elect('s1', 's3')
    commit()
    expect(lines).toEqual([])
  })

  it('does not take a new disk for the old one', () => {
    const { votes, counts, lines, elect, commit } = group(['a', 'b', 'c'], ['s1', 's3'])
    elect('s1', 's2')
    votes.replaced('s3')
    votes.named('s3', 'e')
    commit()
    expect(lines).toEqual([])
    expect(counts()).toContain('R8 excused: machine replaced 1')
  })
})

describe('R8, commits', () => {
  it('accepts what a majority has, and reports less', () => {
    const enough = group(['a', 'b', 'c'], ['s1', 's2'])
    enough.elect('s1', 's2')
    enough.commit()
    expect(enough.lines).toEqual([])
    const few = group(['a', 'b', 'c'], ['s1', 's4'])
    few.elect('s1', 's2')
    few.commit()
    expect(few.lines).toEqual([
      'R8: s1 commits entry 5, and 1 of 3 voters of the newest configuration in its log have it',
    ])
  })

  it('judges no follower, which has it from its leader', () => {
    const { lines, commit } = group(['a', 'b', 'c'])
    commit()
    expect(lines).toEqual([])
  })

  it('excuses a change that is not in the log yet, and no longer', () => {
    const { law, lines, counts, elect, commit } = group(['a', 'b', 'c', 'd'], ['s1', 's2'])
    elect('s1', 's2', 's3')
    law.changeAsked('s1')
    commit()
    expect(lines).toEqual([])
    expect(counts()).toContain('R8 excused: change under way 1')
    law.changed('s1')
    commit()
    expect(lines).toHaveLength(1)
  })

  it('excuses what a machine that was replaced may have had', () => {
    const { votes, lines, counts, elect, commit } = group(['a', 'b', 'c'], ['s1'])
    elect('s1', 's2')
    votes.replaced('s2')
    commit()
    expect(lines).toEqual([])
    expect(counts()).toContain('R8 excused: machine replaced 1')
  })

  it('excuses what a machine had whose ID its successor has, and nothing that came later', () => {
    const { votes, hadBefore, lines, counts, elect, commit } = group(['a', 'b', 'c'], ['s1'])
    elect('s1', 's2')
    votes.replaced('s2')
    votes.named('s2', 'b')
    hadBefore.push('s2')
    commit()
    expect(lines).toEqual([])
    expect(counts()).toContain('R8 excused: machine replaced 1')
    hadBefore.pop()
    commit()
    expect(lines).toHaveLength(1)
  })

  it('judges a machine that only restarted', () => {
    const { votes, hadBefore, lines, elect, commit } = group(['a', 'b', 'c'], ['s1'])
    elect('s1', 's2')
    votes.named('s2', 'b')
    hadBefore.push('s2')
    commit()
    expect(lines).toHaveLength(1)
  })
})
