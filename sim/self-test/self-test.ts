import type { Result } from '../../src/base/result.ts'
import { type Hunt, hunts } from './hunts.ts'
import type { PlantedBug } from './planted-bug.ts'
import { type Search, search } from './search.ts'
import type { Workshop } from './workshop.ts'

/** What came of one planted bug. */
export interface BugOutcome {
  readonly bug: PlantedBug
  readonly search: Search
  /** It was found, by an invariant that can know. */
  readonly passed: boolean
}

/** What the sound program did with the seeds of a hunt: nothing may be found. */
export interface SoundOutcome {
  readonly hunt: Hunt
  readonly search: Search
  readonly passed: boolean
}

export interface SelfTestOptions {
  readonly workshop: Workshop
  readonly wallMs: () => number
  readonly bugs: readonly PlantedBug[]
  /** At most so many for each bug. */
  readonly seeds: number
  readonly onBug: (outcome: BugOutcome) => void
  readonly onSound: (outcome: SoundOutcome) => void
  readonly onError: (error: string) => void
}

/** Copies that run at the same time. */
const lanes = 2

/** Looks for every bug, then lets the sound program run the same seeds of the same hunts. True: all is as it should be. */
export async function selfTest(options: SelfTestOptions): Promise<boolean> {
  const { workshop, wallMs } = options
  const reach = new Map<string, number>()
  let passed = true
  const settle = <Outcome extends { readonly passed: boolean }>(
    found: Result<Outcome, string>,
    tell: (outcome: Outcome) => void,
  ): void => {
    passed = found.ok && found.value.passed && passed
    if (found.ok) tell(found.value)
    else options.onError(found.error)
  }
  await inLanes(options.bugs, async (bug) => {
    const hunt = huntOf(bug)
    const found = await search({ workshop, wallMs, hunt, patches: bug.patches, owner: bug.name, seeds: options.seeds })
    if (found.ok) reach.set(hunt.name, Math.max(reach.get(hunt.name) ?? 0, found.value.seeds))
    settle(found.ok ? { ok: true, value: judged(bug, found.value) } : found, options.onBug)
  })
  const used = hunts.filter(({ name }) => reach.has(name))
  await inLanes(used, async (hunt) => {
    const seeds = reach.get(hunt.name) as number
    const owner = `the sound program in ${hunt.name}`
    const found = await search({ workshop, wallMs, hunt, patches: [], owner, seeds })
    const value = found.ok ? { hunt, search: found.value, passed: found.value.finding === undefined } : undefined
    settle(value === undefined ? (found as Result<never, string>) : { ok: true, value }, options.onSound)
  })
  return passed
}

function judged(bug: PlantedBug, found: Search): BugOutcome {
  const { finding } = found
  return { bug, search: found, passed: finding !== undefined && bug.foundBy.includes(finding.code ?? 'scenario') }
}

export function huntOf(bug: PlantedBug): Hunt {
  const hunt = hunts.find(({ name }) => name === bug.hunt)
  if (hunt === undefined) throw new Error(`${bug.name}: there is no hunt ${bug.hunt}`)
  return hunt
}

/** Each is dealt with once, by whichever lane is free, in order. */
async function inLanes<Item>(items: readonly Item[], deal: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await deal(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
