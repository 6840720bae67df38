import type { Intention } from '../api/intention-shapes.ts'

/** What decides whether one service may connect to another. */
export interface MeshDecision {
  /** All that match, in the order in which the agents look at them: the first decides. */
  readonly matching: readonly Intention[]
  /** Undefined: none matches, so the default of the datacenter decides. */
  readonly deciding: Intention | undefined
}

/**
 * From the two answers of `/v1/connect/intentions/match`: those that apply to the source, and those that apply to the
 * destination, in the order of the agents. An intention that is among both applies to the connection.
 */
export function meshDecision(ofSource: readonly Intention[], ofDestination: readonly Intention[]): MeshDecision {
  const ids = new Set(ofSource.map(({ ID }) => ID))
  const matching = ofDestination.filter(({ ID }) => ids.has(ID))
  return { matching, deciding: matching[0] }
}
