/** The value of a register that holds nothing. */
export const absent = 0

/** What a client did with one register, and what it learnt. */
export interface RegisterOperation {
  readonly kind: 'read' | 'write' | 'cas'
  /** Read: what was found. Write, CAS: what is put there. A delete is a write of `absent`. */
  readonly value: number
  /** CAS: what must be there. */
  readonly expected: number
  /** False: a CAS that was refused, so `expected` was not there. */
  readonly succeeded: boolean
  readonly call: number
  /** Infinity: never answered; it may have taken effect at any time after its call, or never. */
  readonly return: number
}

export function operationAt(history: readonly RegisterOperation[], operation: number): RegisterOperation {
  return history[operation] as RegisterOperation
}

/**
 * For each operation that was never answered, the one of the same effect called last before it, or -1. Where the later
 * took effect and the earlier did not, the earlier may stand for it: so they are tried in order of call only.
 */
export function earlierTwins(history: readonly RegisterOperation[]): readonly number[] {
  const twins = history.map(() => -1)
  const last = new Map<string, number>()
  const byCall = [...history.keys()].sort(
    (a, b) => operationAt(history, a).call - operationAt(history, b).call || a - b,
  )
  for (const operation of byCall) {
    const { kind, value, expected, return: end } = operationAt(history, operation)
    if (end !== Number.POSITIVE_INFINITY) continue
    const effect = `${kind} ${value} ${expected}`
    twins[operation] = last.get(effect) ?? -1
    last.set(effect, operation)
  }
  return twins
}
