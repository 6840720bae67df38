import { checker, type Judge } from '../checker.ts'

/** How high answers had come when a request began. */
export interface Floor {
  readonly index: number
  readonly era: number
}

/**
 * W1. The index that answers to one query carry never falls: at one running server whatever the consistency, and across
 * servers for reads that promise the newest value. Only answers to requests begun after another was answered compare.
 */
export class MonotoneIndex {
  /** Goes up when an operator's recovery lets indexes fall. */
  #era = 0
  readonly #highest = new Map<string, number>()
  readonly #judge: Judge<{ W1: never }>

  constructor(judge: Judge<{ W1: never }>) {
    this.#judge = judge
  }

  /** To be kept with the request until its answer. `scope` names the query and whose answers compare. */
  began(scope: string): Floor {
    return { index: this.#highest.get(scope) ?? 0, era: this.#era }
  }

  /** The end of the log was lost: from now on answers compare only with those that come after. */
  forget(): void {
    this.#era++
    this.#highest.clear()
  }

  /** `floor`: what `began` gave. */
  answered(scope: string, floor: Floor, index: number): void {
    if (floor.era !== this.#era) return
    if (index < floor.index) this.#judge.report('W1', `${scope}: index ${index} after ${floor.index}`)
    if (index > (this.#highest.get(scope) ?? 0)) this.#highest.set(scope, index)
  }
}

export const monotoneIndex = checker({
  codes: {
    W1: {
      text: 'monotone index: the index of a query never falls',
      sources: ['docs/reference/http-reads.md#index-of-each-read'],
      judges: ['answer', 'answers'],
    },
  },
  make: (judge) => new MonotoneIndex(judge),
  takes: {
    'entries lost': (it) => it.forget(),
  },
})
