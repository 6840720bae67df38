import { invariant } from '../../src/base/invariant.ts'

/** Seeds of a campaign; without `last`, as many as time allows. */
export interface SeedSpan {
  readonly first: number
  readonly last?: number | undefined
}

/** One of `of` equal parts of a campaign; `index` counts from 1. */
export interface Share {
  readonly index: number
  readonly of: number
}

/**
 * The seeds of each share, by arithmetic alone: the seeds of a span are assigned in turn, one to each share. So shares
 * of one campaign have no seed in common and together have all of them. If time ends each of them, together they have
 * run nearly every seed up to some number, rather than the beginnings of several ranges.
 */
export function seedOfShare({ first }: SeedSpan, { index, of }: Share, place: number): number {
  return first + place * of + index - 1
}

/** Number of seeds of a share; infinite if the span has no end. */
export function countOfShare({ first, last }: SeedSpan, { index, of }: Share): number {
  if (last === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Math.ceil((last - first + 1 - (index - 1)) / of))
}

/** The share of a seed, and its position there; undefined: the span does not have the seed. */
export function placeOfSeed(
  { first, last = Number.MAX_SAFE_INTEGER }: SeedSpan,
  of: number,
  seed: number,
): { readonly index: number; readonly place: number } | undefined {
  if (seed < first || seed > last) return undefined
  const behind = seed - first
  return { index: (behind % of) + 1, place: Math.floor(behind / of) }
}

/** Seeds of one commit: this many, beginning at a number derived from its hash. */
export const seedsOfCommit = 1 << 20
const digits = 8

/**
 * A commit's name: at least as many digits as are used, so that a short hash and the whole one select the same seeds.
 */
export const commitPattern: RegExp = /^[0-9a-f]{8,64}$/i

/**
 * The seeds of a span, moved to the beginning of the commit's seeds. The first eight digits of the hash are used, so
 * that commits which differ in them have no seed in common, and every seed stays below 2^53.
 */
export function spanOfCommit(hash: string, { first, last = seedsOfCommit }: SeedSpan): SeedSpan {
  invariant(commitPattern.test(hash) && last <= seedsOfCommit, 'a commit and seeds within its own', { hash, last })
  const base = Number.parseInt(hash.slice(0, digits), 16) * seedsOfCommit
  return { first: base + first, last: base + last }
}

/** `1..200`, `1 on`. */
export function spanText({ first, last }: SeedSpan): string {
  return last === undefined ? `${first} on` : `${first}..${last}`
}
