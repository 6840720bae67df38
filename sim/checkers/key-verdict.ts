import type { KeyOperation } from './key-history.ts'
import { absent, checkRegister, type RegisterOperation } from './linearizability.ts'

/** Steps of the search for one key, unless told otherwise. A sound history needs about two for each operation. */
export const searchStepsMax = 2_000_000

const neverFound = -1

export interface KeyLaw {
  /** How old a read of default consistency may be, in microseconds: 0 where nothing excuses it. */
  readonly staleDefaultUs: number
  /** After so many steps the search gives up. */
  readonly stepsMax: number
}

/** Why the operations of one key are not linearizable. */
export interface KeyViolation {
  readonly kind: 'violation'
  /** The first one, in order of answers, whose answer nothing explains. */
  readonly blocked: KeyOperation
  /** One order of all that was answered before, and of what must have taken effect by then: it explains their answers. */
  readonly order: readonly KeyOperation[]
  /** What the key holds after `order`; undefined: nothing. */
  readonly held: string | undefined
}

export type KeyVerdict =
  | { readonly kind: 'linearizable'; readonly order: readonly KeyOperation[] }
  | { readonly kind: 'undecided'; readonly steps: number }
  | KeyViolation

/**
 * Judges the operations of one key, which holds nothing at first. Stale reads are left out: they promise less, and what
 * they promise is judged elsewhere.
 */
export function judgeKey(operations: readonly KeyOperation[], law: KeyLaw): KeyVerdict {
  const relevant = relevantOperations(operations)
  const verdict = checkRegister(registerHistory(relevant, law.staleDefaultUs), absent, law.stepsMax)
  if (verdict.kind === 'undecided') return verdict
  const order = verdict.order.map((at) => relevant[at] as KeyOperation)
  if (verdict.kind === 'linearizable') return { kind: 'linearizable', order }
  const blocked = relevant[verdict.blocked] as KeyOperation
  return { kind: 'violation', blocked, order, held: heldAfter(order) }
}

/** What a key holds after operations that took effect in this order. */
export function heldAfter(order: readonly KeyOperation[]): string | undefined {
  return order.findLast(changes)?.value
}

/** Of an operation that took effect: whether it put something there, or took it away. */
function changes({ kind, outcome }: KeyOperation): boolean {
  return kind !== 'read' && outcome !== 'refused'
}

/**
 * Without what cannot matter: stale reads, reads without an answer, and writes without an answer whose value nobody ever
 * found, unless a CAS was refused: then such a write may be the reason.
 */
export function relevantOperations(operations: readonly KeyOperation[]): readonly KeyOperation[] {
  const found = foundValues(operations)
  const refused = operations.some(({ kind, outcome }) => kind === 'cas' && outcome === 'refused')
  return operations.filter(({ kind, outcome, consistency, value }) => {
    if (kind === 'read') return outcome === 'ok' && consistency !== 'stale'
    return outcome !== 'unknown' || value === undefined || refused || found.has(value)
  })
}

function foundValues(operations: readonly KeyOperation[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { kind, outcome, found: read, expected, consistency } of operations) {
    if (kind === 'read' && outcome === 'ok' && consistency !== 'stale' && read !== undefined) found.add(read)
    if (kind === 'cas' && expected !== undefined) found.add(expected)
  }
  return found
}

function registerHistory(relevant: readonly KeyOperation[], staleDefaultUs: number): readonly RegisterOperation[] {
  const found = foundValues(relevant)
  const ids = new Map<string, number>()
  // Values that nobody ever found are one: what such a write does is put something else there.
  const idOf = (value: string | undefined): number => {
    if (value === undefined) return absent
    if (!found.has(value)) return neverFound
    const known = ids.get(value)
    if (known !== undefined) return known
    ids.set(value, ids.size + 1)
    return ids.size
  }
  return relevant.map((operation) => {
    const { kind, outcome } = operation
    const early = kind === 'read' && operation.consistency === 'default' ? staleDefaultUs : 0
    return {
      kind: kind === 'delete' ? 'write' : kind,
      value: kind === 'read' ? idOf(operation.found) : idOf(operation.value),
      expected: idOf(operation.expected),
      succeeded: outcome !== 'refused',
      call: operation.callUs - early,
      return: outcome === 'unknown' ? Number.POSITIVE_INFINITY : operation.returnUs,
    }
  })
}
