import { invariant } from '../../../src/base/invariant.ts'
import { DoneSet, Seen } from './done-set.ts'
import { lift, type Mark, markList, unlift } from './mark-list.ts'
import { operationAt as at, earlierTwins, type RegisterOperation } from './register-operation.ts'

/**
 * Decides whether the history of one register is linearizable: whether its operations can be put in one order that
 * respects their real-time order and explains every answer. Wing & Gong's search with Lowe's memoisation ("Testing for
 * linearizability", 2017): depth first over "which operation took effect next", never twice from the same set of
 * operations done and the same value.
 *
 * Operations that were never answered would make that exponential: each may have happened anywhere, or not at all. Three
 * rules keep the search small. None of them loses a verdict, nor the latest answer that some order comes to.
 *
 * 1. *In time.* An unanswered operation is put into an order only right before one that depends on it: a read or a CAS that
 *    needs the value it leaves, which may be an unanswered CAS in its turn, or a refused CAS that needs the value before to be
 *    gone, for which one suffices. Take any order that explains the answers, and drop from it, as long as there are any,
 *    runs of unanswered operations that change nothing, or whose successor would have the same answer without them: what is
 *    left explains the answers, too, and obeys the rule.
 * 2. *Fewer is better.* Of two ways to the same value with the same answered operations done, the one that has used fewer
 *    unanswered ones (a subset) can be continued in every way that the other can, so the other is not tried.
 * 3. *Twins.* Of unanswered operations of the same effect the one called first is used first: it may stand for the others.
 */

/** Operations are named by their position in the history. */
export type Verdict =
  /** `order`: one that explains every answer. Of what was never answered, it has what took effect in it. */
  | { readonly kind: 'linearizable'; readonly order: readonly number[] }
  /**
   * Up to the moment before `blocked` was answered the history is linearizable, with its answer it is not: `order`
   * explains everything answered before, and leaves `value`. What was still open then counts as what it turned out to
   * be: a CAS that was refused later had no effect.
   */
  | { readonly kind: 'violation'; readonly blocked: number; readonly order: readonly number[]; readonly value: number }
  /** The search was given up after `steps`. */
  | { readonly kind: 'undecided'; readonly steps: number }

/** `history` in any order. Operations whose intervals touch count as concurrent. */
export function checkRegister(history: readonly RegisterOperation[], initial: number, stepsMax: number): Verdict {
  return new Search(history, initial).run(stepsMax)
}

/**
 * Of the unanswered operation at the end of an order, which waits for one that depends on it: what the register held before;
 * `chain`: it depends on another unanswered one itself. Undefined: the order ends with an answered one.
 */
type Waiting = number | 'chain' | undefined

/** What comes next in an order, and what was so before it. */
interface Step {
  readonly operation: number
  /** Of an answered operation its call; of an unanswered one the first return that had no place yet. */
  readonly mark: Mark
  /** Place among the unanswered ones; -1: it was answered. */
  readonly open: number
  readonly value: number
  readonly waiting: Waiting
}

/** What the operations need that could come next. */
interface Needs {
  readonly values: ReadonlySet<number>
  /** A refused CAS waits for the present value to be gone. */
  readonly another: boolean
}

class Search {
  readonly #history: readonly RegisterOperation[]
  /** Calls and returns of what was answered. */
  readonly #head: Mark
  /** The unanswered ones, in order of their calls. */
  readonly #open: readonly number[]
  readonly #twins: readonly number[]
  readonly #done: DoneSet
  readonly #seen = new Seen()
  readonly #path: Step[] = []
  #value: number
  #waiting: Waiting
  /**
   * A return is passed only once its operation is in the order, so the latest return that any order came to is the first that
   * none can pass.
   */
  #furthest: { readonly mark: Mark; readonly value: number; readonly order: readonly number[] } | undefined

  constructor(history: readonly RegisterOperation[], initial: number) {
    this.#history = history
    this.#head = markList(history)
    const open = [...history.keys()].filter((one) => at(history, one).return === Number.POSITIVE_INFINITY)
    this.#open = open.sort((a, b) => at(history, a).call - at(history, b).call || a - b)
    this.#twins = earlierTwins(history)
    this.#done = new DoneSet(history)
    this.#value = initial
  }

