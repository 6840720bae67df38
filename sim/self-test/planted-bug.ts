import type { InvariantCode } from '../checkers/checkers.ts'
import type { Patch } from './patch.ts'

/** A bug that is planted into a copy of the program, to check that it is found. */
export interface PlantedBug {
  /** Its row in the list of famous bugs; a row may have more than one. */
  readonly row: number
  /** Its name on the command line. */
  readonly name: string
  readonly about: string
  readonly patches: readonly Patch[]
  /** The scenario of `scenarios/hunts` that must find it. */
  readonly hunt: string
  /**
   * Any of these may be the first to find it. P1: an invariant that the agent itself asserts; `scenario`: a step's
   * expectation.
   */
  readonly foundBy: readonly (InvariantCode | 'scenario')[]
}
