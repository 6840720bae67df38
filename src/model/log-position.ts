/**
 * Positions in the replicated log as types of their own. All of them are counts, and one in the place of another would
 * be a mistake that nothing shows: it does not compile. They compare as numbers do, and a difference of two is a
 * number; other arithmetic goes through the functions below. At run time they are numbers.
 */
declare const kind: unique symbol

/** Position in the log; the first entry has 1, and 0 means "none". */
export type LogIndex = number & { readonly [kind]: 'log index' }

/** Counts elections; 0 before the first. */
export type Term = number & { readonly [kind]: 'term' }

/**
 * Index of the state: of the command that last changed a row, a table or what a query saw (`ModifyIndex`,
 * `CreateIndex`, `X-…-Index`). It is the log index of that command, and ahead of it once a state of a higher index was
 * restored.
 */
export type ModifyIndex = number & { readonly [kind]: 'modify index' }

/** The one place where a number becomes an index; numbers from outside go through `isLogIndex`. */
export function logIndexOf(count: number): LogIndex {
  return count as LogIndex
}

/** The one place where a number becomes a term; numbers from outside go through `isTerm`. */
export function termOf(count: number): Term {
  return count as Term
}

/** The one place where a number becomes an index of the state; numbers from outside go through `isModifyIndex`. */
export function modifyIndexOf(count: number): ModifyIndex {
  return count as ModifyIndex
}

export const noIndex: LogIndex = logIndexOf(0)
export const noTerm: Term = termOf(0)
/** The index before the first command. */
export const noChange: ModifyIndex = modifyIndexOf(0)
/** The index of the first command; answers never have a lower one. */
export const firstChange: ModifyIndex = modifyIndexOf(1)

/** Whether a value from outside is a possible index of the log. */
export function isLogIndex(value: unknown): value is LogIndex {
  return isCount(value)
}

/** Whether a value from outside is a possible term. */
export function isTerm(value: unknown): value is Term {
  return isCount(value)
}

/** Whether a value from outside is a possible index of the state. */
export function isModifyIndex(value: unknown): value is ModifyIndex {
  return isCount(value)
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function indexAfter(index: LogIndex): LogIndex {
  return logIndexOf(index + 1)
}

export function indexBefore(index: LogIndex): LogIndex {
  return logIndexOf(index - 1)
}

/** The index this many entries further on. */
export function plus(index: LogIndex, entries: number): LogIndex {
  return logIndexOf(index + entries)
}

export function termAfter(before: Term): Term {
  return termOf(before + 1)
}

export function lesser<Position extends LogIndex | Term | ModifyIndex>(one: Position, other: Position): Position {
  return one < other ? one : other
}

export function greater<Position extends LogIndex | Term | ModifyIndex>(
  one: Position,
  other: Position,
  third: Position = one,
): Position {
  const more = one > other ? one : other
  return more > third ? more : third
}
