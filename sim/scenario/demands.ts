import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { UndecidedKey } from '../checkers/keys/linearizable-keys.ts'
import { type Mark, marks } from '../checkers/marks.ts'
import type { DemandedSeeds, Demands, JudgedDemand } from './language/demands.ts'
import type { LoadedScenario } from './language/load.ts'

/** What was demanded, and not met. */
export interface MissedDemand {
  /** Of its key in the scenario. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What one run came to. */
interface RunCame {
  /** Absent: no facts. */
  readonly judged: Readonly<{ [code in InvariantCode]?: { readonly facts: number } | undefined }>
  readonly marks: readonly Mark[]
  readonly undecided: readonly Pick<UndecidedKey, 'operations'>[]
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

/** In how many seeds of a campaign an invariant judged as many facts as some of them must. */
export class FactTally {
  readonly #demands: Demands | undefined
  readonly #met = new Map<InvariantCode, number>()

  constructor(demands: Demands | undefined) {
    this.#demands = demands
  }

  /** What one seed has judged; each seed is added once. */
  add(came: Pick<RunCame, 'judged' | 'undecided'>): void {
    for (const [code, { least, in: seeds }] of judgedDemands(this.#demands)) {
      if (seeds.kind === 'seeds' && factsOf(code, came) >= least) this.#met.set(code, this.met(code) + 1)
    }
  }

  met(code: InvariantCode): number {
    return this.#met.get(code) ?? 0
  }
}

/** How many seeds of a campaign have reached a mark. */
export interface ReachedMark {
  readonly mark: Mark
  readonly seeds: number
}

/** What every run must come to, and this one has not. */
export function missedInRun(demands: Demands | undefined, came: RunCame): readonly MissedDemand[] {
  const missed: MissedDemand[] = []
  for (const [code, { least, in: seeds }] of judgedDemands(demands)) {
    if (seeds.kind !== 'every run' || factsOf(code, came) >= least) continue
    const judged = `it judged ${came.judged[code]?.facts ?? 0} (${unitsOf(code)})`
    missed.push({
      path: ['demands', 'judged', code],
      message: `demands that ${code} judges at least ${least} in each run: ${judged}`,
    })
  }
  for (const [mark, seeds] of markDemands(demands)) {
    if (seeds.kind !== 'every run' || came.marks.includes(mark)) continue
    missed.push({ path: pathOf(mark), message: `demands '${mark}' in every run: it was not reached (${marks[mark]})` })
  }
  return missed
}

/**
 * What a campaign must come to, and these seeds have not. What so many of N seeds must reach or judge is looked at where
 * at least N ran.
 */
export function missedInCampaign(
  demands: Demands | undefined,
  reached: MarkTally,
  facts: FactTally,
): readonly MissedDemand[] {
  const tooFew = (seeds: DemandedSeeds, count: number): string | undefined => {
    if (seeds.kind !== 'seeds' || reached.seeds < seeds.seeds || count >= seeds.count) return undefined
    return `in at least ${seeds.count} of ${seeds.seeds} seeds: reached in ${count} of ${reached.seeds}`
  }
  const ofFacts = judgedDemands(demands).flatMap(([code, { least, in: seeds }]) => {
    const text = tooFew(seeds, facts.met(code))
    const message = `demands that ${code} judges at least ${least} ${text} (${unitsOf(code)})`
    return text === undefined ? [] : [{ path: ['demands', 'judged', code], message }]
  })
  const ofMarks = markDemands(demands).flatMap(([mark, seeds]) => {
    const text = tooFew(seeds, reached.reached(mark))
    return text === undefined ? [] : [{ path: pathOf(mark), message: `demands '${mark}' ${text} (${marks[mark]})` }]
  })
  return [...ofFacts, ...ofMarks]
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

/**
 * Facts that count towards a demand. Operations on keys that K1 could not decide count: a run is undecided for them, and
 * has not failed.
 */
function factsOf(code: InvariantCode, { judged, undecided }: Pick<RunCame, 'judged' | 'undecided'>): number {
  const left = code === 'K1' ? undecided.reduce((sum, { operations }) => sum + operations, 0) : 0
  return (judged[code]?.facts ?? 0) + left
}

function unitsOf(code: InvariantCode): string {
  return invariants[code].judges[1]
}

function judgedDemands(demands: Demands | undefined): readonly (readonly [InvariantCode, JudgedDemand])[] {
  return given<InvariantCode, JudgedDemand>(demands?.judged)
}

function markDemands(demands: Demands | undefined): readonly (readonly [Mark, DemandedSeeds])[] {
  return given<Mark, DemandedSeeds>(demands?.marks)
}

function given<Name extends string, Demand>(
  demands: { readonly [name in Name]?: Demand | undefined } | undefined,
): readonly (readonly [Name, Demand])[] {
  const all = Object.entries(demands ?? {}) as [Name, Demand | undefined][]
  return all.flatMap(([name, demand]) => (demand === undefined ? [] : [[name, demand] as const]))
}

function pathOf(mark: Mark): readonly PropertyKey[] {
  return ['demands', 'marks', mark]
}
