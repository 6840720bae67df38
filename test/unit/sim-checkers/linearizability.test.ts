import { describe, expect, it } from 'vitest'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { checkRegister } from '../../../sim/checkers/keys/linearizability.ts'
import { LinearizableKeys } from '../../../sim/checkers/keys/linearizable-keys.ts'
import { absent, type RegisterOperation } from '../../../sim/checkers/keys/register-operation.ts'
import { fc } from '../../fast-check.ts'
import { recorder } from './reports.ts'

const read = (value: number, call: number, end: number): RegisterOperation => ({
  kind: 'read',
  value,
  expected: 0,
  succeeded: true,
  call,
  return: end,
})
const write = (value: number, call: number, end: number): RegisterOperation => ({
  ...read(value, call, end),
  kind: 'write',
})
const cas = (expected: number, value: number, succeeded: boolean, call: number, end: number): RegisterOperation => ({
  kind: 'cas',
  value,
  expected,
  succeeded,
  call,
  return: end,
})
const never = Number.POSITIVE_INFINITY

function verdict(...history: readonly RegisterOperation[]): string {
  return checkRegister(history, absent, 100_000).kind
}

describe('a history of one register', () => {
  it('is linearizable when it is empty, or sequential and right', () => {
    expect(verdict()).toBe('linearizable')
    expect(verdict(read(0, 0, 1), write(1, 2, 3), read(1, 4, 5), write(absent, 6, 7), read(0, 8, 9))).toBe(
      'linearizable',
    )
  })

  it('is not when a read that began after a write finds what was before', () => {
    expect(verdict(write(1, 0, 1), write(2, 2, 3), read(1, 4, 5))).toBe('violation')
    expect(verdict(write(1, 0, 1), read(0, 2, 3))).toBe('violation')
  })

  it('lets a read that overlaps a write find either value, but not go back afterwards', () => {
    expect(verdict(write(1, 0, 1), write(2, 2, 9), read(1, 3, 4), read(2, 5, 6))).toBe('linearizable')
    expect(verdict(write(1, 0, 1), write(2, 2, 9), read(2, 3, 4), read(1, 5, 6))).toBe('violation')
  })

  it('counts operations that touch as concurrent', () => {
    expect(verdict(write(1, 0, 5), read(0, 5, 6))).toBe('linearizable')
  })

  it('is not when a value appears that no client wrote', () => {
    expect(verdict(write(1, 0, 1), read(3, 2, 3))).toBe('violation')
  })

  it('is not when a value is found before it is written', () => {
    expect(verdict(read(1, 0, 1), write(1, 2, 3))).toBe('violation')
  })

  it('lets a write without answer take effect at any time, or never', () => {
    expect(verdict(write(1, 0, 1), write(2, 2, never), read(1, 3, 4), read(2, 50, 51), read(2, 60, 61))).toBe(
      'linearizable',
    )
    expect(verdict(write(1, 0, 1), write(2, 2, never), read(1, 3, 4))).toBe('linearizable')
    expect(verdict(write(1, 0, 1), write(2, 2, never), read(2, 3, 4), read(1, 5, 6))).toBe('violation')
  })

  it('lets each of two equal writes without answer take effect, but no third time', () => {
    const twice = [write(1, 0, never), write(1, 1, never), read(1, 2, 3), write(2, 4, 5), read(1, 6, 7)]
    expect(verdict(...twice)).toBe('linearizable')
    expect(verdict(...twice, write(2, 8, 9), read(1, 10, 11))).toBe('violation')
  })

  it('holds a CAS to what was there', () => {
    expect(verdict(write(1, 0, 1), cas(1, 2, true, 2, 3), read(2, 4, 5))).toBe('linearizable')
    expect(verdict(write(1, 0, 1), cas(1, 2, true, 2, 3), cas(1, 3, true, 4, 5))).toBe('violation')
    expect(verdict(write(1, 0, 1), cas(1, 2, false, 2, 3))).toBe('violation')
    expect(verdict(write(1, 0, 1), write(9, 1, never), cas(1, 2, false, 2, 3))).toBe('linearizable')
  })

  it('lets only one of two concurrent CAS from the same value succeed', () => {
    expect(verdict(cas(0, 1, true, 0, 10), cas(0, 2, true, 0, 10))).toBe('violation')
    expect(verdict(cas(0, 1, true, 0, 10), cas(0, 2, false, 0, 10))).toBe('linearizable')
  })

  it('names the operation that cannot be explained', () => {
    const history = [write(1, 0, 1), write(2, 2, 3), read(2, 4, 5), read(1, 6, 7), read(2, 8, 9)]
    expect(checkRegister(history, absent, 1000)).toEqual({
      kind: 'violation',
      blocked: 3,
      order: [0, 1, 2],
    })
  })

  it('gives up within the steps it is given', () => {
    const rounds = Array.from({ length: 30 }, (_, at) => [
      write(at + 1, at * 10, at * 10 + 1),
      read(at + 1, at * 10 + 5, at * 10 + 6),
    ])
    const history = rounds.flat()
    expect(checkRegister(history, absent, 20)).toEqual({ kind: 'undecided', steps: expect.any(Number) })
    expect(checkRegister(history, absent, 1000).kind).toBe('linearizable')
  })

  it('is judged in few steps when many write at once, whatever is read then', () => {
    const history = Array.from({ length: 30 }, (_, at) => write(at + 1, 0, 100))
    expect(checkRegister([...history, read(999, 50, 60)], absent, 1000).kind).toBe('violation')
    const reads = Array.from({ length: 30 }, (_, at) => read(at + 1, at, 100))
    expect(checkRegister([...history, ...reads, read(7, 200, 210)], absent, 5000).kind).toBe('linearizable')
    const twoLast = [read(7, 200, 210), read(8, 220, 230)]
    expect(checkRegister([...history, ...reads, ...twoLast], absent, 5000).kind).toBe('violation')
  })

  it('is judged in few steps when many write at once, and CAS that expect their values are refused after another write', () => {
    const writes = Array.from({ length: 16 }, (_, at) => write(at + 1, 0, 100))
    const reads = Array.from({ length: 16 }, (_, at) => read(at + 1, at, 100))
    const refused = Array.from({ length: 16 }, (_, at) => cas(at + 1, 900, false, 300, 310))
    const later = [write(777, 200, 210), ...refused]
    expect(checkRegister([...writes, ...reads, ...later], absent, 5000).kind).toBe('linearizable')
    const twoLast = [read(7, 110, 120), read(8, 130, 140)]
    expect(checkRegister([...writes, ...reads, ...twoLast, ...later], absent, 5000).kind).toBe('violation')
  })

  it('is judged in few steps when CAS build on each other, and none but the last was answered', () => {
    const chain = Array.from({ length: 200 }, (_, at) => cas(at, at + 1, true, at, never))
    expect(checkRegister([...chain, read(200, 300, 310)], absent, 50_000).kind).toBe('linearizable')
    expect(checkRegister([...chain, read(200, 300, 310), read(199, 320, 330)], absent, 50_000).kind).toBe('violation')
    expect(checkRegister([...chain.slice(1), read(200, 300, 310)], absent, 50_000).kind).toBe('violation')
  })

  it('is judged in few steps when many writes without answer lie about', () => {
    const deletes = Array.from({ length: 40 }, (_, at) => write(absent, at * 10, never))
    const rest = Array.from({ length: 200 }, (_, at) => write(at + 1, at * 10 + 1, at * 10 + 2))
    expect(checkRegister([...deletes, ...rest], absent, 10_000).kind).toBe('linearizable')
  })

  it('is judged in few steps when a CAS was refused for one of many writes without answer', () => {
    // All values are looked for by some CAS of unknown outcome, so all may matter.
    const lost = Array.from({ length: 60 }, (_, at) => cas(at % 7, 100 + at, true, at * 10, never))
    const written = Array.from({ length: 60 }, (_, at) => write(100 + (at % 40), at * 10 + 3, never))
    const rest = Array.from({ length: 60 }, (_, at) => write((at % 7) + 1, at * 10 + 5, at * 10 + 25))
    const found = Array.from({ length: 60 }, (_, at) => read((at % 7) + 1, at * 10 + 5, at * 10 + 26))
    const refused = [cas(3, 500, false, 595, 620), cas(4, 501, false, 610, 640)]
    expect(checkRegister([...lost, ...written, ...rest, ...found, ...refused], absent, 200_000).kind).toBe(
      'linearizable',
    )
    const wrong = read(999, 700, 710)
    expect(checkRegister([...lost, ...written, ...rest, ...found, ...refused, wrong], absent, 2_000_000).kind).toBe(
      'violation',
    )
  })

  it('uses a write without answer for a refused CAS alone, and only once', () => {
    const once = [write(1, 0, 1), write(9, 2, never), cas(1, 2, false, 3, 4)]
    expect(verdict(...once, write(1, 5, 6))).toBe('linearizable')
    expect(verdict(...once, write(1, 5, 6), cas(1, 3, false, 7, 8))).toBe('violation')
    // It was not needed before the read of what it leaves.
    expect(verdict(write(1, 0, 1), write(9, 2, never), read(1, 3, 4), read(9, 5, 6), cas(9, 2, true, 7, 8))).toBe(
      'linearizable',
    )
  })

  it('agrees with a search over all orders', () => {
    const operation = fc
      .tuple(fc.nat(3), fc.nat(2), fc.nat(2), fc.nat(8), fc.integer({ min: 0, max: 6 }))
      .map(([kind, value, expected, call, length]): RegisterOperation => {
        const end = length === 6 ? never : call + length
        if (kind === 0) return read(value, call, length === 6 ? call + 5 : end)
        if (kind === 1) return write(value, call, end)
        return cas(expected, value, kind === 2 || end === never, call, end)
      })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (history) => {
        expect(verdict(...history) === 'linearizable').toBe(anyOrderWorks(history, absent, new Set()))
      }),
      { numRuns: 3000 },
    )
  })
})