  run(stepsMax: number): Verdict {
    let mark = this.#head.next
    // Candidates are the answered operations up to the first return, then the unanswered ones called until then.
    let open = -1
    let needs: Needs | undefined
    for (let steps = 0; mark !== undefined; steps++) {
      if (steps > stepsMax) return { kind: 'undecided', steps }
      if (mark.isCall) {
        if (this.#takesAnswered(mark)) mark = this.#head.next
        else mark = mark.next
        continue
      }
      if (open < 0) {
        this.#noteReturn(mark)
        open = 0
        needs = this.#needsBefore(mark)
      }
      const next = this.#open[open]
      if (needs !== undefined && next !== undefined && at(this.#history, next).call <= mark.time) {
        if (this.#takesOpen(mark, open, next, needs)) {
          mark = this.#head.next
          open = -1
        } else open++
        continue
      }
      const last = this.#path.pop()
      if (last === undefined) return this.#violation()
      this.#undo(last)
      open = last.open < 0 ? -1 : last.open + 1
      mark = last.open < 0 ? last.mark.next : last.mark
      needs = last.open < 0 ? undefined : this.#needsBefore(last.mark)
    }
    // Every answered operation is ordered. The operations left have no answer, and may never have taken effect.
    return { kind: 'linearizable', order: this.#order() }
  }

  #takesAnswered(mark: Mark): boolean {
    const operation = at(this.#history, mark.operation)
    const next = depends(operation, this.#waiting) ? step(operation, this.#value) : undefined
    if (next === undefined || !this.#isNew(mark.operation, next, undefined)) return false
    this.#take(
      { operation: mark.operation, mark, open: -1, value: this.#value, waiting: this.#waiting },
      next,
      undefined,
    )
    lift(mark)
    return true
  }

  #takesOpen(mark: Mark, open: number, name: number, needs: Needs): boolean {
    const twin = this.#twins[name] as number
    if (this.#done.hasUnanswered(name) || (twin >= 0 && !this.#done.hasUnanswered(twin))) return false
    const operation = at(this.#history, name)
    const isFirst = this.#waiting === undefined
    const isNeeded = needs.values.has(operation.value) || (isFirst && needs.another)
    const next = isNeeded && depends(operation, this.#waiting) ? step(operation, this.#value) : undefined
    const waiting = isFirst ? this.#value : 'chain'
    if (next === undefined || next === this.#value || !this.#isNew(name, next, waiting)) return false
    this.#take({ operation: name, mark, open, value: this.#value, waiting: this.#waiting }, next, waiting)
    return true
  }

  #take(taken: Step, value: number, waiting: Waiting): void {
    this.#path.push(taken)
    this.#value = value
    this.#waiting = waiting
  }

  #undo({ operation, mark, open, value, waiting }: Step): void {
    this.#done.remove(operation)
    this.#value = value
    this.#waiting = waiting
    if (open < 0) unlift(mark)
  }

  /** Adds the operation to those done, unless the search has gone on from there already. */
  #isNew(operation: number, value: number, waiting: Waiting): boolean {
    this.#done.add(operation)
    const name = `${value}|${waiting ?? ''}|${this.#done.answeredKey()}`
    if (this.#seen.add(name, this.#done.unanswered)) return true
    this.#done.remove(operation)
    return false
  }

  /** Of the operations called before the first return, what some unanswered one may have to leave for them. */
  #needsBefore(end: Mark): Needs {
    const values = new Set<number>()
    let another = false
    for (let mark = this.#head.next; mark !== undefined && mark !== end; mark = mark.next) {
      const { kind, value, expected, succeeded } = at(this.#history, mark.operation)
      if (kind === 'read') values.add(value)
      else if (kind === 'cas' && succeeded) values.add(expected)
      else if (kind === 'cas' && expected === this.#value) another = true
    }
    for (let before = -1; before < values.size; ) {
      before = values.size
      for (const name of this.#open) {
        const { kind, value, expected, call } = at(this.#history, name)
        if (call > end.time) break
        if (kind === 'cas' && values.has(value) && !this.#done.hasUnanswered(name)) values.add(expected)
      }
    }
    return { values, another }
  }

  #noteReturn(mark: Mark): void {
    if (this.#furthest !== undefined && mark.place <= this.#furthest.mark.place) return
    this.#furthest = { mark, value: this.#value, order: this.#order() }
  }

  #order(): readonly number[] {
    return this.#path.map(({ operation }) => operation)
  }

  #violation(): Verdict {
    const furthest = this.#furthest
    invariant(furthest !== undefined, 'the search ended at an answer that it could not explain')
    return { kind: 'violation', blocked: furthest.mark.operation, order: furthest.order, value: furthest.value }
  }
}

/**
 * Whether the operation has another answer, or none, without the unanswered ones before it; of a refused CAS, whether it does
 * with one of them alone.
 */
function depends({ kind, succeeded, expected }: RegisterOperation, waiting: Waiting): boolean {
  if (waiting === undefined) return true
  if (kind === 'write') return false
  return kind === 'read' || succeeded || expected === waiting
}

/** The value after the operation, or undefined when it cannot have had its answer from `value`. */
function step(operation: RegisterOperation, value: number): number | undefined {
  switch (operation.kind) {
    case 'read':
      return operation.value === value ? value : undefined
    case 'write':
      return operation.value
    default:
      if (operation.succeeded) return operation.expected === value ? operation.value : undefined
      return operation.expected === value ? undefined : value
  }
}
