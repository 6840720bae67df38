import { describe, expect, it } from 'vitest'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { judgeKey } from '../../../sim/checkers/keys/key-verdict.ts'
import { KeyWindow } from '../../../sim/checkers/keys/key-window.ts'
import { fc } from '../../fast-check.ts'
import { operation } from './key-histories.ts'

const law = { staleDefaultUs: 0, stepsMax: 1_000_000 }
const numRuns = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 2_000
const never = Number.POSITIVE_INFINITY

const kinds = fc.constantFrom<KeyOperation['kind']>('read', 'read', 'write', 'write', 'cas', 'delete')
/**
 * Of an operation: what it is, how far its call and its answer are from when it takes effect, and whether anything is
 * odd.
 */
const drawn = fc.record({
  kind: kinds,
  before: fc.nat(12),
  after: fc.nat(12),
  consistency: fc.constantFrom<KeyOperation['consistency']>('default', 'consistent', 'stale'),
  odd: fc.nat(29),
  back: fc.nat(3),
})

interface Asked {
  readonly operation: KeyOperation
  /** When its client waits no longer. */
  readonly endedUs: number
}

/**
 * What clients of one key are told, one operation for each ten microseconds. Some answers are lost, with or without the
 * effect, and some are of another state than the present one.
 */
const asked = fc.array(drawn, { minLength: 4, maxLength: 30 }).map((all): readonly Asked[] => {
  const states: (string | undefined)[] = [undefined]
  return all.map(({ kind, before, after, consistency, odd, back }, at): Asked => {
    const atUs = 20 + at * 10
    const state = states.at(-1)
    const seen = odd === 0 ? states.at(-1 - back) : state
    const isLost = odd >= 1 && odd <= 4
    const isDone = !isLost || odd <= 2
    const value = kind === 'write' || kind === 'cas' ? `v${at}` : undefined
    const expected = kind === 'cas' ? (odd % 5 === 0 ? states[0] : seen) : undefined
    const isRefused = kind === 'cas' && expected !== state && odd !== 0
    if (kind !== 'read' && isDone && !isRefused) states.push(value)
    const endedUs = atUs + after
    const known = { callUs: atUs - before, returnUs: isLost ? never : endedUs, kind, value, expected, consistency }
    const outcome = isLost ? 'unknown' : isRefused ? 'refused' : 'ok'
    const found = kind === 'read' && !isLost ? seen : undefined
    return { operation: operation({ ...known, outcome, found }), endedUs }
  })
})

/** Tells a window of them as a run does: each outcome is known only when its operation has ended. */
function windowOf(all: readonly Asked[], from: number): KeyWindow {
  const window = new KeyWindow(law, from)
  const told = new Map<Asked, KeyOperation>()
  const facts = all.flatMap((one) => [
    { one, atUs: one.operation.callUs, isEnd: false },
    { one, atUs: one.endedUs, isEnd: true },
  ])
  // What is called at the moment of an answer counts as concurrent.
  facts.sort((a, b) => a.atUs - b.atUs || Number(a.isEnd) - Number(b.isEnd))
  for (const { one, isEnd } of facts) {
    const before = told.get(one)
    if (before === undefined) {
      const begun: KeyOperation = { ...one.operation, outcome: 'unknown', returnUs: never, found: undefined }
      told.set(one, begun)
      window.began(begun)
    } else if (isEnd) {
      const { outcome, returnUs, found } = one.operation
      Object.assign(before, { outcome, returnUs, found })
      window.ended(before)
    }
  }
  return window
}

describe('a history whose beginning is forgotten', () => {
  it('has the verdict of the whole one, names the same answer, and counts as much', () => {
    const seen = { linearizable: 0, violation: 0, undecided: 0, forgotten: 0 }
    fc.assert(
      fc.property(asked, fc.constantFrom(1, 2, 5), (all, from) => {
        const whole = all.map((one) => one.operation)
        const window = windowOf(all, from)
        const verdict = judgeKey(whole, law)
        const left = judgeKey(window.operations, law)
        seen[verdict.kind]++
        if (window.operations.length < whole.length) seen.forgotten++
        expect(left.kind).toBe(verdict.kind)
        if (left.kind === 'violation' && verdict.kind === 'violation') {
          expect({ ...left.blocked }).toEqual({ ...verdict.blocked })
        }
        expect(window.length).toBe(whole.length)
        const facts = whole.filter(
          ({ kind, consistency, outcome }) => outcome !== 'unknown' && (kind !== 'read' || consistency !== 'stale'),
        )
        expect(window.answered).toBe(facts.length)
      }),
      { numRuns },
    )
    expect(seen.undecided).toBe(0)
    for (const count of [seen.linearizable, seen.violation, seen.forgotten]) expect(count).toBeGreaterThan(numRuns / 20)
  })

  it('keeps a few operations of many, even where some were never answered', () => {
    const all = Array.from({ length: 3_000 }, (_, at): Asked => {
      const isLost = at % 500 === 7
      const [callUs, endedUs] = [at * 10, at * 10 + 5]
      const kind = at % 2 === 0 || isLost ? 'write' : 'read'
      const lost = { outcome: 'unknown', returnUs: never } as const
      const known = kind === 'write' ? { value: `v${at}` } : { found: `v${at - 1}` }
      const answered = { outcome: 'ok', returnUs: endedUs } as const
      return { operation: operation({ kind, callUs, ...known, ...(isLost ? lost : answered) }), endedUs }
    })
    const window = windowOf(all, 64)
    expect(window.operations.length).toBeLessThan(64 + 6 + 2)
    expect(window.length).toBe(3_000)
    expect(judgeKey(window.operations, law).kind).toBe('linearizable')
  })
})
