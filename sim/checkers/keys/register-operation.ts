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

/** An operation that was never answered. */
export interface OpenOperation {
  readonly name: number
  /**
   * The one of the same effect called last before it. Where the later took effect and the earlier did not, the earlier
   * may stand for it: so they are tried in order of call only.
   */
  readonly twin: number | undefined
}

/** In order of calls. */
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
