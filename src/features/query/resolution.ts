import { lowerAscii } from '../../base/letter-case.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { isTemplate, type QueryRow } from './model.ts'
import { renderTemplate } from './template.ts'
import { queryById, queryByName, templateFor } from './views.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function looksLikeUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The query with an ID or a name, rendered if it is a template. */
export type Resolved =
  | { readonly kind: 'unknown' }
  /** `line` says what is wrong. */
  | { readonly kind: 'unusable'; readonly line: string }
  | { readonly kind: 'found'; readonly query: QueryRow }

/** The answer if there is no such query. */
export const noSuchQuery: Failure = { kind: 'not-found', message: 'Query not found' }

/**
 * Tries the ID first, then the exact name, then the template with the longest matching name. Reference:
 * prepared-queries.md#resolution-of-a-name.
 */
export function resolveQuery(tx: ReadTransaction, idOrName: string, segment: string): Resolved {
  const query = queryOf(tx, idOrName)
  if (query !== undefined && isTemplate(query) && query.id === lowerAscii(idOrName)) {
    return { kind: 'unusable', line: 'prepared query templates can only be resolved up by name, not by ID' }
  }
  if (query === undefined) return { kind: 'unknown' }
  if (!isTemplate(query)) return { kind: 'found', query }
  const rendered = renderTemplate(query, idOrName, segment)
  return rendered.ok ? { kind: 'found', query: rendered.value } : { kind: 'unusable', line: rendered.error }
}

/** The query itself, even if it is a template that cannot be rendered for this name. */
export function queryOf(tx: ReadTransaction, idOrName: string): QueryRow | undefined {
  if (idOrName === '') return undefined
  const byId = looksLikeUuid(idOrName) ? queryById(tx, lowerAscii(idOrName)) : undefined
  return byId ?? queryByName(tx, idOrName) ?? templateFor(tx, idOrName)
}
