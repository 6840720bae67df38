import type { LogIndex, Term } from '../../src/model/log-position.ts'

/**
 * A type whose positions in the log may be written as numbers: tests write many, and say by the member which is meant.
 */
export type Plain<T> = T extends LogIndex | Term
  ? number
  : T extends Uint8Array
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T

/** The value, its numbers taken as the positions that its type says. */
export function positioned<T>(plain: Plain<T>): T {
  return plain as T
}
