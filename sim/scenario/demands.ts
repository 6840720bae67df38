import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { Judged } from '../checkers/judged-tally.ts'
import type { UndecidedKey } from '../checkers/keys/linearizable-keys.ts'
import { type Mark, marks } from '../checkers/marks.ts'
import type { Demands, MarkDemand } from './language/demands.ts'
import type { LoadedScenario } from './language/load.ts'

/** What was demanded, and not met. */
export interface MissedDemand {
  /** Of its key in the scenario. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What one run came to. */
interface RunCame {
  readonly judged: Judged
  readonly marks: readonly Mark[]
  readonly undecided: readonly UndecidedKey[]
}

/** In how many seeds of a campaign each mark was reached. */
export class MarkTally {
  readonly #reached = new Map<string, number>()
  #seeds = 0

  /** What one seed has reached; each seed is added once. */
  add(marks: readonly string[]): void {
    this.#seeds++
    for (const mark of new Set(marks)) this.#reached.set(mark, this.reached(mark) + 1)
  }

  /** What other seeds have reached. */
  addAll(other: MarkTally): void {
    this.#seeds += other.#seeds
    for (const [mark, count] of other.#reached) this.#reached.set(mark, this.reached(mark) + count)
  }

  get seeds(): number {
    return this.#seeds
  }

  /** Number of seeds that have reached it. */
  reached(mark: string): number {
    return this.#reached.get(mark) ?? 0
  }
}

/** How many seeds of a campaign have reached a mark. */
export interface ReachedMark {
  readonly mark: Mark
  readonly seeds: number
}

/**
 * What every run must come to, and this one has not. Operations on keys that K1 could not decide count: a run is
 * undecided for them, and has not failed.
 */
export function missedInRun(
  demands: Demands | undefined,
  { judged, marks: reached, undecided }: RunCame,
): readonly MissedDemand[] {
  const missed: MissedDemand[] = []
  const left = undecided.reduce((sum, { operations }) => sum + operations, 0)
  for (const [code, least] of Object.entries(demands?.judged ?? {}) as [InvariantCode, number | undefined][]) {
    const { facts } = judged[code]
    if (least === undefined || facts + (code === 'K1' ? left : 0) >= least) continue
    const [, units] = invariants[code].judges
    const message = `demands that ${code} judges at least ${least} in each run: it judged ${facts} (${units})`
    missed.push({ path: ['demands', 'judged', code], message })
  }
  for (const [mark, demand] of markDemands(demands)) {
    if (demand.kind !== 'every run' || reached.includes(mark)) continue
    missed.push({ path: pathOf(mark), message: `demands '${mark}' in every run: it was not reached (${marks[mark]})` })
  }
  return missed
}

/**
 * What a campaign must come to, and these seeds have not. A mark that so many of N seeds must reach is judged where at
 * least N ran.
 */
export function missedInCampaign(demands: Demands | undefined, tally: MarkTally): readonly MissedDemand[] {
  const missed: MissedDemand[] = []
  for (const [mark, demand] of markDemands(demands)) {
    if (demand.kind !== 'seeds' || tally.seeds < demand.seeds) continue
    const count = tally.reached(mark)
    if (count >= demand.count) continue
    const wanted = `demands '${mark}' in at least ${demand.count} of ${demand.seeds} seeds`
    missed.push({ path: pathOf(mark), message: `${wanted}: reached in ${count} of ${tally.seeds} (${marks[mark]})` })
  }
  return missed
}

/** Every mark that some seed reached, and every one that is demanded, in the order of their table. */
export function reachedMarks(demands: Demands | undefined, tally: MarkTally): readonly ReachedMark[] {
  const wanted = new Set(markDemands(demands).map(([mark]) => mark))
  return (Object.keys(marks) as Mark[]).flatMap((mark) => {
    const count = tally.reached(mark)
    return count > 0 || wanted.has(mark) ? [{ mark, seeds: count }] : []
  })
}

/** A scenario whose runs may come to whatever they come to. */
export function withoutDemands(loaded: LoadedScenario): LoadedScenario {
  return { ...loaded, scenario: { ...loaded.scenario, demands: undefined } }
}

function markDemands(demands: Demands | undefined): readonly (readonly [Mark, MarkDemand])[] {
  const given = Object.entries(demands?.marks ?? {}) as [Mark, MarkDemand | undefined][]
  return given.flatMap(([mark, demand]) => (demand === undefined ? [] : [[mark, demand] as const]))
}

function pathOf(mark: Mark): readonly PropertyKey[] {
  return ['demands', 'marks', mark]
}
