import { BudgetedLanes, type BudgetedLanesOptions } from '../pool/budgeted-lanes.ts'
import { Lane } from '../pool/lane.ts'
import type { Ended } from '../pool/messages.ts'
import type { SentPage } from '../pool/warm-worker.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Candidate } from './code-candidates.ts'

/**
 * The result of a run with a change: it passes (`cured`); it passes but does much less than the failing one (`idle`,
 * because an agent that does nothing breaks nothing); it fails in the same way, or in another way; or it does not end.
 */
export type Outcome = 'cured' | 'idle' | 'same' | 'other' | 'broken'

export interface CodeTrial {
  readonly candidate: Candidate
  readonly outcome: Outcome
  /** The work that a cured run left undone. */
  readonly undone: readonly Undone[]
  /** Whether the run also passes with the change in effect from its beginning on; undefined: that was not tried. */
  readonly holds?: boolean
}

/** A law with less than half as much to judge as in the failing run, although the run has more time. */
export interface Undone {
  /** The code of the law. */
  readonly law: string
  /** What it judges, and judged in the failing run. */
  readonly facts: number
  readonly before: number
}

/** The work of a run. */
export type Done = Pick<SeedRecord, 'writesAcknowledged' | 'elections' | 'counts'>

/**
 * Minimum share of the failing run's work for a passing run, which has more time because it continues after the
 * failure.
 */
const busyShare = 0.5

/** Whether a passing run does as much as the failing one: writes, elections, and judged facts of laws. */
export function isBusy(passing: Done, failing: Done): boolean {
  const figures = ({ writesAcknowledged, elections, counts }: Done): readonly number[] => [
    writesAcknowledged,
    Math.min(1, elections),
    Object.values(counts).reduce((sum, { facts }) => sum + facts, 0),
  ]
  const before = figures(failing)
  return figures(passing).every((figure, at) => figure >= busyShare * (before[at] ?? 0))
}

/** Fewer facts of a law than this may be missing by chance. */
const factsMin = 8

/** What the laws had to judge in the failing run and miss in a passing one. */
export function undoneIn(passing: Pick<Done, 'counts'>, failing: Pick<Done, 'counts'>): readonly Undone[] {
  const now = new Map(Object.entries(passing.counts))
  return Object.entries(failing.counts).flatMap(([law, { facts: before }]): readonly Undone[] => {
    const facts = now.get(law)?.facts ?? 0
    return before >= factsMin && facts < busyShare * before ? [{ law, facts, before }] : []
  })
}

export interface CodeTrialsOptions extends BudgetedLanesOptions {
  readonly page: SentPage
  readonly seed: number
  /** Whether it fails in the way to be explained. */
  readonly hasFailed: (ended: Ended) => boolean
  /** Runs are stopped at this time, in microseconds; undefined: at their ends. */
  readonly untilUs: number | undefined
  /** The failing run: a run that does much less is not cured. */
  readonly failing: Done
  /** Maximum CPU time of one run, in milliseconds. */
  readonly cpuMaxMs: number
}

/** After this many curing changes, no more are tried: they are in few places, or chance decides. */
const curesMax = 24
const everyTurn = { first: 0, last: Number.MAX_SAFE_INTEGER }
/** Maximum number of curing changes that are tried for the whole run, besides the budget. */
const wholeMax = 16

/** Runs a seed repeatedly, each time with one change of the code that led to its failure. */
export class CodeTrials extends BudgetedLanes {
  readonly #options: CodeTrialsOptions

  constructor(options: CodeTrialsOptions) {
    super(options)
    this.#options = options
  }

