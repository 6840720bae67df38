import type { KeyOperation } from './key-history.ts'
import { judgeKey, type KeyLaw, neededStates } from './key-verdict.ts'

/** Operations after which a beginning is judged and forgotten, at the next moment that allows it. */
export const foldFrom = 256

/**
 * The operations of one key that are still to be judged. Of a long run the beginning is judged as soon as it can be,
 * and one operation takes its place, so that memory does not grow with the run. Which answers can be explained does not
 * change by that:
 *
 * 1. A beginning ends with an operation p that nothing answered overlaps: all others were answered before it was
 *    called, none is under way, and none is called before it is answered. So p is the last known operation of the
 *    beginning in every order, and what it left or found is what the key holds there. p stands for the beginning as a
 *    write of that value.
 * 2. Operations that were never answered may take effect later. Values are unique, so one whose value somebody found
 *    took effect in the beginning, once, and is done. All others are kept. None of these is needed in the beginning: it
 *    is forgotten only if it has an order without them. An order of the whole that has some of them there loses nothing
 *    when they are kept, for the rest may still use each of them, once.
 * 3. An order of the beginning and one of the rest together are an order of the whole, and the other way round (1, 2).
 *
 * A beginning that has no such order is kept whole, and is judged at the end with the rest.
 */
export class KeyWindow {
  readonly #law: KeyLaw
  readonly #step: number
  #operations: KeyOperation[] = []
  readonly #underWay = new Set<KeyOperation>()
  #foldFrom: number
  /** What stands for the beginning. */
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

  /** Answered operations of the whole history that promise the newest value. */
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

  /** No answer to it will be taken any more. */
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
      // What stands against it stays there: the next try is to be worth its cost.
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

/** Answered, and no stale read: a fact that K1 judges. */
export function promisesTheNewest({ kind, consistency, outcome }: KeyOperation): boolean {
  return outcome !== 'unknown' && (kind !== 'read' || consistency !== 'stale')
}

/** Whether it says what the key held when it took effect, or right after. */
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
