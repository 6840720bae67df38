import { checker, eventIn, type Judge } from '../checker.ts'
import type { Floor } from './read-facts.ts'

type Excuse = 'stale default reads' | 'restarted meanwhile' | 'catching up' | 'majority lost'

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

  /** `floor`: what `began` returned. `mayBeOld`: its server may show a state from before its start. */
  answered(scope: string, floor: Floor, index: number, mayBeOld = false): void {
    if (floor.era !== this.#era) return this.let('majority lost')
    if (index < floor.index && mayBeOld) return this.let('catching up')
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
        'catching up':
          'A stale read of a server that has not caught up since its start and has lost its leader shows the state from before the start; that answer alone.',
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
