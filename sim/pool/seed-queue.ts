/** The turns of a pool, in the order of its results. */
export interface Turns<Turn> {
  /** Number of turns; infinite: limited only by time. */
  readonly count: number
  /** The next turn. `later`: it depends on results that are still awaited; undefined: there are no more turns. */
  next(): Turn | 'later' | undefined
}

/** Turns that one worker makes one after another; `first`: position of the first one in the order of results. */
export interface Batch<Turn> {
  readonly first: number
  readonly turns: readonly Turn[]
}

/** Maximum length of a batch: a failure of the first seed is known before the worker has done many more. */
const usualBatchMax = 8
/** A worker takes a part of the remaining turns, so that the workers end together. */
const partsForEach = 4
/** Maximum number of results that wait for earlier ones; beyond it, no further seed begins. */
const waitingMax = 10_000

/** Distributes the turns of a command, and knows which results are needed. */
export class SeedQueue<Turn> {
  readonly #turns: Turns<Turn>
  readonly #jobs: number
  readonly #batchMax: number
  #next = 0
  /** The last needed position. */
  #last: number

  constructor(turns: Turns<Turn>, jobs: number, batchMax = usualBatchMax) {
    this.#turns = turns
    this.#last = turns.count - 1
    this.#jobs = jobs
    this.#batchMax = batchMax
  }

  /** `oldest`: the first position without a result. Undefined: nothing may begin now. */
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

  /** Later positions are not needed any more. */
  endAt(last: number): void {
    this.#last = Math.min(this.#last, last)
  }

  wants(at: number): boolean {
    return at <= this.#last
  }
}
