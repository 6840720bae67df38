import type { Mark } from './mark-list.ts'
import type { OrderProgress } from './order-progress.ts'
import { operationAt as at, type RegisterOperation } from './register-operation.ts'
import { foundBy, putBy } from './settled-history.ts'
import type { ValueTally } from './value-tally.ts'

/** Operations that can take effect in this order, and leave a value that no later operation finds. */
export interface Passage {
  readonly operations: readonly number[]
  /** The tally of the value that they leave. */
  readonly after: ValueTally
}

const none: readonly Passage[] = []

/**
 * A passage is a write together with everything that finds its value, all of it called already. The next write hides
 * that the value was ever there. So right before a write, all passages may be taken at once: no answer shows whether
 * they were, except for a refused CAS (see below). A passage may continue over a CAS that finds its value.
 *
 * Why no order is lost when the passage P comes first, although some order O has it later: take P out of O and put it
 * in front.
 *
 * 1. All operations that find values of P are in P, or in the order already. So the rest of O finds the same values as
 *    before, except for refused CAS, which may now meet the value that stood before P in O.
 * 2. Such a CAS c, which expects the value e, needs in O: the operation that writes e, then P, then c, with no other
 *    change between. `hides` tells whether the times allow that, and then the passage is only one of the choices.
 * 3. A CAS of unknown outcome may have used a value of P in O. If its result is needed, P is not a passage. If not, the
 *    CAS is dropped along with P, and 2 applies to it, too.
 */
export class PassingValues {
  readonly #history: readonly RegisterOperation[]
  readonly #progress: OrderProgress
  /** Refused CAS operations, in order of calls. */
  #refused: readonly Refusal[] | undefined

  constructor(progress: OrderProgress) {
    this.#history = progress.history
    this.#progress = progress
  }

  /** All passages before this return, while no unanswered operation waits. */
  before(end: Mark): readonly Passage[] {
    let passages: Passage[] | undefined
    for (let mark = this.#progress.first; mark !== undefined && mark !== end; mark = mark.next) {
      if (at(this.#history, mark.operation).kind !== 'write') continue
      const passage = this.#from(mark.operation, end.time)
      if (passage === undefined) continue
      passages ??= []
      passages.push(passage)
    }
    return passages ?? none
  }

  #from(write: number, untilCall: number): Passage | undefined {
    const operations = [write]
    let last = write
    for (;;) {
      const tally = this.#progress.tallies.ofPut(last) as ValueTally
      const next = this.#extend(operations, tally, untilCall)
      if (next === 'stop') return undefined
      if (next === undefined) return this.#hides(last, operations) ? undefined : { operations, after: tally }
      last = next
    }
  }

  /**
   * Adds the operations that find this value. Returns the CAS among them, if there is one, or `stop` if this is not a
   * passage.
   */
  #extend(operations: number[], tally: ValueTally, untilCall: number): number | 'stop' | undefined {
    if (tally.openWants > 0) return 'stop'
    let cas: number | undefined
    let left = tally.wants
    // The latest call comes first, so that a value that is also found later is rejected at once.
    for (let place = 0; left > 0; place++) {
      const operation = tally.wanters[place] as number
      if (this.#progress.isDone(operation)) continue
      left--
      const one = at(this.#history, operation)
      if (one.call > untilCall) return 'stop'
      if (one.kind === 'read') operations.push(operation)
      // The second of two CAS cannot have found the value if only one operation writes it.
      else if (cas !== undefined || tally.puts > 1 || one.value === one.expected) return 'stop'
      else cas = operation
    }
    if (cas !== undefined) operations.push(cas)
    return cas
  }

  /**
   * Whether a refused CAS may need the last change of a passage to hide the value that it expects, which a later
   * operation writes.
   */
  #hides(change: number, passage: readonly number[]): boolean {
    this.#refused ??= refusalsOf(this.#history)
    const { call, return: end } = at(this.#history, change)
    for (let place = lastFrom(this.#refused, end); place >= 0; place--) {
      const refusal = this.#refused[place] as Refusal
      if (refusal.latestEnd < call) return false
      const { operation, expected, end: refusedBy } = refusal
      if (refusedBy < call || this.#progress.isDone(operation)) continue
      if (this.#mayBePutBy(expected, end, passage)) return true
    }
    return false
  }

  #mayBePutBy(value: number, time: number, passage: readonly number[]): boolean {
    const tally = this.#progress.tallies.of(value)
    if (tally.puts === 0) return false
    for (const operation of tally.putters) {
      if (at(this.#history, operation).call > time) return false
      if (!this.#progress.isDone(operation) && !passage.includes(operation)) return true
    }
    return false
  }
}

interface Refusal {
  readonly operation: number
  readonly expected: number
  readonly end: number
  /** The latest call of a change that was answered before this CAS was called. */
  readonly changedFrom: number
  /** The latest answer of this refused CAS and of those called before it. */
  readonly latestEnd: number
}

/**
 * Position of the last refused CAS that needs no other change before it, if a change took effect as late as `time`; -1:
 * none.
 */
function lastFrom(refused: readonly Refusal[], time: number): number {
  let [from, to] = [0, refused.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((refused[middle] as Refusal).changedFrom <= time) from = middle + 1
    else to = middle
  }
  return from - 1
}

function refusalsOf(history: readonly RegisterOperation[]): readonly Refusal[] {
  const refused = [...history.keys()].filter((one) => {
    const { kind, succeeded } = at(history, one)
    return kind === 'cas' && !succeeded
  })
  refused.sort((a, b) => at(history, a).call - at(history, b).call || a - b)
  if (refused.length === 0) return []
  const changes = [...history.keys()]
    .map((one) => at(history, one))
    .filter((one) => putBy(one) !== undefined && one.return !== Number.POSITIVE_INFINITY && putBy(one) !== foundBy(one))
    .sort((a, b) => a.return - b.return)
  let [changed, changedFrom, latestEnd] = [0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return refused.map((operation) => {
    const { call, return: end, expected } = at(history, operation)
    for (; changed < changes.length && (changes[changed] as RegisterOperation).return < call; changed++) {
      changedFrom = Math.max(changedFrom, (changes[changed] as RegisterOperation).call)
    }
    latestEnd = Math.max(latestEnd, end)
    return { operation, expected, end, changedFrom, latestEnd }
  })
}
