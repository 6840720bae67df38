import { InvariantViolation } from './invariant.ts'

/**
 * Items at places that the caller knows to be there: a place outside breaks an invariant instead of going on as
 * `undefined`. One function for each kind of list, because the engine compiles a load for the kinds that it has seen
 * there.
 */
export function itemAt<T extends NonNullable<unknown>>(items: readonly T[], at: number): T {
  const item = items[at]
  if (item === undefined) throw outside(at, items.length)
  return item
}

export function lastOf<T extends NonNullable<unknown>>(items: readonly T[]): T {
  return itemAt(items, items.length - 1)
}

export function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw outside(at, bytes.length)
  return byte
}

/** A number of a table that is looked up in a tight loop. */
export function wordAt(words: Int32Array | Uint16Array, at: number): number {
  const word = words[at]
  if (word === undefined) throw outside(at, words.length)
  return word
}

function outside(at: number, length: number): InvariantViolation {
  return new InvariantViolation('a place outside the list', { at, length })
}
