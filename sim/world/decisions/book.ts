import type { Identity, Part } from './identity.ts'

/**
 * The kind of a value: whether an `event` happens (0 or 1), whether a `chance` occurs (0 or 1), the number of a
 * `choice`, a place in a `range` (from 0 to 1, without 1), or a `raw` number of 32 bits, of which IDs are made.
 */
export type DecisionKind = 'event' | 'chance' | 'choice' | 'range' | 'raw'

/**
 * Sees every decision of a run, and may replace its value: to write the list of decisions, and to replay one.
 */
export interface Book {
  /**
   * Returns the value to use. `n`: the position in the numbers of this identity. `value`: as it was drawn. `usual`: its
   * default: an event does not happen, a chance does not occur, a choice is the first, a range
   * is in its middle. `among`: how many there are to choose from.
   */
  decide(kind: DecisionKind, identity: Identity, n: number, value: number, usual: number, among?: number): number
  /** The parts of an identity; `within`: the identity that contains it. */
  describe(identity: Identity, within: Identity | undefined, parts: readonly Part[]): void
}
