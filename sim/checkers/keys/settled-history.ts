import { operationAt as at, type RegisterOperation } from './register-operation.ts'

/**
 * Narrows the intervals of a history by what its values tell, without a verdict lost. Of a value that one operation
 * alone puts there, and that is not the initial one:
 *
 * 1. an operation that found it took effect after that one: its call counts as no earlier than the call of that one;
 * 2. that operation took effect before the first answer that found the value, so it returned by then, at the latest.
 *    One that was never answered counts as answered from here on: it is certain that it took effect.
 *
 * A value that was found and never put there, or found before the call of what puts it there, has no order: undefined.
 * Touching intervals count as concurrent, so equal times leave both orders open.
 */
export function settledHistory(
  history: readonly RegisterOperation[],
  initial: number,
): readonly RegisterOperation[] | undefined {
  return new Narrowing(history, initial).result()
}

/** What must be there for an operation to have had its answer: of a read what it found, of a CAS what it compared. */
export function foundBy({ kind, value, expected, succeeded }: RegisterOperation): number | undefined {
  if (kind === 'read') return value
  return kind === 'cas' && succeeded ? expected : undefined
}

/** What an operation puts there, if it takes effect. */
export function putBy({ kind, value, succeeded }: RegisterOperation): number | undefined {
  return kind === 'write' || (kind === 'cas' && succeeded) ? value : undefined
}

/** Visits to values for each operation: what would narrow further after that stays as it is, which loses nothing. */
const visitsForOperation = 20

class Narrowing {
  readonly #history: readonly RegisterOperation[]
  readonly #initial: number
  readonly #call: number[]
  readonly #end: number[]
  readonly #puts = new Map<number, number[]>()
  /** By value the operations that certainly found it. */
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
    // The queue grows while it is gone through.
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

  /** False: what found the value cannot have found it. */
  #narrow(value: number): boolean {
    const puts = this.#puts.get(value)
    if (puts === undefined) return false
    const [put] = puts
    if (put === undefined || puts.length > 1) return true
    const finds = listed(this.#finds, value)
    // A CAS from a value to itself, which nothing else puts there.
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
