import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import type { PolicyRow, TokenRow } from '../model.ts'

/** What differs between the tokens and policies of two datacenters, and how much of it is copied at a time. */

/** How entries of both sides are recognized, and whether one of theirs is equal to one of ours. */
interface Likeness<Entry> {
  idOf(entry: Entry): string
  isSame(theirs: Entry, ours: Entry): boolean
}

/**
 * A list contains everything but the rules, and hashes that join all members without a mark in between, as in the
 * field: a text that moves from one member to the next leaves the hash as it is. If hashes and all other members are
 * equal, the rules are equal.
 */
export const policyLikeness: Likeness<PolicyRow> = {
  idOf: ({ id }) => id,
  isSame: (theirs, ours) =>
    theirs.hash === ours.hash &&
    theirs.name === ours.name &&
    theirs.description === ours.description &&
    sameTexts(theirs.datacenters, ours.datacenters),
}

export const tokenLikeness: Likeness<TokenRow> = {
  idOf: ({ accessor }) => accessor,
  isSame: (theirs, ours) =>
    theirs.hash === ours.hash &&
    theirs.description === ours.description &&
    theirs.type === ours.type &&
    sameTexts(idsOf(theirs), idsOf(ours)),
}

function idsOf({ policies }: TokenRow): readonly string[] {
  return policies.map(({ id }) => id)
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at])
}

/** The IDs of what to take over and of what to remove. */
export function compared<Entry>(
  theirs: readonly Entry[],
  ours: readonly Entry[],
  { idOf, isSame }: Likeness<Entry>,
): { readonly changed: readonly string[]; readonly gone: readonly string[] } {
  const here = new Map(ours.map((entry) => [idOf(entry), entry]))
  const there = new Set(theirs.map(idOf))
  const isCopied = (entry: Entry): boolean => {
    const own = here.get(idOf(entry))
    return own !== undefined && isSame(entry, own)
  }
  return {
    changed: theirs.filter((entry) => !isCopied(entry)).map(idOf),
    gone: ours.map(idOf).filter((id) => !there.has(id)),
  }
}

/** Splits the list into parts of at most this size. */
export function* inBatches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

/**
 * Copies entries, at most `size` at a time, and fewer where they are too large together for one answer or one entry of
 * the log. Undefined: everything is copied. Otherwise why the round ends.
 */
export async function inParts(
  { over }: { over(): boolean },
  all: readonly string[],
  size: number,
  copy: (ids: readonly string[]) => Promise<Result<unknown, Failure>>,
): Promise<Result<ModifyIndex, Failure> | undefined> {
  const left = [...inBatches(all, size)].reverse()
  for (let ids = left.pop(); ids !== undefined; ids = left.pop()) {
    const done = await copy(ids)
    if (over()) return ok(noChange)
    if (done.ok) continue
    if (done.error.kind !== 'too-large' || ids.length < 2) return err(done.error)
    const half = ids.length >> 1
    left.push(ids.slice(half), ids.slice(0, half))
  }
  return undefined
}
