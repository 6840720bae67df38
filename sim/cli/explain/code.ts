import type { Blamed } from '../../explain/blame.ts'
import { type CodePlace, codePlaces, type RanLines } from '../../explain/code-places.ts'
import { Lane } from '../../pool/lane.ts'
import type { SentPage, Wish } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import type { Fork } from '../../world/decisions/decisions.ts'

/**
 * Maximum numbers of passing runs for the comparison, of other seeds tried for them, and of failing runs with other
 * draws.
 */
const passingMax = 5
const otherSeedsMax = 6
const failingMax = 3
/** How much later than the original a run with other draws may fail, in microseconds. */
const graceUs = 1_000_000
/** Code is shown if it first runs this short a time before the failure, in microseconds. */
const lateUs = 100_000

export interface CodeQuestion {
  /** Starts a program whose modules are separate files. */
  readonly startWorker: () => Worker
  readonly page: SentPage
  readonly seed: number
  readonly failsAtUs: number
  readonly blamed: readonly Blamed[]
  /** Whether a run has failed in the same way by then. */
  readonly hasFailed: (ended: NonNullable<Awaited<ReturnType<Lane['probe']>>>) => boolean
  readonly searchStepsMax?: number | undefined
}

/** The findings, and the number of runs of each kind. */
export interface CodeReport {
  readonly places: readonly CodePlace[]
  readonly failing: number
  readonly passing: number
  readonly runs: number
}

/** Runs the seed, variants of it that pass, and other seeds, and compares which of the agent's code ran. */
export async function codeIn(question: CodeQuestion): Promise<CodeReport> {
  const { startWorker, page, seed, failsAtUs, blamed, hasFailed, searchStepsMax } = question
  const lane = new Lane({ startWorker, pages: [], verify: false, confirm: false, searchStepsMax })
  let runs = 0
  const probe = async (
    of: { readonly seed: number; readonly forks?: readonly Fork[] },
    wish: Wish,
  ): Promise<{ readonly failed: boolean; readonly ran: RanLines }> => {
    runs++
    const ended = await lane.probe({ page, ...of }, { ...wish, code: true })
    return { failed: ended !== undefined && hasFailed(ended), ran: ended?.code ?? {} }
  }
  const ends = { atUs: failsAtUs }
  try {
    // Only a process that watches from its first run on sees every block.
    const whole = await probe({ seed }, {})
    const early = await probe({ seed }, { ends: { atUs: Math.max(0, failsAtUs - lateUs) } })
    const failing = [whole.ran]
    const passing: RanLines[] = []
    const sort = ({ failed, ran }: Awaited<ReturnType<typeof probe>>): void => {
      if (!failed && passing.length < passingMax) passing.push(ran)
      else if (failed && failing.length < failingMax) failing.push(ran)
    }
    for (const { suspect } of blamed.filter(({ judgement }) => judgement === 'needs').slice(0, 2)) {
      const forks = [{ atMs: Math.floor(suspect.atUs / 1000) + 1, seed: 1, of: 'world' as const }]
      sort(await probe({ seed, forks }, { ends, without: suspect.without }))
      for (const chance of [1, 2]) {
        const other = [{ atMs: Math.floor(suspect.atUs / 1000) + 1, seed: chance, of: 'world' as const }]
        const again = await probe({ seed, forks: other }, { ends: { atUs: failsAtUs + graceUs } })
        // A run that takes longer has not passed.
        if (again.failed) sort(again)
      }
    }
    for (let other = 1; other <= otherSeedsMax && passing.length < passingMax; other++) {
      sort(await probe({ seed: seed + other }, { ends }))
    }
    const places = codePlaces({ failing, passing, early: early.ran })
    return { places, failing: failing.length, passing: passing.length, runs }
  } finally {
    lane.close()
  }
}
