import type { Alignment } from './alignment.ts'
import type { EventTable } from './event-table.ts'

/** Two runs side by side. The first is the failing one, if one of them fails. */
export interface Sides {
  readonly a: EventTable
  readonly b: EventTable
  readonly alignment: Alignment
}

/**
 * An event of the first run that the second lacks, although the second has all its causes: everything that follows from
 * it differs for this reason.
 */
export interface RootDifference {
  /** Its position in the first run. */
  readonly at: number
  /** The nearest of its causes, and that one's counterpart; undefined: it has no cause. */
  readonly from: { readonly inA: number; readonly inB: number } | undefined
  /** Events in the second run that follow from the counterpart and have none in the first run, by position. */
  readonly instead: readonly number[]
}

/** Two events of one machine that came in the opposite order. */
export interface Swapped {
  readonly first: number
  readonly second: number
}

export interface Differences {
  /** Where the runs stop being equal: a position in both; beyond the end of one, that run has ended. */
  readonly divergence: number | undefined
  /** Differences along the chain of causes of the first run's failure; undefined: it does not fail. */
  readonly chain: ChainDifferences | undefined
  /** Positions of firings and operations that only one run has. */
  readonly onlyInA: readonly number[]
  readonly onlyInB: readonly number[]
}

export interface ChainDifferences {
  readonly events: number
  /** Number of those without a counterpart. */
  readonly alone: number
  /** In order of time. */
  readonly roots: readonly RootDifference[]
  readonly swapped: Swapped | undefined
}

/** Runs that begin with fewer equal events have no common history. */
const commonMin = 100
/** Maximum number of shown events that one run has instead of one of the other. */
const insteadMax = 2

export function differencesOf(sides: Sides): Differences {
  const { a, b, alignment } = sides
  const { equal, there, back } = alignment
  const isEqual = equal === a.size && equal === b.size
  // Events of one run after the other has ended are not differences.
  const endUs = Math.min(a.timesUs.at(-1) ?? 0, b.timesUs.at(-1) ?? 0)
  return {
    divergence: isEqual ? undefined : equal,
    chain: a.failure === undefined ? undefined : chainDifferences(a.failure.at, sides),
    onlyInA: a.decisions.filter((at) => there[at] === -1 && (a.timesUs[at] as number) <= endUs),
    onlyInB: b.decisions.filter((at) => back[at] === -1 && (b.timesUs[at] as number) <= endUs),
  }
}

function chainDifferences(failure: number, sides: Sides): ChainDifferences {
  const { a, alignment } = sides
  const chain = [...a.chainTo(failure)].sort((one, other) => one - other)
  const alone = chain.filter((at) => alignment.there[at] === -1)
  const roots = alone.filter((at) => a.causesOf(at).every((cause) => alignment.there[cause] !== -1))
  return {
    events: chain.length,
    alone: alone.length,
    roots: roots.map((at) => rootAt(at, sides)),
    // Runs of two seeds differ in order from their beginning on, which explains nothing.
    swapped: alignment.equal < commonMin ? undefined : swappedIn(chain, sides),
  }
}

function rootAt(at: number, { a, b, alignment }: Sides): RootDifference {
  const [inA] = a.causesOf(at)
  const inB = inA === undefined ? -1 : (alignment.there[inA] as number)
  if (inA === undefined || inB === -1) return { at, from: undefined, instead: [] }
  return { at, from: { inA, inB }, instead: insteadOf(inB, b, alignment) }
}

/** Maximum number of events after a cause in which its consequences are looked for. */
const behindMax = 20_000

function insteadOf(inB: number, b: EventTable, { back }: Alignment): readonly number[] {
  const found: number[] = []
  const end = Math.min(b.size, inB + behindMax)
  for (let at = inB + 1; at < end && found.length < insteadMax; at++) {
    if (back[at] === -1 && b.causesOf(at).includes(inB)) found.push(at)
  }
  return found
}

/** The first two events of one machine on the chain whose counterparts came in the opposite order. */
function swappedIn(chain: readonly number[], { a, b, alignment }: Sides): Swapped | undefined {
  const last = new Map<number, number>()
  for (const at of chain) {
    const inB = alignment.there[at] as number
    if (inB === -1) continue
    const node = a.nodes[at] as number
    const before = last.get(node)
    const beforeInB = before === undefined ? -1 : (alignment.there[before] as number)
    // Within one instant, the order is drawn, and usually has no meaning.
    const isLater = before !== undefined && (a.timesUs[before] as number) < (a.timesUs[at] as number)
    if (isLater && (b.timesUs[inB] as number) < (b.timesUs[beforeInB] as number)) return { first: before, second: at }
    if (before === undefined || inB > beforeInB) last.set(node, at)
  }
  return undefined
}
