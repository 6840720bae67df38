import { describe, expect, it } from 'vitest'
import {
  firstChange,
  greater,
  indexAfter,
  indexBefore,
  isLogIndex,
  isModifyIndex,
  isTerm,
  type LogIndex,
  lesser,
  logIndexOf,
  type ModifyIndex,
  modifyIndexOf,
  noChange,
  noIndex,
  plus,
  type Term,
  termAfter,
  termOf,
} from '../../../src/model/log-position.ts'

const index = logIndexOf(7)
const term = termOf(7)

function entryAt(at: LogIndex, of: Term): string {
  return `${at} of term ${of}`
}

describe('positions in the log', () => {
  it('are numbers when the program runs', () => {
    expect(entryAt(index, term)).toBe('7 of term 7')
    expect([indexAfter(index), indexBefore(index), plus(index, 3), termAfter(term)]).toEqual([8, 6, 10, 8])
    expect([lesser(index, noIndex), greater(index, noIndex), lesser(term, term)]).toEqual([0, 7, 7])
    expect(plus(index, 3) - index).toBe(3)
  })

  it('are of one kind each: the compiler refuses one in the place of another', () => {
    // @ts-expect-error the one is a term, the other an index
    expect(entryAt(term, index)).toBe('7 of term 7')
    // @ts-expect-error any number is no index before it is named one
    expect(entryAt(7, term)).toBe('7 of term 7')
    // @ts-expect-error arithmetic gives a number, which may be anything
    expect(entryAt(index + 1, term)).toBe('8 of term 7')
    // @ts-expect-error the two are never the same as an index
    expect(index === term).toBe(true)
    // @ts-expect-error neither is the lesser of two kinds
    expect(lesser(index, term)).toBe(7)
  })

  it('of the state are not those of the log, which fall behind once a state of a higher index was restored', () => {
    const changed = modifyIndexOf(7)
    // @ts-expect-error one index is of the log, the other of the state
    expect(entryAt(changed, term)).toBe('7 of term 7')
    // @ts-expect-error one index is of the log, the other of the state
    expect(changed === index).toBe(true)
    // @ts-expect-error one index is of the log, the other of the state
    const row: { readonly modifyIndex: ModifyIndex } = { modifyIndex: index }
    expect(row.modifyIndex > noChange && greater(changed, noChange, firstChange) === changed).toBe(true)
  })

  it.each([-1, 0.5, 2 ** 53, Number.NaN, '7', 7n, null, undefined])('are not read out of %s', (value) => {
    expect(isLogIndex(value)).toBe(false)
    expect(isTerm(value)).toBe(false)
    expect(isModifyIndex(value)).toBe(false)
  })
})
