import type { KeyOperation } from './key-history.ts'
import { judgeKey, type KeyLaw, neededStates } from './key-verdict.ts'

/** Number of operations after which a beginning is judged and forgotten, at the next moment that allows it. */
export const foldFrom = 256

/**
 * The operations of one key that are still to be judged. The beginning of a long run is judged as soon as possible, and
 * replaced by one operation, so that memory does not grow with the run. This does not change which answers can be
 * explained:
 *
 * 1. A beginning ends with an operation p that no answered operation overlaps: all others were answered before p was
 *    called, none is under way, and none is called before p is answered. So p is the last known operation of the
 *    beginning in every order, and the value that it left or found is the key's value there. p stands for the beginning
 *    as a write of that value.
 * 2. Operations that were never answered may take effect later. Values are unique. So one whose value was found took
 *    effect in the beginning, once, and is finished; all others are kept. None of these is needed in the beginning,
 *    which is forgotten only if it has an order without them. An order of the whole that has some of them there loses
 *    nothing when they are kept, because the rest may still use each of them, once.
 * 3. An order of the beginning and one of the rest together are an order of the whole, and the other way round (1, 2).
 *
 * A beginning that has no such order is kept, and is judged at the end with the rest.
 */
export class KeyWindow {
  readonly #law: KeyLaw
  readonly #step: number
  #operations: KeyOperation[] = []
  readonly #underWay = new Set<KeyOperation>()
  #foldFrom: number
  /** The operation that stands for the beginning. */
  #standing: KeyOperation | undefined
  #answeredBefore = 0
  #forgotten = 0

  constructor(law: KeyLaw, from = foldFrom) {
    this.#law = law
    this.#step = from
    this.#foldFrom = from
  }

  /** In order of calls. */
  get operations(): readonly KeyOperation[] {
    return this.#operations
  }

  /** Number of answered operations of the whole history that promise the newest value. */
  get answered(): number {
    return this.#answeredBefore + this.#answeredIn(this.#operations)
  }

  /** Number of operations of the whole history. */
  get length(): number {
    return this.#forgotten + this.#operations.length
  }

  began(operation: KeyOperation): void {
    this.#operations.push(operation)
    this.#underWay.add(operation)
  }

  withdrawn(operation: KeyOperation): void {
    this.#underWay.delete(operation)
    const at = this.#operations.lastIndexOf(operation)
    if (at >= 0) this.#operations.splice(at, 1)
  }

  /** No later answer to it will be accepted. */
  ended(operation: KeyOperation): void {
    this.#underWay.delete(operation)
    if (this.#operations.length < this.#foldFrom || this.#underWay.size > 0) return
    if (!tellsTheValue(operation) || !this.#isLast(operation)) return
    this.#fold(operation)
  }

  #isLast(last: KeyOperation): boolean {
    return this.#operations.every(
      (one) => one === last || one.outcome === 'unknown' || one.returnUs < last.callUs || !promisesTheNewest(one),
    )
  }

  #fold(last: KeyOperation): void {
    const needed = neededStates(this.#operations)
    const mayComeLater = this.#operations.filter(
      ({ kind, outcome, value }) =>
        outcome === 'unknown' && kind !== 'read' && (value === undefined || !needed.has(value)),
    )
    const later = new Set(mayComeLater)
    const beginning = this.#operations.filter((one) => !later.has(one))
    if (judgeKey(beginning, this.#law).kind !== 'linearizable') {
      // The obstacle does not go away, so the next attempt must be worth its cost.
      this.#foldFrom = this.#operations.length * 2
      return
    }
    this.#answeredBefore += this.#answeredIn(beginning)
    this.#forgotten += beginning.length - 1
    this.#standing = standingFor(last)
    this.#operations = [...mayComeLater, this.#standing]
    this.#foldFrom = this.#operations.length + this.#step
  }

  #answeredIn(operations: readonly KeyOperation[]): number {
    return operations.reduce((sum, one) => (promisesTheNewest(one) && one !== this.#standing ? sum + 1 : sum), 0)
  }
}

/** An answered operation other than a stale read: a fact that K1 judges. */
export function promisesTheNewest({ kind, consistency, outcome }: KeyOperation): boolean {
  return outcome !== 'unknown' && (kind !== 'read' || consistency !== 'stale')
}

/** Whether its answer tells the key's value when it took effect, or right after. */
function tellsTheValue(operation: KeyOperation): boolean {
  return operation.outcome === 'ok' && promisesTheNewest(operation)
}

/**
 * It ends where the last one began: before every operation that is called later, even at the very moment of its answer.
 */
function standingFor(last: KeyOperation): KeyOperation {
  const value = last.kind === 'read' ? last.found : last.value
  return {
    ...last,
    kind: value === undefined ? 'delete' : 'write',
    value,
    expected: undefined,
    returnUs: last.callUs,
    found: undefined,
  }
}
