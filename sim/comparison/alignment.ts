import type { EventTable } from './event-table.ts'

/** The correspondence of the events of two runs. */
export interface Alignment {
  /** By position in the first run, the position in the second; -1: it has no counterpart. */
  readonly there: Int32Array
  /** The same in the other direction. */
  readonly back: Int32Array
  /** Number of equal events at the beginning, at the same microseconds. */
  readonly equal: number
  /** Number of pairs of events. */
  readonly pairs: number
}

/** Two events of one identity that are further apart than this merely resemble each other. In microseconds. */
const apartMaxUs = 1_000_000
/** Number of events among which the next one of an identity is looked for, if no identity occurs once. */
const aheadMax = 256
/** Maximum depth of nested anchors: beyond it, the next event of each identity is taken. */
const depthMax = 40

/**
 * Aligns two runs, machine by machine:
 *
 * 1. The common beginning is equal.
 * 2. In the rest, events whose identity occurs once in each run are anchors. The longest list of them that has one
 *    order in both is kept, and the parts between are aligned in the same way, where more identities occur once.
 * 3. Where no identity occurs once, the next event of an identity is its counterpart.
 * 4. The remaining events may have come in another order: equal identities within a second are pairs.
 */
export function aligned(a: EventTable, b: EventTable): Alignment {
  const pairing = new Pairing(a, b)
  const equal = equalStart(a, b)
  for (let at = 0; at < equal; at++) pairing.pair(at, at)
  const [ofA, ofB] = [byNode(a, equal), byNode(b, equal)]
  for (const [node, places] of ofA) pairing.lists(places, ofB.get(node) ?? [], 0)
  pairing.late(equal)
  return { there: pairing.there, back: pairing.back, equal, pairs: pairing.pairs }
}

function equalStart(a: EventTable, b: EventTable): number {
  let at = 0
  while (at < a.size && at < b.size && a.identities[at] === b.identities[at] && a.timesUs[at] === b.timesUs[at]) at++
  return at
}

function byNode({ nodes }: EventTable, from: number): ReadonlyMap<number, number[]> {
  const lists = new Map<number, number[]>()
  for (let at = from; at < nodes.length; at++) {
    const node = nodes[at] as number
    const list = lists.get(node)
    if (list === undefined) lists.set(node, [at])
    else list.push(at)
  }
  return lists
}

class Pairing {
  readonly there: Int32Array
  readonly back: Int32Array
  pairs = 0
  readonly #a: EventTable
  readonly #b: EventTable

  constructor(a: EventTable, b: EventTable) {
    this.#a = a
    this.#b = b
    this.there = new Int32Array(a.size).fill(-1)
    this.back = new Int32Array(b.size).fill(-1)
  }

  pair(inA: number, inB: number): void {
    this.there[inA] = inB
    this.back[inB] = inA
    this.pairs++
  }

  /** Positions of one machine, in their order. */
  lists(a: readonly number[], b: readonly number[], depth: number): void {
    let from = 0
    while (from < a.length && from < b.length && this.#isSame(a[from], b[from])) {
      this.pair(a[from] as number, b[from] as number)
      from++
    }
    let [endA, endB] = [a.length, b.length]
    while (endA > from && endB > from && this.#isSame(a[endA - 1], b[endB - 1])) {
      this.pair(a[--endA] as number, b[--endB] as number)
    }
    if (from === endA || from === endB) return
    const [midA, midB] = [a.slice(from, endA), b.slice(from, endB)]
    const anchors = depth < depthMax ? this.#anchors(midA, midB) : []
    if (anchors.length === 0) return this.#next(midA, midB)
    let [lastA, lastB] = [0, 0]
    for (const { inA, inB } of anchors) {
      this.lists(midA.slice(lastA, inA), midB.slice(lastB, inB), depth + 1)
      this.pair(midA[inA] as number, midB[inB] as number)
      lastA = inA + 1
      lastB = inB + 1
    }
    this.lists(midA.slice(lastA), midB.slice(lastB), depth + 1)
  }

  /** Pairs events whose counterpart is not at the same position, but near it. */
  late(from: number): void {
    const left = new Map<number, number[]>()
    for (let at = from; at < this.back.length; at++) {
      if (this.back[at] !== -1) continue
      const identity = this.#b.identities[at] as number
      const list = left.get(identity)
      if (list === undefined) left.set(identity, [at])
      else list.push(at)
    }
    for (let at = from; at < this.there.length; at++) {
      if (this.there[at] !== -1) continue
      const list = left.get(this.#a.identities[at] as number) ?? []
      const time = this.#a.timesUs[at] as number
      const found = list.findIndex((each) => Math.abs((this.#b.timesUs[each] as number) - time) <= apartMaxUs)
      if (found !== -1) this.pair(at, list.splice(found, 1)[0] as number)
    }
  }

  #isSame(inA: number | undefined, inB: number | undefined): boolean {
    return this.#a.identities[inA as number] === this.#b.identities[inB as number]
  }

  /** Indexes in both lists of identities that occur once in each, as many as have one order in both. */
  #anchors(a: readonly number[], b: readonly number[]): readonly Anchor[] {
    const [onceA, onceB] = [onceIn(a, this.#a), onceIn(b, this.#b)]
    const common: Anchor[] = []
    for (const [identity, inA] of onceA) {
      const inB = onceB.get(identity)
      if (inA !== -1 && inB !== undefined && inB !== -1) common.push({ inA, inB })
    }
    return longestRising(common.toSorted((one, other) => one.inA - other.inA))
  }

  /** For each event, finds the next one of its identity, not far after the last pair. */
  #next(a: readonly number[], b: readonly number[]): void {
    let from = 0
    for (const inA of a) {
      const end = Math.min(b.length, from + aheadMax)
      for (let at = from; at < end; at++) {
        if (!this.#isSame(inA, b[at])) continue
        this.pair(inA, b[at] as number)
        from = at + 1
        break
      }
    }
  }
}

interface Anchor {
  readonly inA: number
  readonly inB: number
}

/** Index of each identity; -1: it occurs more than once. */
function onceIn(places: readonly number[], { identities }: EventTable): ReadonlyMap<number, number> {
  const once = new Map<number, number>()
  for (const [index, place] of places.entries()) {
    const identity = identities[place] as number
    once.set(identity, once.has(identity) ? -1 : index)
  }
  return once
}

/** The longest part of a list, by `inA`, in which `inB` also rises. */
function longestRising(anchors: readonly Anchor[]): readonly Anchor[] {
  /** Index of the anchor that ends the best list of each length. */
  const ends: number[] = []
  const before: number[] = []
  for (const [index, { inB }] of anchors.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((anchors[ends[middle] as number] as Anchor).inB < inB) low = middle + 1
      else high = middle
    }
    before.push(low === 0 ? -1 : (ends[low - 1] as number))
    ends[low] = index
  }
  const rising: Anchor[] = []
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] as number) rising.push(anchors[at] as Anchor)
  return rising.reverse()
}