  /** In their order, until the budget is spent. The result of one does not depend on the others. */
  async of(candidates: readonly Candidate[]): Promise<readonly CodeTrial[]> {
    const done: (Pick<CodeTrial, 'outcome' | 'undone'> | undefined)[] = []
    const left = Math.min(candidates.length, this.runsLeft)
    let next = 0
    let cures = 0
    const work = async (lane: Lane): Promise<void> => {
      while (next < left && !this.isSpent && cures < curesMax) {
        const at = next++
        this.countRun()
        const made = await this.#run(lane, candidates[at] as Candidate)
        done[at] = made
        if (made.outcome === 'cured') cures++
      }
    }
    await Promise.all(this.lanes.map(work))
    const trials = done.flatMap((made, at) => {
      const candidate = candidates[at]
      return made === undefined || candidate === undefined ? [] : [{ candidate, ...made }]
    })
    // How many more were under way depends on the number of lanes.
    const lastCure = trials.filter(({ outcome }) => outcome === 'cured')[curesMax - 1]
    return lastCure === undefined ? trials : trials.slice(0, trials.indexOf(lastCure) + 1)
  }

  /** Tries a few more, whatever the budget. */
  async besides(candidates: readonly Candidate[]): Promise<readonly CodeTrial[]> {
    return this.#each(candidates, async (lane, candidate) => ({ candidate, ...(await this.#run(lane, candidate)) }))
  }

  /**
   * Tries curing changes in effect for the whole run, whatever the budget. A change that lasts for the end of the run alone
   * may keep from failing what does not work with it at all; a repair lets the program work from the beginning on.
   */
  async throughout(trials: readonly CodeTrial[]): Promise<readonly CodeTrial[]> {
    const cures = trials.filter(({ outcome }) => outcome === 'cured')
    const wanted = cures.toSorted((a, b) => a.candidate.cost - b.candidate.cost).slice(0, wholeMax)
    const held = await this.#each(wanted, async (lane, { candidate }) => {
      return (await this.#run(lane, { ...candidate, turns: everyTurn })).outcome === 'cured'
    })
    const holds = new Map(wanted.map((trial, at) => [trial, held[at] === true]))
    return trials.map((trial) => (holds.has(trial) ? { ...trial, holds: holds.get(trial) === true } : trial))
  }

  /** The results are in the order of what they are of. */
  async #each<T, Made>(all: readonly T[], make: (lane: Lane, one: T) => Promise<Made>): Promise<readonly Made[]> {
    const made: Made[] = []
    const left = all.entries()
    const work = async (lane: Lane): Promise<void> => {
      for (const [at, one] of left) {
        this.countRun()
        made[at] = await make(lane, one)
      }
    }
    await Promise.all(this.lanes.map(work))
    return made
  }

  /** Whether it passes in a process that has run nothing before: leftovers of other changes may have cured it. */
  async curesAlone(candidate: Candidate): Promise<boolean> {
    const { startWorker, searchStepsMax } = this.#options
    const lane = new Lane({ startWorker, pages: [], verify: false, confirm: false, searchStepsMax })
    try {
      this.countRun()
      return (await this.#run(lane, candidate)).outcome === 'cured'
    } finally {
      lane.close()
    }
  }

  async #run(lane: Lane, { mutant, turns }: Candidate): Promise<Pick<CodeTrial, 'outcome' | 'undone'>> {
    const { page, seed, untilUs, failing, cpuMaxMs } = this.#options
    const ends = untilUs === undefined ? {} : { ends: { atUs: untilUs } }
    const ended = await lane.probe({ page, seed }, { ...ends, mutant: mutant.number, turns, cpuMaxMs })
    this.countCpuMs(ended?.record.cpuMs ?? cpuMaxMs)
    const outcome = ended === undefined ? 'broken' : this.#outcomeOf(ended)
    const isCured = ended !== undefined && outcome === 'cured'
    return { outcome, undone: isCured ? undoneIn(ended.record, failing) : [] }
  }

  #outcomeOf(ended: Ended): Outcome {
    const { hasFailed, untilUs, failing } = this.#options
    const { verdict, failures } = ended.record
    // What a step still waits for, or a page demands of a whole run, counts as a failure of the time of giving up.
    const isGivenUp = failures.length > 0 && failures.every(({ atUs }) => atUs >= (untilUs ?? Number.POSITIVE_INFINITY))
    if (verdict === 'passed' || isGivenUp) return isBusy(ended.record, failing) ? 'cured' : 'idle'
    if (failures.length === 0) return 'broken'
    return hasFailed(ended) ? 'same' : 'other'
  }
}
