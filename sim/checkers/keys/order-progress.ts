import { lift, type Mark, markList, unlift } from './mark-list.ts'
import { operationAt as at, type RegisterOperation } from './register-operation.ts'
import { ValueTallies, type ValueTally } from './value-tally.ts'

/**
 * The unanswered operation at the end of an order, which needs a dependent operation after it: a number is the
 * register's value before it, and `chain` says that it depends on another unanswered operation itself. Undefined: the
 * order ends with an answered one.
 */
export type Waiting = number | 'chain' | undefined

interface Step {
  readonly operation: number
  /** The register's value before it. */
  readonly value: number
  readonly waiting: Waiting
}

/** The beginning of an order, the register's value after it, and the operations that are still to be ordered. */
export class OrderProgress {
  readonly history: readonly RegisterOperation[]
  readonly tallies: ValueTallies
  /** Number of times that an operation was put into an order, or examined and skipped. */
  steps = 0
  /** Calls and returns of answered operations that are not in the order. */
  readonly #head: Mark
  readonly #marks: (Mark | undefined)[]
  /** The bit of each operation that was never answered. */
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

  /** The first call of an answered operation that is not in the order; undefined: all are. */
  get first(): Mark | undefined {
    return this.#head.next
  }

  get length(): number {
    return this.#path.length
  }

  get order(): readonly number[] {
    return this.#path.map(({ operation }) => operation)
  }

  /** The unanswered operations of the order, as a set of bits. */
  get unanswered(): bigint {
    return this.#unanswered
  }

  isDone(operation: number): boolean {
    return this.tallies.isDone(operation)
  }

  /** `value`: the register's value afterwards. */
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
   * Equal for two beginnings that can be continued in the same ways, apart from the unanswered operations that they
   * have used. Of the answered operations, everything called before `end`, the first return that is not in the order,
   * is in the order, except for those in the name.
   */
  name(end: Mark): string {
    const { wants, openWants, refusals } = this.#tally
    // A value that no remaining operation finds or was refused for is interchangeable with every other such value.
    let name = `${wants === 0 && openWants === 0 && refusals === 0 ? 'any' : this.#value} ${this.#waiting ?? ''} `
    for (let mark = this.first; mark !== undefined && mark !== end; mark = mark.next) name += `${mark.operation},`
    return name
  }

  /**
   * Whether the values allow the last change. `left`: the tally of the value before it.
   *
   * 1. A value that was replaced, that some operation still has to find, and that no operation can write again, is
   *    lost: the change is not allowed.
   * 2. A value that no operation can write again must stay until the last call of those that find it. Whatever returns
   *    before that call also comes before it, and must be possible while the value is there.
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

/** The value after the operation; undefined if its answer is impossible at `value`. */
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
