import type { Entry } from '../../../src/raft/core/types.ts'

const offsetBasis = 0x811c9dc5
const prime = 0x01000193

/**
 * A 52-bit hash of an entry and everything before it: equal exactly when two logs agree up to here, except for a chance
 * of 2^-52. Two lanes of FNV-1a over the payload, mixed with the previous hash, term and kind.
 */
export function chainHash(before: number, entry: Entry): number {
  let low = stir(offsetBasis, before >>> 0)
  let high = stir(prime, (before / 0x100000000) >>> 0)
  low = stir(low, entry.term)
  high = stir(high, entry.index)
  low = stir(low, kindNumber(entry))
  const { payload } = entry
  for (let i = 0; i < payload.length; i++) {
    const byte = payload[i] as number
    low = Math.imul(low ^ byte, prime)
    high = Math.imul(high ^ (byte + 1), 0x85ebca6b)
  }
  low = finish(low ^ payload.length)
  high = finish(high)
  return (high >>> 12) * 0x100000000 + (low >>> 0)
}

/** Hash of one entry without the entries before it. */
export function entryHash(entry: Entry): number {
  return chainHash(0, entry)
}

function kindNumber(entry: Entry): number {
  if (entry.kind === 'command') return 1
  return entry.kind === 'no-op' ? 2 : 3
}

function stir(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0xcc9e2d51)
  return Math.imul(mixed ^ (mixed >>> 15), 0x1b873593)
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
