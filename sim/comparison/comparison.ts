import { type Alignment, aligned } from './alignment.ts'
import { type Differences, differencesOf, type RootDifference } from './differences.ts'
import type { RunReading } from './reading.ts'

/** Two runs, and where they differ. */
export interface Comparison {
  /** `A` is the failing one, if only one fails. */
  readonly a: RunReading
  readonly b: RunReading
  /** They were given in the other order. */
  readonly isTurned: boolean
  readonly alignment: Alignment
  readonly differences: Differences
}

/** Compares two runs, whose tables were made with the same names. */
export function comparisonOf(first: RunReading, second: RunReading): Comparison {
  const isTurned = first.table.failure === undefined && second.table.failure !== undefined
  const [a, b] = isTurned ? [second, first] : [first, second]
  const alignment = aligned(a.table, b.table)
  return { a, b, isTurned, alignment, differences: differencesOf({ a: a.table, b: b.table, alignment }) }
}

/** Maximum number of shown root differences besides the first one: those next to the failure. */
const rootsMax = 4
/** Maximum number of shown firings and operations that only one run has. */
const decisionsMax = 3

/** Positions of the shown events of each run, whose text must be read again. */
export interface ShownPlaces {
  readonly a: ReadonlySet<number>
  readonly b: ReadonlySet<number>
}

/** The failure itself is in the heading, unless it is the only difference. */
function shownRoots(roots: readonly RootDifference[], failure: number | undefined): readonly RootDifference[] {
  const [first, ...more] = roots
  if (first === undefined) return []
  return [first, ...more.filter(({ at }) => at !== failure).slice(-rootsMax)]
}

/** The differences that are shown as text. */
export function shownOf({ differences, alignment, a, b }: Comparison): {
  readonly differences: Differences
  readonly places: ShownPlaces
} {
  const { chain, divergence, onlyInA, onlyInB } = differences
  const shown: Differences = {
    divergence,
    chain: chain && { ...chain, roots: shownRoots(chain.roots, a.table.failure?.at) },
    onlyInA: onlyInA.slice(0, decisionsMax),
    onlyInB: onlyInB.slice(0, decisionsMax),
  }
  const [ofA, ofB] = [new Set(shown.onlyInA), new Set(shown.onlyInB)]
  if (divergence !== undefined) {
    if (divergence < a.table.size) ofA.add(divergence)
    if (divergence < b.table.size) ofB.add(divergence)
  }
  for (const { at, from, instead } of shown.chain?.roots ?? []) {
    ofA.add(at)
    if (from !== undefined) {
      ofA.add(from.inA)
      ofB.add(from.inB)
    }
    for (const each of instead) ofB.add(each)
  }
  for (const at of [chain?.swapped?.first, chain?.swapped?.second]) {
    if (at === undefined) continue
    ofA.add(at)
    ofB.add(alignment.there[at] as number)
  }
  return { differences: shown, places: { a: ofA, b: ofB } }
}
