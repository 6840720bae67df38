import { lift, type Mark, markList, unlift } from './mark-list.ts'
import { operationAt as at, type RegisterOperation } from './register-operation.ts'
import { ValueTallies, type ValueTally } from './value-tally.ts'

/**
 * Of the unanswered operation at the end of an order, which waits for one that depends on it: what the register held
 * before; `chain`: it depends on another unanswered one itself. Undefined: the order ends with an answered one.
 */
export type Waiting = number | 'chain' | undefined

interface Step {
  readonly operation: number
  /** What was so before it. */
  readonly value: number
  readonly waiting: Waiting
}

/** The beginning of an order, what it leaves in the register, and what is left to be ordered. */
export class OrderProgress {
  readonly history: readonly RegisterOperation[]
  readonly tallies: ValueTallies
  /** How often an operation was put into an order so far, or looked at and passed over. */
  steps = 0
  /** Calls and returns of what was answered and is not in the order. */
  readonly #head: Mark
  readonly #marks: (Mark | undefined)[]
  /** Of each operation that was never answered its bit. */
  readonly #bits: (bigint | undefined)[]
  readonly #path: Step[] = []
  #value: number
  #tally: ValueTally
  #waiting: Waiting
  #unanswered = 0n

  constructor(history: readonly RegisterOperation[], initial: number) {
    this.history = history
    this.tallies = new ValueTallies(history)
    this.#head = markList(history)
    this.#marks = history.map(() => undefined)
    for (let mark = this.#head.next; mark !== undefined; mark = mark.next) {
      if (mark.isCall) this.#marks[mark.operation] = mark
    }
    let bit = 1n
    this.#bits = history.map((one) => {
      if (one.return !== Number.POSITIVE_INFINITY) return undefined
      bit <<= 1n
      return bit
    })
    this.#value = initial
    this.#tally = this.tallies.of(initial)
  }

  get value(): number {
    return this.#value
  }

  get tally(): ValueTally {
    return this.#tally
  }

  get waiting(): Waiting {
    return this.#waiting
  }

  /** Of answered operations, the first call that has no place in the order; undefined: all have. */
  get first(): Mark | undefined {
    return this.#head.next
  }

  get length(): number {
    return this.#path.length
  }

  get order(): readonly number[] {
    return this.#path.map(({ operation }) => operation)
  }

  /** Those of the order that were never answered, as a set of bits. */
  get unanswered(): bigint {
    return this.#unanswered
  }

  isDone(operation: number): boolean {
    return this.tallies.isDone(operation)
  }

  /** `value`: what the register holds then. */
  take(operation: number, value: number, waiting: Waiting): void {
    this.#path.push({ operation, value: this.#value, waiting: this.#waiting })
    const mark = this.#marks[operation]
    if (mark !== undefined) lift(mark)
    else this.#unanswered |= this.#bits[operation] as bigint
    this.tallies.take(operation)
    this.#set(value)
    this.#waiting = waiting
    this.steps++
  }

  undoTo(length: number): void {
    while (this.#path.length > length) {
      const { operation, value, waiting } = this.#path.pop() as Step
      const mark = this.#marks[operation]
      if (mark !== undefined) unlift(mark)
      else this.#unanswered &= ~(this.#bits[operation] as bigint)
      this.tallies.undo(operation)
      this.#set(value)
      this.#waiting = waiting
    }
  }

  #set(value: number): void {
    if (value === this.#value) return
    this.#value = value
    this.#tally = this.tallies.of(value)
  }

  /**
   * The same for two beginnings that can be continued in the same ways, but for the unanswered operations they have
   * used. Of the answered ones everything called before the first return that has no place, `end`, is done, but for
   * those named here.
   */
  name(end: Mark): string {
    const { wants, openWants, refusals } = this.#tally
    // A value that no operation left finds, and no refusal names, may be any such value.
    let name = `${wants === 0 && openWants === 0 && refusals === 0 ? 'any' : this.#value} ${this.#waiting ?? ''} `
    for (let mark = this.first; mark !== undefined && mark !== end; mark = mark.next) name += `${mark.operation},`
    return name
  }

  /**
   * Whether the last change may stand, as far as values tell. `left`: what was there before.
   *
   * 1. A value that was left, that an operation still has to find and that nothing puts there again, is lost.
   * 2. A value that nothing puts there again has to stay until the last call of those that find it: whatever returns
   *    before that call comes before it, too, and must be able to while the value is there.
   */
  mayStand(left: ValueTally): boolean {
    const now = this.#tally
    if (now !== left && left.wants > 0 && left.puts === 0) return false
    if (now.wants === 0 || now.puts > 0) return true
    const last = this.tallies.lastWanter(now)
    const until = last === undefined ? 0 : at(this.history, last).call
    for (let mark = this.first; mark !== undefined && mark.time < until; mark = mark.next) {
      if (!mark.isCall && step(at(this.history, mark.operation), now.value) !== now.value) return false
    }
    return true
  }
}

/** The value after the operation, or undefined when it cannot have had its answer from `value`. */
export function step(operation: RegisterOperation, value: number): number | undefined {
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
