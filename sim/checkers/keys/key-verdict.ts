import type { KeyOperation } from './key-history.ts'
import { checkRegister } from './linearizability.ts'
import { absent, type RegisterOperation } from './register-operation.ts'

/**
 * Maximum number of steps of the search for one key, unless the caller says otherwise. A sound history needs about two
 * for each operation.
 */
export const searchStepsMax = 2_000_000

const neverFound = -1

export interface KeyLaw {
  /** How stale a read of default consistency may be, in microseconds; 0 if no excuse is granted. */
  readonly staleDefaultUs: number
  /** Steps after which the search gives up. */
  readonly stepsMax: number
}

/** Why the operations of one key are not linearizable. */
export interface KeyViolation {
  readonly kind: 'violation'
  /** The first operation, in order of answers, whose answer no order explains. */
  readonly blocked: KeyOperation
  /**
   * An order of everything that was answered before, and of what must have taken effect by then, which explains those
   * answers.
   */
  readonly order: readonly KeyOperation[]
  /** The key's value after `order`; undefined: no value. */
  readonly held: string | undefined
}

export type KeyVerdict =
  | { readonly kind: 'linearizable'; readonly order: readonly KeyOperation[] }
  | { readonly kind: 'undecided'; readonly steps: number }
  | KeyViolation

/**
 * Judges the operations of one key, which does not exist at first. Stale reads are left out: they promise less, and
 * another checker judges that.
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

/** The key's value after operations that took effect in this order. */
export function heldAfter(order: readonly KeyOperation[]): string | undefined {
  return order.findLast(changesKey)?.value
}

/** Whether an operation that took effect wrote or deleted the key. */
export function changesKey({ kind, outcome }: KeyOperation): boolean {
  return kind !== 'read' && outcome !== 'refused'
}

/**
 * Leaves out operations that cannot matter: stale reads, reads without an answer, and changes that were never answered
 * and whose result no operation needs. A refused CAS may have been refused because of any of these changes: if there is
 * one, they all matter.
 */
export function relevantOperations(operations: readonly KeyOperation[]): readonly KeyOperation[] {
  const refused = operations.some(({ outcome }) => outcome === 'refused')
  const needed = neededStates(operations)
  return operations.filter(({ kind, outcome, consistency, value }) => {
    if (kind === 'read') return outcome === 'ok' && consistency !== 'stale'
    return outcome === 'ok' || refused || needed.has(value)
  })
}

/**
 * The values that some operation must have found: those that reads and successful CAS did find, and those that a CAS of
 * unknown outcome must have found if its result is needed. undefined stands for no such key.
 */
export function neededStates(operations: readonly KeyOperation[]): ReadonlySet<string | undefined> {
  const needed = new Set<string | undefined>()
  for (const { kind, outcome, consistency, found, expected } of operations) {
    if (outcome !== 'ok') continue
    if (kind === 'read' && consistency !== 'stale') needed.add(found)
    if (kind === 'cas') needed.add(expected)
  }
  const open = operations.filter(({ kind, outcome }) => kind === 'cas' && outcome === 'unknown')
  for (let before = -1; before < needed.size; ) {
    before = needed.size
    for (const { value, expected } of open) if (needed.has(value)) needed.add(expected)
  }
  return needed
}

function registerHistory(relevant: readonly KeyOperation[], staleDefaultUs: number): readonly RegisterOperation[] {
  const found = comparedValues(relevant)
  const ids = new Map<string, number>()
  // Values that no operation ever finds count as one: such a write only replaces the previous value.
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

/** Values that reads found, and that CAS compared. */
function comparedValues(relevant: readonly KeyOperation[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { kind, found: read, expected } of relevant) {
    if (kind === 'read' && read !== undefined) found.add(read)
    if (kind === 'cas' && expected !== undefined) found.add(expected)
  }
  return found
}
