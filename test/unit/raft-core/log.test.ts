import { describe, expect, it } from 'vitest'
import { logIndexOf, noIndex, noTerm, termOf } from '../../../src/model/log-position.ts'
import { Durability } from '../../../src/raft/core/durability.ts'
import { RaftLog } from '../../../src/raft/core/log.ts'
import { quorumOf, reachedByQuorum } from '../../../src/raft/core/quorum.ts'
import { command } from './cluster.ts'

function logOf(terms: readonly number[], baseIndex = 0, baseTerm = 0): RaftLog {
  const log = new RaftLog(logIndexOf(baseIndex), termOf(baseTerm))
  for (const [i, term] of terms.entries()) log.append(command(baseIndex + 1 + i, term, 'x'.repeat(i)))
  return log
}

describe('RaftLog', () => {
  it('knows the term of each entry and of its base, and of nothing else', () => {
    const log = logOf([2, 2, 5], 7, 1)
    expect([6, 7, 8, 9, 10, 11].map((index) => log.termAt(logIndexOf(index)))).toEqual([
      undefined,
      1,
      2,
      2,
      5,
      undefined,
    ])
    expect(log).toMatchObject({ baseIndex: 7, lastIndex: 10, lastTerm: 5 })
  })

  it('takes only the next entry, of a term that does not fall', () => {
    const log = logOf([1, 3])
    expect(() => log.append(command(4, 3))).toThrow('follow each other')
    expect(() => log.append(command(2, 3))).toThrow('follow each other')
    expect(() => log.append(command(3, 2))).toThrow('never fall')
  })

  it('forgets its beginning, and keeps the rest', () => {
    const log = logOf([1, 2, 3, 4])
    log.compactTo(logIndexOf(3))
    expect(log).toMatchObject({ baseIndex: 3, lastIndex: 4 })
    expect([2, 3, 4].map((index) => log.termAt(logIndexOf(index)))).toEqual([undefined, 3, 4])
    log.compactTo(logIndexOf(1))
    expect(log.baseIndex).toBe(3)
    expect(() => log.compactTo(logIndexOf(9))).toThrow('holds')
    expect(() => log.truncateFrom(logIndexOf(3))).toThrow('below its base')
    expect(() => log.range(logIndexOf(3), logIndexOf(4))).toThrow('after the base')
  })

  it('knows what it holds in bytes, whatever befalls it', () => {
    const log = logOf([1, 1, 1, 1, 1, 1])
    const held = (): number =>
      log.range(logIndexOf(log.baseIndex + 1), log.lastIndex).reduce((sum, { payload }) => sum + payload.length, 0)
    expect(log.bytes).toBe(held())
    expect(log.bytes).toBeGreaterThan(0)
    log.truncateFrom(logIndexOf(9))
    expect(log.bytes).toBe(held())
    log.truncateFrom(logIndexOf(6))
    expect(log.bytes).toBe(held())
    log.compactTo(logIndexOf(2))
    expect(log.bytes).toBe(held())
    const last = log.range(logIndexOf(5), logIndexOf(5))[0]?.payload.length ?? 0
    expect([0, last - 1, last, 1000].map((bytesMax) => log.tailWithin(bytesMax))).toEqual([6, 6, 5, 3])
    log.resetTo(logIndexOf(9), termOf(1))
    expect([log.bytes, log.tailWithin(1000)]).toEqual([0, 10])
  })

  it.each([
    ['all of one term', [1, 1, 1], 3, 1, 3],
    ['limited by the index', [1, 1, 1], 2, 1, 2],
    ['before a newer run', [1, 2, 2, 3], 4, 2, 3],
    ['at the base, when all is newer', [3, 3], 2, 1, 0],
    ['beyond the end, it is the end', [1, 1], 9, 4, 2],
  ])('finds the last entry of at most a term (%s)', (_, terms, limit, term, expected) => {
    expect(logOf(terms).lastAtMost(logIndexOf(limit), termOf(term))).toBe(expected)
  })

  it('finds none when even the base is newer, or the limit lies below it', () => {
    expect(logOf([5], 7, 4).lastAtMost(logIndexOf(8), termOf(3))).toBeUndefined()
    expect(logOf([5], 7, 4).lastAtMost(logIndexOf(6), termOf(9))).toBeUndefined()
  })

  it('finds by halving what a walk would find', () => {
    const terms = [1, 1, 2, 4, 4, 4, 7, 9, 9]
    const log = logOf(terms)
    for (let limit = 0; limit <= 10; limit++) {
      for (let term = 0; term <= 10; term++) {
        let walked = 0
        for (let i = 1; i <= Math.min(limit, terms.length); i++) if ((terms[i - 1] as number) <= term) walked = i
        expect([limit, term, log.lastAtMost(logIndexOf(limit), termOf(term))]).toEqual([limit, term, walked])
      }
    }
  })

  it('gives entries for an append, bounded by count and bytes, at least one', () => {
    const log = logOf([1, 1, 1, 1, 1])
    const indexes = (from: number, count: number, bytes: number) =>
      log.batch(logIndexOf(from), count, bytes).map((e) => e.index)
    expect(indexes(2, 2, 100)).toEqual([2, 3])
    expect(indexes(2, 9, 3)).toEqual([2, 3])
    expect(indexes(5, 9, 1)).toEqual([5])
    expect(indexes(6, 9, 9)).toEqual([])
  })
})

