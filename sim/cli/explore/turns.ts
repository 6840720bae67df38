import { Guide } from '../../campaign/guide.ts'
import type { Ledger } from '../../campaign/ledger.ts'
import type { Manifest } from '../../campaign/manifest.ts'
import { countOfShare, seedOfShare } from '../../campaign/share.ts'
import type { Turns } from '../../pool/seed-queue.ts'
import type { SentPage, SentTurn } from '../../pool/warm-worker.ts'
import type { SeedRecord } from '../../report/seed-record.ts'

/** Minimum number of plain runs in one round of a guided campaign: workers wait for one another between rounds. */
const roundRuns = 64

interface TurnsOptions {
  readonly pages: readonly SentPage[]
  readonly manifest: Manifest
  readonly ledger: Ledger
  /** Number of plain runs that remain. */
  readonly count: number
  /** The time is over: no further run begins. */
  readonly isOver: () => boolean
}

/**
 * Seed by seed, each over all scenarios, so that all of them get the same share of the time; runs in the file are
 * skipped.
 */
function* plainTurns({ pages, manifest: { seeds, shard }, ledger }: TurnsOptions): Generator<SentTurn, void, void> {
  const places = countOfShare(seeds, shard)
  for (let place = 0; place < places; place++) {
    const seed = seedOfShare(seeds, shard, place)
    for (const page of pages) if (!ledger.hasRun(page.hash, seed)) yield { page, seed }
  }
}

export function turnsOf(options: TurnsOptions): Turns<SentTurn> {
  const turns = plainTurns(options)
  return { count: options.count, next: () => (options.isOver() ? undefined : (turns.next().value ?? undefined)) }
}

/**
 * Plain turns in rounds, each followed by at most as many guided ones, which its results chose. A guided run is chosen
 * once all results before it are there, in their order, so that the choice does not depend on which worker was fast.
 */
export class GuidedTurns implements Turns<SentTurn> {
  /** The number of guided runs is not known in advance. */
  readonly count: number = Number.POSITIVE_INFINITY
  readonly #options: TurnsOptions
  readonly #guide = new Guide()
  readonly #turns: Generator<SentTurn | 'later', void, void>
  /** Number of turns handed out whose records have not come. */
  #open = 0

  constructor(options: TurnsOptions) {
    this.#options = options
    this.#turns = this.#rounds()
  }

  next(): SentTurn | 'later' | undefined {
    if (this.#options.isOver()) return undefined
    const turn = this.#turns.next().value ?? undefined
    if (turn !== undefined && turn !== 'later') this.#open++
    return turn
  }

  /** Takes the record of a turn, in the order in which turns were handed out. */
  took(record: SeedRecord): void {
    this.#open--
    this.#guide.saw(record)
  }

  *#rounds(): Generator<SentTurn | 'later', void, void> {
    const { pages } = this.#options
    const plain = plainTurns(this.#options)
    const round = Math.ceil(roundRuns / pages.length) * pages.length
    for (;;) {
      let given = 0
      for (; given < round; given++) {
        const turn = plain.next().value ?? undefined
        if (turn === undefined) break
        yield turn
      }
      if (given === 0) return
      while (this.#open > 0) yield 'later'
      for (const page of pages) {
        const guided = this.#guide.next(page.hash, Math.ceil(given / pages.length))
        for (const { seed, forks } of guided) yield { page, seed, forks }
      }
      while (this.#open > 0) yield 'later'
    }
  }
}
