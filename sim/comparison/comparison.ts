import { type Alignment, aligned } from './alignment.ts'
import { type Differences, differencesOf, type RootDifference } from './differences.ts'
import type { RunReading } from './reading.ts'

/** Two runs, and where they differ. */
export interface Comparison {
  /** `A` is the one that fails, if only one does. */
  readonly a: RunReading
  readonly b: RunReading
  /** They were given the other way round. */
  readonly isTurned: boolean
  readonly alignment: Alignment
  readonly differences: Differences
}

/** Compares two runs. Their tables were made with the same names. */
export function comparisonOf(first: RunReading, second: RunReading): Comparison {
  const isTurned = first.table.failure === undefined && second.table.failure !== undefined
  const [a, b] = isTurned ? [second, first] : [first, second]
  const alignment = aligned(a.table, b.table)
  return { a, b, isTurned, alignment, differences: differencesOf({ a: a.table, b: b.table, alignment }) }
}

/** Root differences that are shown besides the first one: those next to the failure. */
const rootsMax = 4
/** Firings and operations of one run alone that are shown. */
const decisionsMax = 3

/** Places of what is shown of each run: its words must be read again. */
export interface ShownPlaces {
  readonly a: ReadonlySet<number>
  readonly b: ReadonlySet<number>
}

/** The failure itself stands in the head, unless it is all there is. */
function shownRoots(roots: readonly RootDifference[], failure: number | undefined): readonly RootDifference[] {
  const [first, ...more] = roots
  if (first === undefined) return []
  return [first, ...more.filter(({ at }) => at !== failure).slice(-rootsMax)]
}

/** What of the differences is shown in words. */
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
