import { operationAt as at, type RegisterOperation } from './register-operation.ts'

/**
 * The set of operations done: of those that were answered, how many from the earliest on are all done, and which beyond
 * (few: as many as were concurrent); of those never answered, which, as a set of bits.
 */
export class DoneSet {
  /** Place of each operation among the answered ones by time of call; -1: never answered. */
  readonly #place: number[]
  /** Of those never answered, the bit of each. */
  readonly #bit: readonly bigint[]
  #unanswered = 0n
  #all = 0
  #beyond: number[] = []

  constructor(history: readonly RegisterOperation[]) {
    const answered = [...history.keys()].filter((one) => at(history, one).return !== Number.POSITIVE_INFINITY)
    answered.sort((a, b) => at(history, a).call - at(history, b).call || a - b)
    this.#place = history.map(() => -1)
    for (const [place, operation] of answered.entries()) this.#place[operation] = place
    let bits = 0n
    this.#bit = this.#place.map((place) => (place < 0 ? 1n << bits++ : 0n))
  }

  get unanswered(): bigint {
    return this.#unanswered
  }

  hasUnanswered(operation: number): boolean {
    return (this.#unanswered & (this.#bit[operation] as bigint)) !== 0n
  }

  add(operation: number): void {
    const place = this.#place[operation] as number
    if (place < 0) {
      this.#unanswered |= this.#bit[operation] as bigint
      return
    }
    if (place !== this.#all) {
      insert(this.#beyond, place)
      return
    }
    this.#all++
    let taken = 0
    while (this.#beyond[taken] === this.#all) {
      taken++
      this.#all++
    }
    if (taken > 0) this.#beyond.splice(0, taken)
  }

  remove(operation: number): void {
    const place = this.#place[operation] as number
    if (place < 0) {
      this.#unanswered &= ~(this.#bit[operation] as bigint)
      return
    }
    if (place >= this.#all) {
      this.#beyond.splice(this.#beyond.indexOf(place), 1)
      return
    }
    const between: number[] = []
    for (let one = place + 1; one < this.#all; one++) between.push(one)
    this.#beyond = [...between, ...this.#beyond]
    this.#all = place
  }

  answeredKey(): string {
    return `${this.#all}:${this.#beyond.join()}`
  }
}

function insert(sorted: number[], item: number): void {
  let place = sorted.length
  while (place > 0 && (sorted[place - 1] as number) > item) place--
  sorted.splice(place, 0, item)
}

/** From where the search has gone on: under each name the least sets of unanswered operations that were used. */
export class Seen {
  readonly #sets = new Map<string, bigint[]>()

  /** False where it went on from there already, having used no other ones than these. */
  add(name: string, used: bigint): boolean {
    const sets = this.#sets.get(name)
    if (sets === undefined) {
      this.#sets.set(name, [used])
      return true
    }
    if (sets.some((one) => (one & used) === one)) return false
    const kept = sets.filter((one) => (one & used) !== used)
    kept.push(used)
    this.#sets.set(name, kept)
    return true
  }
}
