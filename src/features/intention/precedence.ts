import { comparePlaces, covers, type Ends, type Place, wildcard } from './place.ts'

/** Which of several intentions decides. Reference: mesh.md#precedence. */

/**
 * From 9, where both ends name a service, to 1, where both are everything: how exact the destination is counts first, then
 * how exact the source is.
 */
export function precedenceOf({ source, destination }: Ends): number {
  return 3 * (exactness(destination) + 1) - (2 - exactness(source))
}

/** How much of it is a name and no wildcard. */
function exactness({ namespace, name }: Place): 0 | 1 | 2 {
  if (namespace === wildcard) return 0
  return name === wildcard ? 1 : 2
}

/** The one that decides comes first. */
export function comparePrecedence(a: Ends, b: Ends): number {
  return (
    precedenceOf(b) - precedenceOf(a) ||
    comparePlaces(a.source, b.source) ||
    comparePlaces(a.destination, b.destination)
  )
}

/** The one that decides on this source, of intentions that hold for one destination, in their order; undefined: none does. */
export function decidingOf<I extends Ends>(inOrder: readonly I[], source: Place): I | undefined {
  return inOrder.find((intention) => covers(intention.source, source))
}
