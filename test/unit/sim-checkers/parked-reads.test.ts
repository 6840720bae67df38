import { describe, expect, it } from 'vitest'
import { ParkedReads } from '../../../sim/checkers/clients/parked-reads.ts'
import type { FoundResult, ParkedRead } from '../../../src/agent/boot/observer.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { recorder } from './reports.ts'

/** A query whose result is whatever `state` says. */
function parkedAt(first: FoundResult, minIndex = first.index, accessor = '') {
  const { judge, lines, counts } = recorder()
  const checker = new ParkedReads(judge)
  const state = { now: first }
  const read: ParkedRead = {
    accessor,
    method: 'KV.List',
    args: { prefix: 'a' },
    minIndex,
    found: first,
    now: () => state.now,
  }
  const woken = checker.parked('s1', read)
  const apply = (now: FoundResult): void => {
    state.now = now
    checker.moved('s1')
  }
  return { checker, lines, counts, woken, apply }
}

const rows = (...values: readonly number[]) =>
  values.map((value) => ({ value, bytes: new Uint8Array([value]), flags: 1n }))

describe('W2 of a parked read', () => {
  it('is broken when the result has changed, with a newer index, and the turn ends without waking it', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1) })
    apply({ at: modifyIndexOf(11), index: modifyIndexOf(11), value: rows(1, 2) })
    expect(lines).toEqual([])
    checker.turnEnded()
    expect(lines).toEqual([
      'W2: KV.List {"prefix":"a"} at s1 waits for more than 10 and was not woken at 11: its index is 11, and its result differs',
    ])
  })

  it('is broken by a read that is parked on what was so before the state moved on', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1) })
    checker.turnEnded()
    apply({ at: modifyIndexOf(12), index: modifyIndexOf(12), value: [] })
    checker.turnEnded()
    expect(lines).toHaveLength(1)
  })

  it('is broken when the result differs and its index stays, as where a deleted key leaves no tombstone', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1, 2) })
    apply({ at: modifyIndexOf(12), index: modifyIndexOf(4), value: rows(1) })
    checker.turnEnded()
    expect(lines).toEqual([
      'W2: KV.List {"prefix":"a"} at s1 waits for more than 10 and was not answered: its result at 12 differs from that at 10',
    ])
  })

  it('excuses that distances of an executed query have moved, and nothing else of it', () => {
    const value = (entries: readonly number[], distances: readonly number[] | null) => ({ entries, distances })
    const found = { at: modifyIndexOf(10), index: modifyIndexOf(10), value: value([1], null) }
    const { checker, lines, apply } = parkedAt(found)
    apply({ at: modifyIndexOf(12), index: modifyIndexOf(10), value: value([1], [0.3]) })
    checker.turnEnded()
    expect(lines).toEqual([])
    apply({ at: modifyIndexOf(13), index: modifyIndexOf(13), value: value([1, 2], [0.3, 0.4]) })
    checker.turnEnded()
    expect(lines).toHaveLength(1)
  })

  it('excuses that a list has another order, to a caller with a token, and nothing else of it', () => {
    const found = { at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1, 2, 2) }
    for (const accessor of ['', 'few']) {
      const { checker, lines, counts, apply } = parkedAt(found, found.index, accessor)
      apply({ at: modifyIndexOf(12), index: modifyIndexOf(12), value: rows(2, 1, 2) })
      checker.turnEnded()
      expect(lines).toHaveLength(accessor === '' ? 1 : 0)
      if (accessor !== '') expect(counts()).toContain('W2 excused: order alone 1')
      apply({ at: modifyIndexOf(13), index: modifyIndexOf(13), value: rows(2, 1, 1) })
      checker.turnEnded()
      expect(lines.at(-1)).toMatch(/was not woken at 13/)
    }
  })

  it('holds when the read is woken in the turn of the change', () => {
    const { checker, lines, apply, woken } = parkedAt({
      at: modifyIndexOf(10),
      index: modifyIndexOf(10),
      value: rows(1),
    })
    apply({ at: modifyIndexOf(11), index: modifyIndexOf(11), value: rows(2) })
    woken()
    checker.turnEnded()
    expect(lines).toEqual([])
  })

  it('holds when nothing of the result changes, and when its index alone grows', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(8), value: rows(1, 2) })
    apply({ at: modifyIndexOf(11), index: modifyIndexOf(8), value: rows(1, 2) })
    checker.turnEnded()
    apply({ at: modifyIndexOf(12), index: modifyIndexOf(12), value: rows(1, 2) })
    checker.turnEnded()
    expect(lines).toEqual([])
  })

  it('lets a server that is behind what a read waits for catch up', () => {
    const { checker, lines, apply } = parkedAt(
      { at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1) },
      modifyIndexOf(20),
    )
    apply({ at: modifyIndexOf(15), index: modifyIndexOf(15), value: rows(1, 2) })
    checker.turnEnded()
    expect(lines).toEqual([])
    apply({ at: modifyIndexOf(21), index: modifyIndexOf(21), value: rows(2) })
    checker.turnEnded()
    expect(lines).toHaveLength(1)
  })

  it('expects nothing of a process that is no more', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1) })
    checker.died('s1')
    apply({ at: modifyIndexOf(11), index: modifyIndexOf(11), value: rows(2) })
    checker.turnEnded()
    expect(lines).toEqual([])
  })
})

describe('W1 of a parked read', () => {
  it('is broken when its index falls at the server where it waits', () => {
    const { checker, lines, apply } = parkedAt({ at: modifyIndexOf(10), index: modifyIndexOf(10), value: rows(1) })
    apply({ at: modifyIndexOf(11), index: modifyIndexOf(9), value: rows(1) })
    checker.turnEnded()
    expect(lines).toEqual([
      'W1: KV.List {"prefix":"a"} at s1 waits for more than 10: its index is 9 at 11 and was 10 at 10',
    ])
  })
})
