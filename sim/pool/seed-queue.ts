/** Seeds from `first` to `last`, by their place in the order of results: file by file, in each from the first seed on. */
export interface Batch {
  readonly first: number
  readonly last: number
}

/** Batches are that long at most: a failure of the first seed is known before the worker has done many more. */
const batchMax = 8
/** A worker takes a part of what is left, so that the workers end together. */
const partsForEach = 4
/** Results wait for those before them; beyond this many no further seed is begun. */
const waitingMax = 10_000

/** Deals out the seeds of a command, and says which results are wanted. */
export class SeedQueue {
  readonly #jobs: number
  #next = 0
  /** The last seed that is wanted. */
  #last: number

  constructor(total: number, jobs: number) {
    this.#last = total - 1
    this.#jobs = jobs
  }

  /** `oldest`: the first seed whose result is not there. Undefined: nothing is to be begun now. */
  take(oldest: number): Batch | undefined {
    const left = this.#last - this.#next + 1
    if (left <= 0 || this.#next - oldest > waitingMax) return undefined
    const size = Math.min(batchMax, Math.ceil(left / (partsForEach * this.#jobs)))
    const first = this.#next
    this.#next += size
    return { first, last: this.#next - 1 }
  }

  /** Seeds behind this one are not wanted any more. */
  endAt(last: number): void {
    this.#last = Math.min(this.#last, last)
  }

  wants(at: number): boolean {
    return at <= this.#last
  }
}
