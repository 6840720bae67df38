import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { fc } from '../../fast-check.ts'

export function operation(part: Partial<KeyOperation>): KeyOperation {
  return {
    client: 'client 1',
    key: 'k',
    kind: 'read',
    value: undefined,
    expected: undefined,
    consistency: 'consistent',
    callUs: 0,
    returnUs: Number.POSITIVE_INFINITY,
    outcome: 'ok',
    found: undefined,
    ...part,
  }
}

const state = fc.constantFrom(undefined, 'a', 'b', 'c')
const value = fc.constantFrom('a', 'b', 'c')

/** Any operation at all, answered or not: most histories of them have no order, many only just. */
const anyOperation = fc
  .record({
    kind: fc.constantFrom('read', 'read', 'write', 'cas', 'delete'),
    value,
    state,
    callUs: fc.nat(12),
    lengthUs: fc.nat(6),
    end: fc.constantFrom('ok', 'ok', 'ok', 'refused', 'unknown'),
  })
  .map(({ kind, value: put, state: seen, callUs, lengthUs, end }): KeyOperation => {
    const outcome = end === 'refused' && kind !== 'cas' ? 'ok' : end
    return operation({
      kind,
      callUs,
      returnUs: outcome === 'unknown' ? Number.POSITIVE_INFINITY : callUs + lengthUs,
      outcome,
      value: kind === 'write' || kind === 'cas' ? put : undefined,
      expected: kind === 'cas' ? seen : undefined,
      found: kind === 'read' && outcome === 'ok' ? seen : undefined,
    })
  })

/** Values may be written more than once, and read although nobody wrote them. */
export function anyHistory(operationsMax: number): fc.Arbitrary<readonly KeyOperation[]> {
  return fc.array(anyOperation, { maxLength: operationsMax })
}

/**
 * The definition, literally: whether some order of all that was answered, and of any of the rest, respects real time and
 * explains every answer.
 */
export function hasOrder(history: readonly KeyOperation[], held?: string): boolean {
  const answered = history.filter(({ outcome }) => outcome !== 'unknown')
  if (answered.length === 0) return true
  const firstEnd = Math.min(...answered.map(({ returnUs }) => returnUs))
  return history.some((one) => {
    if (one.callUs > firstEnd || !isPossible(one, held)) return false
    const next = after(one, held)
    return hasOrder(
      history.filter((other) => other !== one),
      next,
    )
  })
}

/** Whether an operation can have had its answer from a key that holds this. An unknown CAS: whether it can have taken effect. */
export function isPossible({ kind, outcome, found, expected }: KeyOperation, held: string | undefined): boolean {
  if (kind === 'read') return outcome === 'unknown' || found === held
  if (kind === 'cas') return outcome === 'refused' ? expected !== held : expected === held
  return true
}

export function after({ kind, outcome, value: put }: KeyOperation, held: string | undefined): string | undefined {
  return kind === 'read' || outcome === 'refused' ? held : put
}
