import { operationAt as at, type RegisterOperation } from './register-operation.ts'
import { foundBy, putBy } from './settled-history.ts'

const never = Number.POSITIVE_INFINITY

/** How the operations that are not in the order yet use one value. */
export interface ValueTally {
  readonly value: number
  /** Number of answered operations that found it. */
  wants: number
  /** Number of CAS of unknown outcome from it to a value that another operation may need. */
  openWants: number
  /** Number of operations that may write it. */
  puts: number
  /** Number of CAS that were refused, so that the register did not have it. */
  refusals: number
  /** All operations that ever count in `wants`, the latest call first. */
  readonly wanters: number[]
  /** All operations that ever count in `puts`, in order of calls. */
  readonly putters: number[]
}

/** How the operations that are not in the order yet use each value. */
export class ValueTallies {
  readonly #byValue = new Map<number, ValueTally>()
  /** By operation, the value that counts it in `wants`, if one does. */
  readonly #wanted: (ValueTally | undefined)[]
  readonly #openWanted: (ValueTally | undefined)[]
  readonly #put: (ValueTally | undefined)[]
  readonly #refused: (ValueTally | undefined)[]
  readonly #done: boolean[]

  constructor(history: readonly RegisterOperation[]) {
    const none = history.map(() => undefined)
    this.#wanted = none
    this.#openWanted = none.slice()
    this.#put = none.slice()
    this.#refused = none.slice()
    this.#done = history.map(() => false)
    const needed = neededValues(history)
    for (const [operation, one] of history.entries()) this.#add(operation, one, needed)
    const callOf = (operation: number): number => at(history, operation).call
    for (const { wanters, putters } of this.#byValue.values()) {
      if (wanters.length > 1) wanters.sort((a, b) => callOf(b) - callOf(a) || a - b)
      if (putters.length > 1) putters.sort((a, b) => callOf(a) - callOf(b) || a - b)
    }
  }

  of(value: number): ValueTally {
    let tally = this.#byValue.get(value)
    if (tally === undefined) {
      tally = { value, wants: 0, openWants: 0, puts: 0, refusals: 0, wanters: [], putters: [] }
      this.#byValue.set(value, tally)
    }
    return tally
  }

  /** The tally of the value that the operation writes if it takes effect. */
  ofPut(operation: number): ValueTally | undefined {
    return this.#put[operation]
  }

  isDone(operation: number): boolean {
    return this.#done[operation] as boolean
  }

  take(operation: number): void {
    this.#done[operation] = true
    this.#count(operation, -1)
  }

  undo(operation: number): void {
    this.#done[operation] = false
    this.#count(operation, 1)
  }

  /**
   * The latest call of an answered operation that found this value and is not in the order; undefined: there is none.
   */
  lastWanter({ wants, wanters }: ValueTally): number | undefined {
    return wants === 0 ? undefined : wanters.find((operation) => !this.isDone(operation))
  }

  #add(operation: number, one: RegisterOperation, needed: ReadonlySet<number>): void {
    const [found, put] = [foundBy(one), putBy(one)]
    if (found !== undefined && one.return !== never) {
      const tally = this.of(found)
      tally.wanters.push(operation)
      tally.wants++
      this.#wanted[operation] = tally
    } else if (found !== undefined && one.kind === 'cas' && needed.has(one.value)) {
      const tally = this.of(found)
      tally.openWants++
      this.#openWanted[operation] = tally
    }
    if (put !== undefined) {
      const tally = this.of(put)
      tally.putters.push(operation)
      tally.puts++
      this.#put[operation] = tally
    }
    if (one.kind === 'cas' && !one.succeeded) {
      const tally = this.of(one.expected)
      tally.refusals++
      this.#refused[operation] = tally
    }
  }

  #count(operation: number, by: 1 | -1): void {
    const wanted = this.#wanted[operation]
    if (wanted !== undefined) wanted.wants += by
    const openWanted = this.#openWanted[operation]
    if (openWanted !== undefined) openWanted.openWants += by
    const put = this.#put[operation]
    if (put !== undefined) put.puts += by
    const refused = this.#refused[operation]
    if (refused !== undefined) refused.refusals += by
  }
}

/** Values that were certainly found, and values needed by a CAS of unknown outcome that writes one of these. */
function neededValues(history: readonly RegisterOperation[]): ReadonlySet<number> {
  const needed = new Set<number>()
  const open: RegisterOperation[] = []
  for (const one of history) {
    const found = foundBy(one)
    if (found === undefined) continue
    if (one.return !== never) needed.add(found)
    else if (one.kind === 'cas') open.push(one)
  }
  for (let before = -1; before < needed.size; ) {
    before = needed.size
    for (const { value, expected } of open) if (needed.has(value)) needed.add(expected)
  }
  return needed
}
