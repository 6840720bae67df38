import type { Intention } from '../api/intention-shapes.ts'

/** What decides whether one service may connect to another. */
export interface MeshDecision {
  /** All that match, in the order in which they are looked at: the first decides. */
  readonly matching: readonly Intention[]
  /** Undefined: none matches, so the default of the datacenter decides. */
  readonly deciding: Intention | undefined
}

/** The most exact intention decides: an exact destination counts more than an exact source. */
export function meshDecision(source: string, destination: string, all: readonly Intention[]): MeshDecision {
  const matching = all
    .filter(({ SourceName, DestinationName }) => covers(SourceName, source) && covers(DestinationName, destination))
    .toSorted((a, b) => b.Precedence - a.Precedence)
  return { matching, deciding: matching[0] }
}

function covers(written: string, name: string): boolean {
  return written === '*' || written === name
}
