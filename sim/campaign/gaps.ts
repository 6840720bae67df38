import type { SeedTable } from './seed-table.ts'
import { countOfShare, placeOfSeed, type SeedSpan, type Share, seedOfShare } from './share.ts'

/** Gaps of one scenario that are kept; of what is beyond, the number of seeds. */
const gapsKept = 1_000

/** Seeds of one share, one after another in it, that have no record. */
export interface Gap {
  readonly shard: Share
  readonly first: number
  readonly last: number
  /** Number of seeds. */
  readonly count: number
}

/** What is missing of a span in one scenario. */
export interface Gaps {
  /** In the order of shares, the first ones. */
  readonly gaps: readonly Gap[]
  /** Seeds of all gaps, kept or not. */
  readonly seeds: number
  /** Shares of which there is nothing at all. */
  readonly absent: ReadonlySet<number>
  /** The last seed that has a record; undefined: none has. */
  readonly reached: number | undefined
}

/**
 * Which seeds of a span that was dealt to `of` shares have no record, by one walk over those that have. A span without
 * an end goes as far as each share came: it lacks what was left out, and shares that are not there.
 */
export function gapsIn(table: SeedTable, span: SeedSpan, of: number): Gaps {
  const next = new Map<number, number>()
  const found: Gap[] = []
  let seeds = 0
  let reached: number | undefined
  const gap = (index: number, from: number, to: number): void => {
    if (to < from) return
    const shard = { index, of }
    seeds += to - from + 1
    if (found.length >= gapsKept) return
    const [first, last] = [seedOfShare(span, shard, from), seedOfShare(span, shard, to)]
    found.push({ shard, first, last, count: to - from + 1 })
  }
  for (const seed of table.present()) {
    const at = placeOfSeed(span, of, seed)
    if (at === undefined) continue
    gap(at.index, next.get(at.index) ?? 0, at.place - 1)
    next.set(at.index, at.place + 1)
    reached = seed
  }
  const absent = new Set<number>()
  for (let index = 1; index <= of; index++) {
    const count = countOfShare(span, { index, of })
    if (!next.has(index) && count > 0) absent.add(index)
    if (Number.isFinite(count)) gap(index, next.get(index) ?? 0, count - 1)
  }
  found.sort((one, other) => one.shard.index - other.shard.index || one.first - other.first)
  return { gaps: found, seeds, absent, reached }
}

/** `501..1000`, `7`, `502, 506 … 998`: seeds of a gap, as the whole campaign counts them. */
export function gapText({ shard, first, last, count }: Gap): string {
  if (count === 1) return String(first)
  if (shard.of === 1) return `${first}..${last}`
  if (count === 2) return `${first}, ${last}`
  return `${first}, ${first + shard.of} … ${last}`
}
