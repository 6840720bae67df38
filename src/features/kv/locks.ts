import type { QueryParameters, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'

const uuidLength = 36

/**
 * What `acquire` and `release` get as long as this agent has no sessions: no session that anybody names can exist, so
 * acquiring fails as it does for an unknown one, and nobody holds what is to be released. `undefined`: neither was asked.
 */
export function refuseLock(query: QueryParameters): RouteResponse | undefined {
  const session = query.get('acquire') ?? query.get('release')
  if (session === undefined) return undefined
  if (session === '') return badRequest('missing session')
  if (!query.has('acquire')) return { kind: 'json', value: false }
  if (session.length !== uuidLength) return badRequest('failed session lookup: index error: UUID must be 36 characters')
  return failed({ kind: 'refused', message: `invalid session ${JSON.stringify(session)}` })
}
