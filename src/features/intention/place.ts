import { compareText } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'

/** A service, or with `*` all services: of one namespace, or of all namespaces. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

/** The connecting service, and the service that it connects to. */
export interface Ends {
  readonly source: Place
  readonly destination: Place
}

export const wildcard = '*'
export const defaultNamespace = 'default'

/** `name`, or `namespace/name`. */
export function placeOf(text: string): Place | undefined {
  const [first = '', second, ...more] = text.split('/')
  if (more.length > 0) return undefined
  return second === undefined ? { namespace: defaultNamespace, name: first } : { namespace: first, name: second }
}

export function placeText({ namespace, name }: Place): string {
  return `${namespace}/${name}`
}

function comparePlaces(a: Place, b: Place): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}

/** The places whose intentions match this one: itself, all services of its namespace, everything. */
export function coveringPlaces({ namespace, name }: Place): readonly Place[] {
  const everything = { namespace: wildcard, name: wildcard }
  if (namespace === wildcard) return [everything]
  const ofNamespace = { namespace, name: wildcard }
  return name === wildcard ? [ofNamespace, everything] : [{ namespace, name }, ofNamespace, everything]
}

/** Whether an intention for `place` matches a service. As in the catalog, names are compared without case. */
function covers(place: Place, service: Place): boolean {
  return holdsFor(place.namespace, service.namespace) && holdsFor(place.name, service.name)
}

function holdsFor(said: string, given: string): boolean {
  return said === wildcard || said === given || lowerAscii(said) === lowerAscii(given)
}

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
