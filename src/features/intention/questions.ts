import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import { ownNameFor, type ProductNames } from '../../model/naming/names.ts'
import type { NamesOf, QueryParameters } from '../contract/route.ts'
import { parameter } from '../http/declared.ts'
import { placeGiven } from './body.ts'
import { matchedPlacesMax } from './endpoint.ts'
import type { Ends, Place } from './place.ts'

/** Parameters of queries about intentions. The errors are the texts that clients of the field know. */

export const matchParameters = [
  parameter('by', z.enum(['source', 'destination']), 'Which end of an intention the names are.'),
  parameter('name', 'texts', `A service, \`name\` or \`namespace/name\`; up to ${matchedPlacesMax} of them.`),
] as const

export const checkParameters = [
  parameter('source', z.string(), 'The service that connects, `name` or `namespace/name`.'),
  parameter('destination', z.string(), 'The service that it connects to.'),
  parameter('source-type', z.string(), 'What the source is: `svc`, as where it is absent.'),
] as const

export interface MatchQuestion {
  readonly by: 'source' | 'destination'
  /** In their given form. */
  readonly names: readonly string[]
  readonly places: readonly Place[]
}

export function matchQuestion(query: QueryParameters<NamesOf<typeof matchParameters>>): Result<MatchQuestion, string> {
  const [by, ...more] = query.all('by')
  if (by === undefined || more.length > 0) return err("required query parameter 'by' not set")
  if (by !== 'source' && by !== 'destination') {
    return err("'by' parameter must be one of 'source' or 'destination'")
  }
  const names = query.all('name')
  if (names.length === 0) return err("required query parameter 'name' not set")
  if (names.length > matchedPlacesMax) return err(`query parameter 'name' given more than ${matchedPlacesMax} times`)
  const places: Place[] = []
  for (const name of names) {
    const place = placeGiven('name', name)
    if (!place.ok) return place
    places.push(place.value)
  }
  return ok({ by, names, places })
}

export function checkQuestion(
  query: QueryParameters<NamesOf<typeof checkParameters>>,
  names: ProductNames,
): Result<Ends, string> {
  const source = endGiven(query, 'source')
  if (!source.ok) return source
  const destination = endGiven(query, 'destination')
  if (!destination.ok) return destination
  const sourceType = query.get('source-type') ?? names.naming.name
  if (ownNameFor(sourceType, names) !== names.naming.name) {
    return err(`unsupported SourceType: ${JSON.stringify(sourceType)}`)
  }
  return ok({ source: source.value, destination: destination.value })
}

function endGiven(
  query: QueryParameters<'source' | 'destination'>,
  end: 'source' | 'destination',
): Result<Place, string> {
  const [given, ...more] = query.all(end)
  if (given === undefined || more.length > 0) return err(`required query parameter '${end}' not set`)
  return placeGiven(end, given)
}
