/** The value of an empty register. */
export const absent = 0

/** An operation of a client on one register, and its result. */
export interface RegisterOperation {
  readonly kind: 'read' | 'write' | 'cas'
  /** Read: the value found. Write, CAS: the value written. A delete is a write of `absent`. */
  readonly value: number
  /** CAS: the expected value. */
  readonly expected: number
  /** False: a refused CAS, so the register did not have the `expected` value. */
  readonly succeeded: boolean
  readonly call: number
  /** Infinity: never answered; it may have taken effect at any time after its call, or never. */
  readonly return: number
}

export function operationAt(history: readonly RegisterOperation[], operation: number): RegisterOperation {
  return history[operation] as RegisterOperation
}

/** An operation that was never answered. */
export interface OpenOperation {
  readonly name: number
  /**
   * The operation of the same effect that was called last before this one. If the later one took effect and the earlier
   * did not, the earlier may stand for it, so they are tried only in order of calls.
   */
  readonly twin: number | undefined
}

/** The unanswered operations, in order of calls. */
export function openOperations(history: readonly RegisterOperation[]): readonly OpenOperation[] {
  const names: number[] = []
  for (let name = 0; name < history.length; name++) {
    if (operationAt(history, name).return === Number.POSITIVE_INFINITY) names.push(name)
  }
  names.sort((a, b) => operationAt(history, a).call - operationAt(history, b).call || a - b)
  const last = new Map<string, number>()
  return names.map((name) => {
    const { kind, value, expected } = operationAt(history, name)
    const effect = kind === 'cas' ? `${value} from ${expected}` : `${value}`
    const twin = last.get(effect)
    last.set(effect, name)
    return { name, twin }
  })
}