describe('a log beyond 2 thousand million entries', () => {
  it('finds by halving where it may agree with another, as any log does', () => {
    const base = logIndexOf(2 ** 31)
    const log = new RaftLog(base, termOf(1))
    for (let i = 1; i <= 8; i++) log.append(command(base + i, i < 5 ? 2 : 4))
    expect(log.lastAtMost(log.lastIndex, termOf(3))).toBe(base + 4)
    expect(log.lastAtMost(log.lastIndex, termOf(4))).toBe(base + 8)
    expect(log.lastAtMost(log.lastIndex, termOf(1))).toBe(base)
  })
})

describe('quorum arithmetic', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
    [7, 4],
  ])('of %i voters it takes %i', (voters, quorum) => {
    expect(quorumOf(voters)).toBe(quorum)
  })

  it.each([
    [[], undefined],
    [[7], 7],
    [[7, 3], 3],
    [[1, 9, 5], 5],
    [[4, 1, 4, 2], 2],
    [[0, 0, 8, 9, 3], 3],
  ])('of %j a quorum has reached %s', (values, reached) => {
    expect(reachedByQuorum([...values])).toBe(reached)
  })
})

describe('Durability', () => {
  const limits = { persistsMax: 1024, heldMessagesMax: 4096 }

  it('counts what is done, in order, one or many at a time', () => {
    const durability = new Durability(logIndexOf(4), termOf(1), limits)
    expect([
      durability.ask(logIndexOf(5), termOf(1), 0),
      durability.ask(logIndexOf(6), termOf(2), 0),
      durability.askNothing(1),
      durability.ask(logIndexOf(8), termOf(2), 0),
    ]).toEqual([1, 2, 3, 4])
    durability.finished(1)
    expect(durability).toMatchObject({ index: 5, term: 1, isBehind: true })
    durability.finished(3)
    expect(durability).toMatchObject({ index: 6, term: 2, isBehind: true })
    durability.finished(4)
    expect(durability).toMatchObject({ index: 8, term: 2, isBehind: false })
  })

  it('the end of what was never asked for is a bug', () => {
    expect(() => new Durability(noIndex, noTerm, limits).finished(1)).toThrow('only what was asked for')
  })

  it('stays bounded under a disk that does not move, and late rather than wrong', () => {
    const durability = new Durability(noIndex, termOf(1), limits)
    for (let index = 1; index <= 5000; index++) durability.ask(logIndexOf(index), termOf(1), 1)
    expect(durability.isOverwhelmed).toBe(true)
    durability.finished(4999)
    expect(durability.index).toBe(1023)
    durability.finished(5000)
    expect(durability).toMatchObject({ index: 5000, isOverwhelmed: false, isBehind: false })
  })
})
