import type { Alignment } from './alignment.ts'
import type { EventTable } from './event-table.ts'

/** Two runs side by side. The first is the one that fails, if one of them does. */
export interface Sides {
  readonly a: EventTable
  readonly b: EventTable
  readonly alignment: Alignment
}

/**
 * An event of the first run that the second has not, though it has everything that led to it: what follows from it is
 * different for this reason.
 */
export interface RootDifference {
  /** Its place in the first run. */
  readonly at: number
  /** The nearest of its causes, and that one's counterpart; undefined: it has no cause. */
  readonly from: { readonly inA: number; readonly inB: number } | undefined
  /** What follows there from the counterpart, and has none in the first run: places in the second. */
  readonly instead: readonly number[]
}

/** Two events of one machine that came in the other order. */
export interface Swapped {
  readonly first: number
  readonly second: number
}

export interface Differences {
  /** Where both runs are not equal any more: a place in either; past the end of one, it has ended. */
  readonly divergence: number | undefined
  /** Of the chain of causes of the first run's failure; undefined: it does not fail. */
  readonly chain: ChainDifferences | undefined
  /** Firings and operations that only one of them has: places. */
  readonly onlyInA: readonly number[]
  readonly onlyInB: readonly number[]
}

export interface ChainDifferences {
  readonly events: number
  /** Of those, without a counterpart. */
  readonly alone: number
  /** In the order of their times. */
  readonly roots: readonly RootDifference[]
  readonly swapped: Swapped | undefined
}

/** Runs that begin with fewer equal events have no history in common. */
const commonMin = 100
/** Events that one run has instead of one of the other that are shown. */
const insteadMax = 2

export function differencesOf(sides: Sides): Differences {
  const { a, b, alignment } = sides
  const { equal, there, back } = alignment
  const isEqual = equal === a.size && equal === b.size
  // What one run does after the other has ended is no difference of what they did.
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
    // Runs of two seeds are in another order from their beginning on, which tells nothing.
    swapped: alignment.equal < commonMin ? undefined : swappedIn(chain, sides),
  }
}

function rootAt(at: number, { a, b, alignment }: Sides): RootDifference {
  const [inA] = a.causesOf(at)
  const inB = inA === undefined ? -1 : (alignment.there[inA] as number)
  if (inA === undefined || inB === -1) return { at, from: undefined, instead: [] }
  return { at, from: { inA, inB }, instead: insteadOf(inB, b, alignment) }
}

/** How far behind an event its consequences are looked for. */
const behindMax = 20_000

function insteadOf(inB: number, b: EventTable, { back }: Alignment): readonly number[] {
  const found: number[] = []
  const end = Math.min(b.size, inB + behindMax)
  for (let at = inB + 1; at < end && found.length < insteadMax; at++) {
    if (back[at] === -1 && b.causesOf(at).includes(inB)) found.push(at)
  }
  return found
}

/** The first two events of one machine on the chain whose counterparts came the other way round. */
function swappedIn(chain: readonly number[], { a, b, alignment }: Sides): Swapped | undefined {
  const last = new Map<number, number>()
  for (const at of chain) {
    const inB = alignment.there[at] as number
    if (inB === -1) continue
    const node = a.nodes[at] as number
    const before = last.get(node)
    const beforeInB = before === undefined ? -1 : (alignment.there[before] as number)
    // Within one instant the order is drawn, and most often means nothing.
    const isLater = before !== undefined && (a.timesUs[before] as number) < (a.timesUs[at] as number)
    if (isLater && (b.timesUs[inB] as number) < (b.timesUs[beforeInB] as number)) return { first: before, second: at }
    if (before === undefined || inB > beforeInB) last.set(node, at)
  }
  return undefined
}
