import type { Mark } from './mark-list.ts'
import { OrderProgress, step, type Waiting } from './order-progress.ts'
import { type Passage, PassingValues } from './passing-values.ts'
import { operationAt as at, type OpenOperation, openOperations, type RegisterOperation } from './register-operation.ts'
import { SeenPlaces } from './seen-places.ts'
import { settledHistory } from './settled-history.ts'

/** Operations are identified by their position in the history. */
export type Order =
  | { readonly kind: 'order'; readonly order: readonly number[] }
  | { readonly kind: 'none' }
  /** The search stopped after `steps`. */
  | { readonly kind: 'undecided'; readonly steps: number }

/**
 * Finds one order of a history that respects real time and explains every answer, if there is one.
 *
 * The algorithm is Wing & Gong's search with Lowe's memoisation ("Testing for linearizability", 2017): depth first over
 * "which operation took effect next", never twice from the same set of ordered operations and the same value. Six rules
 * keep it small. None loses an order.
 *
 * 1. *Values narrow the intervals first* (`settledHistory`).
 * 2. *Operations that change nothing come at once.* A read or a refused CAS that the present value explains may come
 *    now, because that does not affect what follows. The same holds for passages right before a write, and for those
 *    after a value that no operation needs (`PassingValues`).
 * 3. *No value is replaced or written too early* (`OrderProgress.mayStand`).
 * 4. *The earliest answer first.* Among answered operations of the same effect, the one answered first may stand for
 *    the others.
 *
 * Operations that were never answered may have happened anywhere, or not at all:
 *
 * 5. *Just in time.* An unanswered operation is put into an order only right before an operation that depends on it.
 *    That is a read or a CAS that needs the value which it leaves (the CAS may itself be unanswered), or a refused CAS
 *    that needs the previous value to be gone, for which one unanswered operation suffices. Take any order that
 *    explains the answers. Remove from it, repeatedly, runs of unanswered operations that change nothing, or whose
 *    successor would have the same answer without them. The rest explains the answers, too, and obeys the rule. The
 *    operations that rule 2 takes first never stand between.
 * 6. *Fewer is better.* Of two ways to the same place, the one that has used fewer unanswered operations (a subset) can
 *    be continued in every way that the other can, so the other is not tried. Of unanswered operations with the same
 *    effect, the one called first is used first (`openOperations`).
 */
export function findOrder(history: readonly RegisterOperation[], initial: number, stepsMax: number): Order {
  const settled = settledHistory(history, initial)
  return settled === undefined ? { kind: 'none' } : new Search(settled, initial).run(stepsMax)
}

/** A place in the search from which there is more than one way to continue. */
interface Fork {
  readonly length: number
  readonly passages: readonly Passage[]
  readonly choices: readonly Choice[]
  next: number
}

interface Choice {
  readonly operation: number
  /** Set for an unanswered operation. */
  readonly waiting: Waiting
}

/** The needs of the operations that could come next. */
interface Needs {
  readonly values: ReadonlySet<number>
  /** A refused CAS waits for the present value to be gone. */
  readonly another: boolean
}

class Search {
  readonly #history: readonly RegisterOperation[]
  readonly #progress: OrderProgress
  readonly #passing: PassingValues
  readonly #open: readonly OpenOperation[]
  readonly #seen = new SeenPlaces()
  readonly #forks: Fork[] = []
  /** The passages at the present place. */
  #passages: readonly Passage[] = []

  constructor(history: readonly RegisterOperation[], initial: number) {
    this.#history = history
    this.#progress = new OrderProgress(history, initial)
    this.#passing = new PassingValues(this.#progress)
    this.#open = openOperations(history)
  }

  run(stepsMax: number): Order {
    const progress = this.#progress
    for (;;) {
      if (progress.steps > stepsMax) return { kind: 'undecided', steps: progress.steps }
      const end = this.#goOn()
      // The remaining operations have no answer, and may never have taken effect.
      if (end === undefined) return { kind: 'order', order: progress.order }
      if (!this.#chooses(end) && !this.#advance()) return { kind: 'none' }
    }
  }

  /** Takes the operations that may come first without loss. Returns the first return that is not in the order yet. */
  #goOn(): Mark | undefined {
    for (;;) {
      const end = this.#takeUnchanging()
      if (end === undefined) return undefined
      this.#passages = this.#progress.waiting === undefined ? this.#passing.before(end) : []
      const { wants, openWants } = this.#progress.tally
      // If no operation needs the present value, passages may be taken, unless one hides a value that a refused CAS
      // speaks of.
      if (wants > 0 || openWants > 0) return end
      let wentOn = false
      for (const passage of this.#passages) {
        if (passage.after.refusals > 0) continue
        this.#goThrough(passage)
        wentOn = true
      }
      if (!wentOn) return end
    }
  }

  /** Takes the operations that change nothing and can come now. */
  #takeUnchanging(): Mark | undefined {
    const progress = this.#progress
    for (let mark = progress.first; mark !== undefined; ) {
      if (!mark.isCall) return mark
      const operation = at(this.#history, mark.operation)
      const { value, waiting } = progress
      if (operation.kind === 'write' || step(operation, value) !== value || !depends(operation, waiting)) {
        progress.steps++
        mark = mark.next
        continue
      }
      const before: Mark | undefined = mark.previous
      progress.take(mark.operation, value, undefined)
      mark = waiting === undefined ? before?.next : progress.first
    }
    return undefined
  }

