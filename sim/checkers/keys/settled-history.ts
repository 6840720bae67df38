import { operationAt as at, type RegisterOperation } from './register-operation.ts'

/**
 * Narrows the intervals of a history by its values, without changing the verdict. For a value that only one operation w
 * writes, and that is not the initial one:
 *
 * 1. An operation that found it took effect after w: its call counts as no earlier than the call of w.
 * 2. w took effect before the first answer that found the value, so it returned by then at the latest. If w was never
 *    answered, it counts as answered from here on, because it certainly took effect.
 *
 * A history with a value that was found and never written, or found before the call of its write, has no order: the
 * result is undefined. Touching intervals count as concurrent, so equal times leave both orders open.
 */
export function settledHistory(
  history: readonly RegisterOperation[],
  initial: number,
): readonly RegisterOperation[] | undefined {
  return new Narrowing(history, initial).result()
}

/**
 * The value that explains an operation's answer: for a read the one that it found, for a CAS the one that it compared.
 */
export function foundBy({ kind, value, expected, succeeded }: RegisterOperation): number | undefined {
  if (kind === 'read') return value
  return kind === 'cas' && succeeded ? expected : undefined
}

/** The value that an operation writes if it takes effect. */
export function putBy({ kind, value, succeeded }: RegisterOperation): number | undefined {
  return kind === 'write' || (kind === 'cas' && succeeded) ? value : undefined
}

/**
 * Maximum number of visits to values per operation. What could be narrowed further after that stays as it is, which is
 * safe.
 */
const visitsForOperation = 20

class Narrowing {
  readonly #history: readonly RegisterOperation[]
  readonly #initial: number
  readonly #call: number[]
  readonly #end: number[]
  readonly #puts = new Map<number, number[]>()
  /** The operations that certainly found each value. */
  readonly #finds = new Map<number, number[]>()
  readonly #queue: number[] = []
  readonly #queued = new Set<number>()

  constructor(history: readonly RegisterOperation[], initial: number) {
    this.#history = history
    this.#initial = initial
    this.#call = history.map((one) => one.call)
    this.#end = history.map((one) => one.return)
    for (const [operation, one] of history.entries()) {
      const put = putBy(one)
      const found = one.return === Number.POSITIVE_INFINITY ? undefined : foundBy(one)
      if (put !== undefined) listed(this.#puts, put).push(operation)
      if (found !== undefined) listed(this.#finds, found).push(operation)
    }
    for (const value of this.#finds.keys()) this.#enqueue(value)
  }

  result(): readonly RegisterOperation[] | undefined {
    const visitsMax = this.#history.length * visitsForOperation
    // The queue grows during the loop.
    for (let visit = 0; visit < this.#queue.length && visit < visitsMax; visit++) {
      const value = this.#queue[visit] as number
      this.#queued.delete(value)
      if (value !== this.#initial && !this.#narrow(value)) return undefined
    }
    return this.#history.map((one, operation) => {
      const [call, end] = [this.#call[operation] as number, this.#end[operation] as number]
      return call === one.call && end === one.return ? one : { ...one, call, return: end }
    })
  }

  /** False: the operations that found the value cannot have found it. */
  #narrow(value: number): boolean {
    const puts = this.#puts.get(value)
    if (puts === undefined) return false
    const [put] = puts
    if (put === undefined || puts.length > 1) return true
    const finds = listed(this.#finds, value)
    // A CAS from a value to itself, which no other operation writes.
    if (finds.includes(put)) return false
    let firstEnd = Number.POSITIVE_INFINITY
    for (const find of finds) {
      firstEnd = Math.min(firstEnd, this.#end[find] as number)
      if (!this.#calledFrom(find, this.#call[put] as number)) return false
    }
    return this.#endedBy(put, firstEnd)
  }

  #calledFrom(operation: number, call: number): boolean {
    if ((this.#call[operation] as number) >= call) return true
    this.#call[operation] = call
    const put = putBy(at(this.#history, operation))
    if (put !== undefined) this.#enqueue(put)
    return call <= (this.#end[operation] as number)
  }

  #endedBy(operation: number, end: number): boolean {
    const before = this.#end[operation] as number
    if (before <= end) return true
    this.#end[operation] = end
    const found = foundBy(at(this.#history, operation))
    if (found !== undefined) {
      if (before === Number.POSITIVE_INFINITY) listed(this.#finds, found).push(operation)
      this.#enqueue(found)
    }
    return (this.#call[operation] as number) <= end
  }

  #enqueue(value: number): void {
    if (this.#queued.has(value)) return
    this.#queued.add(value)
    this.#queue.push(value)
  }
}

function listed(lists: Map<number, number[]>, value: number): number[] {
  let list = lists.get(value)
  if (list === undefined) {
    list = []
    lists.set(value, list)
  }
  return list
}
