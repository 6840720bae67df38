import { describe, expect, it } from 'vitest'
import { BoundedSending } from '../../../sim/checkers/raft/bounded-sending.ts'
import { logIndexOf, noTerm, termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { entry, recorder } from './reports.ts'

const term = termOf(2)
const limits = {
  appendEntriesMax: 3,
  appendBytesMax: 10,
  appendsInFlightMax: 2,
  appendBytesInFlightMax: 12,
  uncommittedEntriesMax: 4,
  snapshotChunkBytes: 8,
  pendingReadsMax: 2,
}

/** Entries from `first` on, of term 2 unless another is given, each with its text. */
function append(first: number, texts: readonly string[], { commit = 0, of = 2 } = {}): RaftMessage {
  const entries = texts.map((text, at) => entry(first + at, of, text))
  const at = { previousIndex: logIndexOf(first - 1), previousTerm: noTerm, commit: logIndexOf(commit), round: 1 }
  return { kind: 'append-request', term, entries, ...at }
}

function answer(index: number, success = true): RaftMessage {
  return { kind: 'append-response', term, success, index: logIndexOf(index), hintTerm: noTerm, round: 1 }
}

function chunk(bytes: number): RaftMessage {
  const meta = { index: logIndexOf(9), term, configuration: { servers: [] }, configurationIndex: logIndexOf(1) }
  return { kind: 'snapshot-chunk', term, meta, sizeBytes: 90, offset: 0, bytes: new Uint8Array(bytes), round: 1 }
}

/** Server s1 leads term 2, and has sent b the first entry of its term, at index 5. */
function leading() {
  const { judge, lines, counts } = recorder()
  const law = new BoundedSending(judge)
  law.settings('s1', limits)
  law.becameLeader('s1', term)
  const sends = (message: RaftMessage): void => law.sent('s1', 'b', message)
  const hears = (message: RaftMessage): void => law.received('s1', 'b', message)
  sends(append(5, ['']))
  hears(answer(5))
  return { law, sends, hears, lines, counts }
}

describe('R15', () => {
  it('accepts what reaches a limit, and one larger entry', () => {
    const { sends, hears, lines, counts } = leading()
    sends(append(6, ['abc', 'abc', 'abcd'], { commit: 5 }))
    sends(append(9, ['abc'], { commit: 5 }))
    hears(answer(9))
    sends(append(10, ['x'.repeat(99)], { commit: 9 }))
    sends(chunk(8))
    expect(lines).toEqual([])
    expect(counts()).toEqual(['R15 5'])
  })

  it('reports an append with too many entries or bytes, and a piece of a snapshot that is too large', () => {
    const { sends, lines } = leading()
    sends(append(6, ['', '', '', ''], { commit: 9 }))
    sends(append(10, ['abcdef', 'abcdef'], { commit: 9 }))
    sends(chunk(9))
    expect(lines).toEqual([
      'R15: s1, leader of term 2, sends b 4 entries in one append',
      'R15: s1, leader of term 2, sends b 12 bytes of entries in one append',
      'R15: s1, leader of term 2, sends b 9 bytes of a snapshot in one message',
    ])
  })

  it('reports entries that are sent while as many appends, or bytes, as the limit are unanswered', () => {
    const { sends, hears, lines } = leading()
    for (const index of [6, 7]) sends(append(index, [''], { commit: 5 }))
    sends(append(8, [''], { commit: 5 }))
    hears(answer(8))
    sends(append(9, ['x'.repeat(12)], { commit: 8 }))
    sends(append(10, [''], { commit: 8 }))
    expect(lines).toEqual([
      'R15: s1, leader of term 2, sends b entries while 2 appends are unanswered',
      'R15: s1, leader of term 2, sends b entries while 12 bytes of entries are unanswered',
    ])
  })

  it('counts nothing as under way that a refusal, a snapshot, or a step back in the log has given up', () => {
    const { sends, hears, lines } = leading()
    for (const index of [6, 7]) sends(append(index, [''], { commit: 5 }))
    hears(answer(5, false))
    for (const index of [6, 7]) sends(append(index, [''], { commit: 5 }))
    sends(append(6, [''], { commit: 5 }))
    sends(append(7, [''], { commit: 5 }))
    sends(chunk(1))
    sends(append(8, [''], { commit: 7 }))
    expect(lines).toEqual([])
  })

  it('reports more proposals than may be uncommitted, but no entries of earlier leaders', () => {
    const { sends, hears, lines } = leading()
    sends(append(1, ['', '', ''], { of: 1 }))
    sends(append(6, [''], { commit: 1 }))
    hears(answer(6))
    expect(lines).toEqual(['R15: s1, leader of term 2, has 5 entries that are not committed, and accepts more'])
  })

  it('reports a read that is refused while fewer wait than may', () => {
    const { law, lines, counts } = leading()
    for (const id of [1, 2, 3]) law.asked('s1', id)
    law.refused('s1', 3, 'overloaded')
    law.confirmed('s1', 1)
    law.asked('s1', 4)
    law.refused('s1', 4, 'not-leader')
    law.asked('s1', 5)
    law.refused('s1', 5, 'overloaded')
    law.refused('s1', 77, 'overloaded')
    expect(lines).toEqual(['R15: s1 refuses a read while 1 others wait'])
    expect(counts()).toEqual(['R15 3'])
  })
})