  /** Two writes of one value may share the reads in their passages. */
  #goThrough({ operations }: Passage): void {
    for (const operation of operations) {
      if (this.#progress.isDone(operation)) continue
      this.#progress.take(operation, step(at(this.#history, operation), this.#progress.value) as number, undefined)
    }
  }

  /** Takes the only choice, or creates a fork if there are several. False: this way leads no further. */
  #chooses(end: Mark): boolean {
    const progress = this.#progress
    const choices = [...this.#changesBefore(end), ...this.#openBefore(end)]
    const [only] = choices
    if (only === undefined) return false
    if (choices.length === 1) return this.#takes(only, this.#passages)
    if (!this.#seen.add(progress.name(end), progress.unanswered)) return false
    this.#forks.push({ length: progress.length, passages: this.#passages, choices, next: 0 })
    return this.#advance()
  }

  /** The answered operations that can come next and change the value, the earliest answer first. */
  #changesBefore(end: Mark): readonly Choice[] {
    const { waiting, value } = this.#progress
    const changes: number[] = []
    for (let mark = this.#progress.first; mark !== undefined && mark !== end; mark = mark.next) {
      const operation = at(this.#history, mark.operation)
      if (!depends(operation, waiting) || step(operation, value) === undefined || operation.kind === 'read') continue
      // Of operations of the same effect, only the one answered first is tried: it may stand for the others.
      const other = changes.findIndex((one) => hasEffectOf(operation, at(this.#history, one)))
      if (other < 0) changes.push(mark.operation)
      else if (operation.return < at(this.#history, changes[other] as number).return) changes[other] = mark.operation
    }
    if (changes.length > 1) changes.sort((a, b) => at(this.#history, a).return - at(this.#history, b).return || a - b)
    return changes.map((operation) => ({ operation, waiting: undefined }))
  }

  /** The unanswered operations on which an operation that can come next depends. */
  #openBefore(end: Mark): readonly Choice[] {
    if (this.#open.length === 0) return []
    const { value, waiting } = this.#progress
    const needs = this.#needsBefore(end)
    const isFirst = waiting === undefined
    const choices: Choice[] = []
    for (const { name, twin } of this.#open) {
      const operation = at(this.#history, name)
      if (operation.call > end.time) break
      if (this.#progress.isDone(name) || (twin !== undefined && !this.#progress.isDone(twin))) continue
      const isNeeded = needs.values.has(operation.value) || (isFirst && needs.another)
      const next = isNeeded && depends(operation, waiting) ? step(operation, value) : undefined
      if (next !== undefined && next !== value) choices.push({ operation: name, waiting: isFirst ? value : 'chain' })
    }
    return choices
  }

  /** What the operations called before the first return may need from an unanswered operation. */
  #needsBefore(end: Mark): Needs {
    const values = new Set<number>()
    let another = false
    for (let mark = this.#progress.first; mark !== undefined && mark !== end; mark = mark.next) {
      const { kind, value, expected, succeeded } = at(this.#history, mark.operation)
      if (kind === 'read') values.add(value)
      else if (kind === 'cas' && succeeded) values.add(expected)
      else if (kind === 'cas' && expected === this.#progress.value) another = true
    }
    for (let before = -1; before < values.size; ) {
      before = values.size
      for (const { name } of this.#open) {
        const { kind, value, expected, call } = at(this.#history, name)
        if (call > end.time) break
        if (kind === 'cas' && values.has(value) && !this.#progress.isDone(name)) values.add(expected)
      }
    }
    return { values, another }
  }

  /** Takes the next remaining choice, at the deepest fork first. False: there is none. */
  #advance(): boolean {
    const progress = this.#progress
    for (let fork = this.#forks.at(-1); fork !== undefined; fork = this.#forks.at(-1)) {
      progress.undoTo(fork.length)
      const choice = fork.choices[fork.next++]
      if (choice === undefined) this.#forks.pop()
      else if (this.#takes(choice, fork.passages)) return true
    }
    return false
  }

  #takes({ operation, waiting }: Choice, passages: readonly Passage[]): boolean {
    const progress = this.#progress
    const left = progress.tally
    const one = at(this.#history, operation)
    // Nothing may come between a CAS, or an unanswered operation, and the value that it finds.
    if (one.kind === 'write' && waiting === undefined) {
      for (const passage of passages) if (!passage.operations.includes(operation)) this.#goThrough(passage)
    }
    progress.take(operation, step(one, progress.value) as number, waiting)
    return progress.mayStand(left)
  }
}

/** Whether two operations that can take effect now have the same effect. */
function hasEffectOf(one: RegisterOperation, other: RegisterOperation): boolean {
  return one.kind === other.kind && one.value === other.value
}

/**
 * Whether the operation's answer would be another, or impossible, without the unanswered operations right before it;
 * for a refused CAS, whether it needs a single one of them.
 */
function depends({ kind, succeeded, expected }: RegisterOperation, waiting: Waiting): boolean {
  if (waiting === undefined) return true
  if (kind === 'write') return false
  return kind === 'read' || succeeded || expected === waiting
}
