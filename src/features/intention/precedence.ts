import { comparePlaces, covers, type Ends, type Place, wildcard } from './place.ts'

/** Which of several matching intentions decides. Reference: mesh.md#precedence. */

/**
 * From 9, if both ends name a service, to 1, if both are wildcards: the exactness of the destination counts first, then
 * that of the source.
 */
export function precedenceOf({ source, destination }: Ends): number {
  return 3 * (exactness(destination) + 1) - (2 - exactness(source))
}

/** Number of parts that are names and not wildcards. */
function exactness({ namespace, name }: Place): 0 | 1 | 2 {
  if (namespace === wildcard) return 0
  return name === wildcard ? 1 : 2
}

/** Sorts the deciding intention first. */
export function comparePrecedence(a: Ends, b: Ends): number {
  return (
    precedenceOf(b) - precedenceOf(a) ||
    comparePlaces(a.source, b.source) ||
    comparePlaces(a.destination, b.destination)
  )
}

/**
 * The deciding intention for this source, from a sorted list of those that match one destination; undefined: none
 * matches.
 */
export function decidingOf<I extends Ends>(inOrder: readonly I[], source: Place): I | undefined {
  return inOrder.find((intention) => covers(intention.source, source))
}
