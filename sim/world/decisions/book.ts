import type { Identity, Part } from './identity.ts'

/**
 * What kind of value it is: whether an `event` happens (0 or 1), whether a `chance` is taken (0 or 1), the number of a
 * `choice`, a place in a `range` (from 0 to 1, without 1), or a `raw` number of 32 bits, of which IDs are made.
 */
export type DecisionKind = 'event' | 'chance' | 'choice' | 'range' | 'raw'

/**
 * Sees every decision of a run where it is made, and may make it otherwise: for the list of a run, and to run a list.
 */
export interface Book {
  /**
   * Gives the value that counts. `n`: which number of this identity it is. `value`: as it was drawn. `usual`: what it
   * is where nobody decides otherwise: an event does not happen, a chance is not taken, a choice is the first, a range
   * is in its middle. `among`: how many there are to choose from.
   */
  decide(kind: DecisionKind, identity: Identity, n: number, value: number, usual: number, among?: number): number
  /** What an identity is made of; `within`: the one that it goes on from. */
  describe(identity: Identity, within: Identity | undefined, parts: readonly Part[]): void
}
