/** What a pool runs, in the order of its results. */
export interface Turns<Turn> {
  /** How many there are; infinite: as many as there is time for. */
  readonly count: number
  /**
   * The next turn. `later`: which one it is depends on results that are still awaited; undefined: all turns were given.
   */
  next(): Turn | 'later' | undefined
}

/** Turns that one worker makes one after another; `first`: the place of the first one in the order of results. */
export interface Batch<Turn> {
  readonly first: number
  readonly turns: readonly Turn[]
}

/** Batches are that long at most: a failure of the first seed is known before the worker has done many more. */
const usualBatchMax = 8
/** A worker takes a part of what is left, so that the workers end together. */
const partsForEach = 4
/** Results wait for those before them; beyond this many no further seed is begun. */
const waitingMax = 10_000

/** Deals out the turns of a command, and says which results are wanted. */
export class SeedQueue<Turn> {
  readonly #turns: Turns<Turn>
  readonly #jobs: number
  readonly #batchMax: number
  #next = 0
  /** The last place that is wanted. */
  #last: number

  constructor(turns: Turns<Turn>, jobs: number, batchMax = usualBatchMax) {
    this.#turns = turns
    this.#last = turns.count - 1
    this.#jobs = jobs
    this.#batchMax = batchMax
  }

  /** `oldest`: the first place whose result is not there. Undefined: nothing is to be begun now. */
  take(oldest: number): Batch<Turn> | undefined {
    const left = this.#last - this.#next + 1
    if (left <= 0 || this.#next - oldest > waitingMax) return undefined
    const size = Math.min(this.#batchMax, Math.ceil(left / (partsForEach * this.#jobs)))
    const first = this.#next
    const turns: Turn[] = []
    while (turns.length < size) {
      const turn = this.#turns.next()
      if (turn === undefined) {
        this.endAt(first + turns.length - 1)
        break
      }
      if (turn === 'later') break
      turns.push(turn)
    }
    this.#next += turns.length
    return turns.length === 0 ? undefined : { first, turns }
  }

  /** Places behind this one are not wanted any more. */
  endAt(last: number): void {
    this.#last = Math.min(this.#last, last)
  }

  wants(at: number): boolean {
    return at <= this.#last
  }
}
