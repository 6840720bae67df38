import { describe, expect, it } from 'vitest'
import { InvariantViolation, invariant } from '../../../src/base/invariant.ts'
import { fatalLine } from '../../../src/host/fatal.ts'

describe('the last line of a process', () => {
  it('names the error, its values and the place in our own code that it came from', () => {
    let caught: unknown
    try {
      invariant(false, 'two leaders', { term: 3 })
    } catch (cause) {
      caught = cause
    }
    expect(caught).toBeInstanceOf(InvariantViolation)
    expect(fatalLine('svc', caught)).toMatch(
      /^svc: fatal: InvariantViolation: two leaders \(term=3\) at fatal\.test\.ts:\d+$/,
    )
  })

  it('is one line, whatever the error holds', () => {
    const cause = new RangeError('first\nsecond\r\n  third')
    cause.stack = 'RangeError: first\nsecond\n    at node:internal/x:1:2\n    at run (/a/node_modules/b/c.js:3:4)'
    expect(fatalLine('svc', cause)).toBe('svc: fatal: RangeError: first second third')
    expect(fatalLine('svc', 'a\nstring')).toBe('svc: fatal: a string')
    expect(fatalLine('svc', undefined)).toBe('svc: fatal: undefined')
  })
})
