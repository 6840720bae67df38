import { type KeyOperation, operationText } from './key-history.ts'
import { absent, checkRegister, type RegisterOperation } from './linearizability.ts'
import type { Report } from './violation.ts'

/** Steps of the search for one key. A sound history needs about two for each operation. */
const stepsMax = 2_000_000
const neverFound = -1

/**
 * K1 for reads that promise the newest value. Keys are independent, so each is judged by itself (Herlihy & Wing's
 * locality). Judged when the run ends, since an operation that is never answered stays possible until then.
 */
export class LinearizableKeys {
  readonly #byKey = new Map<string, KeyOperation[]>()
  readonly #report: Report
  readonly #staleDefaultUs: number

  /**
   * `staleDefaultMs`: the excuse of a scenario that lets `default` reads be this old, because a deposed leader may still
   * answer them; 0 where none is granted.
   */
  constructor(report: Report, staleDefaultMs: number) {
    this.#report = report
    this.#staleDefaultUs = staleDefaultMs * 1000
  }

  /** Takes an operation when it begins; its outcome is filled in later. */
  began(operation: KeyOperation): void {
    const history = this.#byKey.get(operation.key)
    if (history === undefined) this.#byKey.set(operation.key, [operation])
    else history.push(operation)
  }

  judge(): void {
    for (const [key, history] of this.#byKey) this.#judgeKey(key, history)
  }

  #judgeKey(key: string, operations: readonly KeyOperation[]): void {
    const found = foundValues(operations)
    const relevant = withoutEffect(operations, found)
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
    const register = relevant.map((operation) => this.#registerOperation(operation, idOf))
    const verdict = checkRegister(register, absent, stepsMax)
    if (verdict.kind === 'undecided') {
      this.#report('K1', `key '${key}': no verdict on ${relevant.length} operations within ${verdict.steps} steps`)
    } else if (verdict.kind === 'violation') {
      const blocked = relevant[verdict.blocked] as KeyOperation
      const value = [...ids].find(([, id]) => id === verdict.value)?.[0]
      const other = verdict.value === absent ? 'the key held nothing' : 'the key held a later value'
      const held = value === undefined ? other : `the key held '${value}'`
      this.#report('K1', `key '${key}': no order of operations explains this one: ${operationText(blocked)}; ${held}`)
    }
  }

  #registerOperation(operation: KeyOperation, idOf: (value: string | undefined) => number): RegisterOperation {
    const { kind, outcome } = operation
    const early = kind === 'read' && operation.consistency === 'default' ? this.#staleDefaultUs : 0
    return {
      kind: kind === 'delete' ? 'write' : kind,
      value: kind === 'read' ? idOf(operation.found) : idOf(operation.value),
      expected: idOf(operation.expected),
      succeeded: outcome !== 'refused',
      call: operation.callUs - early,
      return: outcome === 'unknown' ? Number.POSITIVE_INFINITY : operation.returnUs,
    }
  }
}

function foundValues(operations: readonly KeyOperation[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { kind, outcome, found: read, expected, consistency } of operations) {
    if (kind === 'read' && outcome === 'ok' && consistency !== 'stale' && read !== undefined) found.add(read)
    if (kind === 'cas' && expected !== undefined) found.add(expected)
  }
  return found
}

/**
 * Leaves out what cannot matter: stale reads (judged elsewhere), reads without an answer, and writes without an answer
 * whose value nobody ever found, unless a CAS was refused: then such a write may be the reason.
 */
function withoutEffect(operations: readonly KeyOperation[], found: ReadonlySet<string>): readonly KeyOperation[] {
  const refused = operations.some(({ kind, outcome }) => kind === 'cas' && outcome === 'refused')
  return operations.filter(({ kind, outcome, consistency, value }) => {
    if (kind === 'read') return outcome === 'ok' && consistency !== 'stale'
    return outcome !== 'unknown' || value === undefined || refused || found.has(value)
  })
}
