import type { SentPage } from '../pool/warm-worker.ts'
import { type Hunt, hunts } from './hunts.ts'
import type { PlantedBug } from './planted-bug.ts'
import { type Finding, type Search, search } from './search.ts'
import type { Workshop } from './workshop.ts'

/** The verdict on a row of the table. `found` and `nothing-found` are as they should be. */
export type Verdict =
  | 'found'
  /** No seed failed. */
  | 'not-found'
  /**
   * Another invariant than the row names was broken first: the row is wrong, the bug is not what it was, or the
   * invariant is.
   */
  | 'found-by-another'
  | 'nothing-found'
  | 'false-alarm'
  | 'no-search'

/** The outcome of one planted bug. */
export interface BugOutcome {
  readonly bug: PlantedBug
  readonly search: Search
  readonly verdict: Verdict
  /** It was found, by an expected invariant. */
  readonly passed: boolean
  /** How many seeds of the rate found it by an expected invariant; undefined: no rate was asked for. */
  readonly rate: number | undefined
}

/** The outcome of the sound program with the seeds of a hunt: nothing may be found. */
export interface SoundOutcome {
  readonly hunt: Hunt
  readonly search: Search
  readonly verdict: Verdict
  readonly passed: boolean
}

/** A row for which no search was possible. */
export interface NoSearch {
  /** Undefined: the sound program. */
  readonly bug: PlantedBug | undefined
  readonly hunt: Hunt
  readonly error: string
}

export interface SelfTestOptions {
  readonly workshop: Workshop
  readonly wallMs: () => number
  readonly bugs: readonly PlantedBug[]
  /** The scenario of a hunt, by its name. */
  readonly pages: ReadonlyMap<string, SentPage>
  /** Maximum number for each bug. */
  readonly seeds: number
  /** Seeds that each bug is tried with whether one finds it or not; 0: none. */
  readonly rate: number
  /** Where to write the trace of the run that found a bug; of several bugs the last. */
  readonly trace?: string | undefined
  /** Number of copies that run at the same time. */
  readonly jobs: number
  readonly onBug: (outcome: BugOutcome) => void
  readonly onSound: (outcome: SoundOutcome) => void
  readonly onNoSearch: (none: NoSearch) => void
}

/**
 * Searches for every bug, then runs the sound program with the same seeds of the same hunts. True: all is as it should
 * be.
 */
export async function selfTest(options: SelfTestOptions): Promise<boolean> {
  const { workshop, wallMs, jobs, rate, trace, onBug, onSound, onNoSearch } = options
  const given = { workshop, wallMs }
  const reach = new Map<string, number>()
  let passed = true
  const pageOf = ({ name }: Hunt): SentPage => {
    const page = options.pages.get(name)
    if (page === undefined) throw new Error(`the page of the hunt ${name} was not read`)
    return page
  }
  const settle = (one: { readonly passed: boolean }): void => {
    passed = passed && one.passed
  }
  const failed = (none: NoSearch): void => {
    passed = false
    onNoSearch(none)
  }
  await inLanes(jobs, options.bugs, async (bug) => {
    const hunt = huntOf(bug)
    const { patches, name: owner } = bug
    const how = { patches, owner, seeds: options.seeds, rate, trace }
    const found = await search({ ...given, hunt, page: pageOf(hunt), ...how })
    if (!found.ok) return failed({ bug, hunt, error: found.error })
    reach.set(hunt.name, Math.max(reach.get(hunt.name) ?? 0, found.value.seeds, rate))
    const outcome = judged(bug, found.value, rate)
    settle(outcome)
    onBug(outcome)
  })
  const used = hunts.filter(({ name }) => reach.has(name))
  await inLanes(jobs, used, async (hunt) => {
    const seeds = reach.get(hunt.name) as number
    const owner = `the sound program in ${hunt.name}`
    const found = await search({ ...given, hunt, page: pageOf(hunt), patches: [], owner, seeds, rate: 0 })
    if (!found.ok) return failed({ bug: undefined, hunt, error: found.error })
    const isQuiet = found.value.finding === undefined
    const verdict = isQuiet ? 'nothing-found' : 'false-alarm'
    settle({ passed: isQuiet })
    onSound({ hunt, search: found.value, verdict, passed: isQuiet })
  })
  return passed
}

function judged(bug: PlantedBug, found: Search, rate: number): BugOutcome {
  const verdict = verdictOf(bug, found)
  const often = rate === 0 ? undefined : found.findings.filter((finding) => isExpected(bug, finding)).length
  return { bug, search: found, verdict, passed: verdict === 'found', rate: often }
}

function verdictOf(bug: PlantedBug, { finding }: Search): Verdict {
  if (finding === undefined) return 'not-found'
  return isExpected(bug, finding) ? 'found' : 'found-by-another'
}

function isExpected({ foundBy }: PlantedBug, { code }: Finding): boolean {
  return foundBy.includes(code ?? 'scenario')
}

export function huntOf(bug: PlantedBug): Hunt {
  const hunt = hunts.find(({ name }) => name === bug.hunt)
  if (hunt === undefined) throw new Error(`${bug.name}: there is no hunt ${bug.hunt}`)
  return hunt
}

/** Each is handled once, by the next free lane, in order. */
async function inLanes<Item>(
  lanes: number,
  items: readonly Item[],
  deal: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await deal(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
