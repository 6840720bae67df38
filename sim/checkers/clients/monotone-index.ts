import { checker, eventIn, type Judge } from '../checker.ts'
import type { Floor } from './read-facts.ts'

type Excuse = 'stale default reads' | 'restarted meanwhile' | 'state of before' | 'majority lost'

/**
 * W1. The index in answers to one query never falls: at one running server for every consistency, and across servers
 * for reads that promise the newest value. An answer is compared only with answers that were received before its
 * request began.
 */
export class MonotoneIndex {
  /** Incremented when an operator's recovery lets indexes fall. */
  #era = 0
  readonly #highest = new Map<string, number>()
  /** The event of the highest answer of each scope; empty if no trace is recorded. */
  readonly #highestIn = new Map<string, number>()
  readonly #judge: Judge<{ W1: Excuse }>

  constructor(judge: Judge<{ W1: Excuse }>) {
    this.#judge = judge
  }

  /**
   * The result is kept with the request until its answer. `scope`: the query, and which servers' answers are compared.
   */
  began(scope: string): Floor {
    return { index: this.#highest.get(scope) ?? 0, era: this.#era, event: this.#highestIn.get(scope) ?? 0 }
  }

  /** The end of the log was lost: from now on, answers are compared only with later ones. */
  forget(): void {
    this.#era++
    this.#highest.clear()
  }

  /** An answer is not compared. */
  let(excuse: Excuse): void {
    this.#judge.excused('W1', excuse)
  }

  /** `floor`: what `began` returned. `isOfBefore`: the answer is of a state from before the start of its server. */
  answered(scope: string, floor: Floor, index: number, isOfBefore = false): void {
    if (floor.era !== this.#era) return this.let('majority lost')
    if (index < floor.index && isOfBefore) return this.let('state of before')
    if (floor.index > 0) this.#judge.judged('W1')
    if (index < floor.index) this.#judge.report('W1', `${scope}: index ${index} after ${floor.index}`, [floor.event])
    if (index <= (this.#highest.get(scope) ?? 0)) return
    this.#highest.set(scope, index)
    const event = eventIn(this.#judge)
    if (event > 0) this.#highestIn.set(scope, event)
  }
}

export const monotoneIndex = checker({
  codes: {
    W1: {
      text: 'monotone index: the index of a query never falls',
      sources: ['docs/reference/http-reads.md#index-of-each-read'],
      evidence: ['requests', 'forwards', 'commands', 'elections', 'restores'],
      judges: ['index compared', 'indexes compared'],
      excuses: {
        'stale default reads':
          'Where a scenario allows stale reads of default consistency, their indexes promise nothing; as long as it does.',
        'restarted meanwhile': 'A stale read of a server whose process ended meanwhile; that answer alone.',
        'state of before':
          'A server that started, has not caught up and has lost its leader again shows the state of before; that answer alone.',
        'majority lost':
          'An answer to a request begun before a recovery that lost entries; requests begun after it compare.',
      },
    },
  },
  make: (judge) => new MonotoneIndex(judge),
  takes: {
    'entries lost': (it) => it.forget(),
  },
})
