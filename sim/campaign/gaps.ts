import type { SeedTable } from './seed-table.ts'
import { countOfShare, placeOfSeed, type SeedSpan, type Share, seedOfShare } from './share.ts'

/** Maximum number of gaps of one scenario that are kept; further ones are only counted in seeds. */
const gapsKept = 1_000

/** Consecutive seeds of one share that have no record. */
export interface Gap {
  readonly shard: Share
  readonly first: number
  readonly last: number
  /** Number of seeds. */
  readonly count: number
}

/** The missing seeds of a span in one scenario. */
export interface Gaps {
  /** The first gaps, in the order of shares. */
  readonly gaps: readonly Gap[]
  /** Number of seeds in all gaps, kept or not. */
  readonly seeds: number
  /** Shares without any record. */
  readonly absent: ReadonlySet<number>
  /** The last seed that has a record; undefined: none has. */
  readonly reached: number | undefined
}

/**
 * Finds the seeds without a record in a span that was divided into `of` shares, by one pass over those that have one. A
 * span without an end reaches as far as each share came: it lacks the seeds that were skipped, and whole shares that
 * are absent.
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

/** `501..1000`, `7`, `502, 506 … 998`: seeds of a gap, as numbered in the whole campaign. */
export function gapText({ shard, first, last, count }: Gap): string {
  if (count === 1) return String(first)
  if (shard.of === 1) return `${first}..${last}`
  if (count === 2) return `${first}, ${last}`
  return `${first}, ${first + shard.of} … ${last}`
}
