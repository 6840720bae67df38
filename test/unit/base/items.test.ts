import { describe, expect, it } from 'vitest'
import { InvariantViolation } from '../../../src/base/invariant.ts'
import { byteAt, itemAt, lastOf, wordAt } from '../../../src/base/items.ts'

describe('items at places that are known to be there', () => {
  it('are given, those at both ends among them, and zero like any other', () => {
    expect([itemAt(['a', 'b'], 0), itemAt(['a', 'b'], 1), lastOf(['a', 'b'])]).toEqual(['a', 'b', 'b'])
    expect([byteAt(new Uint8Array([7, 0]), 0), byteAt(new Uint8Array([7, 0]), 1)]).toEqual([7, 0])
    expect([wordAt(new Int32Array([-7, 0]), 0), wordAt(new Uint16Array([7, 0]), 1)]).toEqual([-7, 0])
  })

  it.each([
    ['a list', () => itemAt(['a'], 1)],
    ['a list, before it', () => itemAt(['a'], -1)],
    ['an empty list', () => lastOf([])],
    ['bytes', () => byteAt(new Uint8Array(1), 1)],
    ['words', () => wordAt(new Int32Array(1), 1)],
  ])('break an invariant outside %s', (_, read) => {
    expect(read).toThrow(InvariantViolation)
  })
})
