import { describe, expect, it } from 'vitest'
import { comparedRun } from '../../../sim/explain/comparisons.ts'
import type { Ended } from '../../../sim/pool/messages.ts'

const givenUpUs = 20_000_000

/** A run that reaches sites 1 and 2 of four, and fails at this time. */
function ended(
  verdict: Ended['record']['verdict'],
  failsAtUs?: number,
): Pick<Ended, 'record' | 'reached' | 'returned'> {
  const failures = failsAtUs === undefined ? [] : [{ atUs: failsAtUs, place: 'a.yaml:1:1', message: 'not yet' }]
  return { record: { verdict, failures } as unknown as Ended['record'], reached: '1-2', returned: '0' }
}

function compared(run: ReturnType<typeof ended>, isOfStep: boolean): unknown {
  const made = comparedRun(run, { isOfPage: false, sites: 4, returns: 2, isOfStep, atUs: givenUpUs })
  return made?.hasFailed
}

describe('a run that is compared with the failing one', () => {
  it('says which code it went through', () => {
    const kind = { isOfPage: true, sites: 4, returns: 2, isOfStep: true, atUs: givenUpUs }
    expect(comparedRun(ended('passed'), kind)).toEqual({
      isOfPage: true,
      hasFailed: false,
      reached: Uint8Array.of(0, 1, 1, 0),
      returned: Uint8Array.of(1, 0),
    })
  })

  it.each([true, false])('passes or fails by its verdict (of a step: %s)', (isOfStep) => {
    expect(compared(ended('passed'), isOfStep)).toBe(false)
    expect(compared(ended('failed', 3_000), isOfStep)).toBe(true)
    expect(compared(ended('died'), isOfStep)).toBe(undefined)
  })

  it('says nothing about a step that waits too long if it still waits itself when it is given up', () => {
    expect(compared(ended('failed', givenUpUs), true)).toBe(undefined)
    // A law that is not broken by then is kept.
    expect(compared(ended('failed', givenUpUs), false)).toBe(false)
  })
})
