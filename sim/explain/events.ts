import type { TraceRecord } from '../report/trace-record.ts'

/** Maximum number of kept events of one run: of a longer one, the earliest are forgotten. */
const keptMax = 600_000

/** The events of one run, with their causes. */
export class Events {
  readonly #all: TraceRecord[] = []
  readonly #keptMax: number
  /** Number of the first kept event. */
  #first = 1

  /** `most`: maximum number of kept events. */
  constructor(most = keptMax) {
    this.#keptMax = most
  }

  /** In the order of their numbers, which are consecutive. */
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

  /** All kept events, in their order. */
  get all(): readonly TraceRecord[] {
    return this.#all
  }

  at(n: number): TraceRecord | undefined {
    return this.#all[n - this.#first]
  }

  causesOf({ causes }: TraceRecord): readonly TraceRecord[] {
    return causes.flatMap((n) => this.at(n) ?? [])
  }

  /** By number, the minimum number of arrows from each event to this one. */
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
