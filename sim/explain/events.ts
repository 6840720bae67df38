import type { TraceRecord } from '../report/trace-record.ts'

/** Events that are kept of one run: of a longer one the earliest are forgotten. */
const keptMax = 600_000

/** The events of one run, with what led to each. */
export class Events {
  readonly #all: TraceRecord[] = []
  readonly #keptMax: number
  /** Number of the first one that is kept. */
  #first = 1

  /** `most`: how many are kept, at most. */
  constructor(most = keptMax) {
    this.#keptMax = most
  }

  /** In the order of their numbers, which rise by one. */
  add(event: TraceRecord): void {
    if (this.#all.length >= this.#keptMax) {
      const half = Math.ceil(this.#keptMax / 2)
      this.#all.splice(0, half)
      this.#first += half
    }
    if (this.#all.length === 0) this.#first = event.n
    this.#all.push(event)
  }

  get count(): number {
    return this.#first + this.#all.length - 1
  }

  /** All that are kept, in their order. */
  get all(): readonly TraceRecord[] {
    return this.#all
  }

  at(n: number): TraceRecord | undefined {
    return this.#all[n - this.#first]
  }

  causesOf({ causes }: TraceRecord): readonly TraceRecord[] {
    return causes.flatMap((n) => this.at(n) ?? [])
  }

  /** By number: how many arrows lead from each event to this one, at least. */
  ancestors(of: TraceRecord): ReadonlyMap<number, number> {
    const steps = new Map([[of.n, 0]])
    let edge: readonly TraceRecord[] = [of]
    for (let step = 1; edge.length > 0; step++) {
      const next: TraceRecord[] = []
      for (const event of edge) {
        for (const cause of this.causesOf(event)) {
          if (steps.has(cause.n)) continue
          steps.set(cause.n, step)
          next.push(cause)
        }
      }
      edge = next
    }
    return steps
  }
}
