import type { Ask, Authorizer } from '../../access/authorizer.ts'
import type { Failure } from '../../model/failure.ts'
import { type Refusal, refusedOrAbsent, refusedUnlessAllowed } from '../contract/access.ts'
import { isTemplate, type QueryDefinition, type QueryRow } from './model.ts'

/** What readers without rights see instead of a token. */
export const hiddenToken = '<hidden>'

type Named = Pick<QueryDefinition, 'name' | 'template'>

/**
 * Whether rules govern the query. A query without a name is open to every caller that knows its ID. Spec: ACL-017,
 * ACL-018.
 */
function isGoverned(query: Named): boolean {
  return query.name !== '' || isTemplate(query)
}

export function queryRefused(authorizer: Authorizer, query: Named | undefined, right: Ask['right']): Ask | undefined {
  if (query === undefined || !isGoverned(query)) return undefined
  return refusedUnlessAllowed(authorizer, 'query', query.name, right)
}

/** Why the caller may not change an existing query. `notThere` is the answer for a missing one. */
export function queryChangeRefused(
  authorizer: Authorizer,
  query: Named | undefined,
  notThere: Failure,
): Refusal | undefined {
  if (query === undefined || !isGoverned(query)) return undefined
  return refusedOrAbsent(authorizer, { resource: 'query', name: query.name, right: 'write' }, notThere)
}

/** In a list, queries without a name are shown only to tokens that manage access control. */
export function isListed(authorizer: Authorizer, query: QueryRow): boolean {
  return managesAccess(authorizer) || (isGoverned(query) && queryRefused(authorizer, query, 'read') === undefined)
}

/** Shows the query's token only to callers that may read tokens anyway. */
export function queryShown(authorizer: Authorizer, query: QueryRow): QueryRow {
  return managesAccess(authorizer) ? query : withoutToken(query)
}

export function withoutToken(query: QueryRow): QueryRow {
  return query.token === '' ? query : { ...query, token: hiddenToken }
}

export function managesAccess(authorizer: Authorizer): boolean {
  return authorizer.allows('acl', '', 'write')
}