/** The definition, literally: try every operation that nothing unfinished precedes. */
function anyOrderWorks(history: readonly RegisterOperation[], value: number, done: ReadonlySet<number>): boolean {
  const open = history.map((_, at) => at).filter((at) => !done.has(at))
  const answered = open.filter((at) => history[at]?.return !== never)
  if (answered.length === 0) return true
  const earliestEnd = Math.min(...answered.map((at) => history[at]?.return ?? never))
  return open.some((at) => {
    const one = history[at] as RegisterOperation
    if (one.call > earliestEnd) return false
    const next = after(one, value)
    return next !== undefined && anyOrderWorks(history, next, new Set([...done, at]))
  })
}

function after(one: RegisterOperation, value: number): number | undefined {
  if (one.kind === 'read') return one.value === value ? value : undefined
  if (one.kind === 'write') return one.value
  if (one.succeeded) return one.expected === value ? one.value : undefined
  return one.expected === value ? undefined : value
}

describe('K1 over all keys', () => {
  const operation = (part: Partial<KeyOperation>): KeyOperation => ({
    client: 'client 1',
    key: 'k',
    kind: 'read',
    value: undefined,
    expected: undefined,
    consistency: 'default',
    callUs: 0,
    returnUs: 0,
    outcome: 'ok',
    found: undefined,
    ...part,
  })
  const judged = (staleDefaultMs: number, ...operations: readonly KeyOperation[]): readonly string[] => {
    const { judge, lines } = recorder()
    const checker = new LinearizableKeys(judge, staleDefaultMs)
    for (const one of operations) checker.began(one)
    checker.judge()
    return lines
  }
  const put = (value: string, callUs: number, returnUs: number): KeyOperation =>
    operation({ kind: 'write', value, callUs, returnUs })
  const get = (found: string | undefined, callUs: number, returnUs: number): KeyOperation =>
    operation({ found, callUs, returnUs })

  it('judges each key by itself', () => {
    expect(judged(0, put('a', 0, 1), { ...get(undefined, 2, 3), key: 'other' }, get('a', 4, 5))).toEqual([])
  })

  it('tells key, operation and times of a violation', () => {
    expect(judged(0, put('a', 0, 1000), put('b', 2000, 3000), get('a', 1_500_000, 1_600_000))).toEqual([
      "K1: key 'k': no order of the operations explains this answer: default read found 'a', client 1, 1.500000s..1.600000s; the key held 'b'",
    ])
  })

  it('lets default reads be as old as the excuse allows, and no older; consistent ones never', () => {
    const writes = [put('a', 0, 1000), put('b', 2000, 3000)]
    expect(judged(500, ...writes, get('a', 500_000, 500_100))).toEqual([])
    expect(judged(500, ...writes, get('a', 503_100, 503_200))).toHaveLength(1)
    expect(judged(500, ...writes, { ...get('a', 400_000, 400_100), consistency: 'consistent' })).toHaveLength(1)
  })

  it('leaves stale reads to their own checker', () => {
    expect(judged(0, put('a', 0, 1), put('b', 2, 3), { ...get('a', 4, 5), consistency: 'stale' })).toEqual([])
  })

  it('takes a refused CAS as explained only by a write that may have happened', () => {
    const refused = operation({ kind: 'cas', expected: 'a', value: 'c', outcome: 'refused', callUs: 10, returnUs: 11 })
    const lost = operation({ kind: 'write', value: 'x', outcome: 'unknown', callUs: 5 })
    expect(judged(0, put('a', 0, 1), refused)).toHaveLength(1)
    expect(judged(0, put('a', 0, 1), lost, refused)).toEqual([])
  })
})
