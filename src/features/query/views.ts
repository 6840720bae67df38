import { lowerAscii } from '../../base/letter-case.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import { isTemplate, type QueryRow } from './model.ts'
import { queriesTable } from './tables.ts'
import { renderTemplate } from './template.ts'
import { queryNameBytesMax } from './validation.ts'

/** Pure reads of prepared queries. Lists are in order of ID. */

export function queryById(tx: ReadTransaction, id: string): QueryRow | undefined {
  return tx.get(queriesTable, id)
}

export function queryByName(tx: ReadTransaction, name: string): QueryRow | undefined {
  return first(tx.byIndex(queriesTable, 'name', nameKey(name)))
}

/** The template with the empty name, which answers every name that no other template matches. */
export function catchAllTemplate(tx: ReadTransaction): QueryRow | undefined {
  return first(tx.byIndex(queriesTable, 'template', ''))
}

/**
 * Maximum number of bytes of a name that a template answers: twice the longest name in DNS. Its expression is matched
 * against the name at each execution, which could take seconds for one as long as a request may be.
 */
const templatedNameBytesMax = 512

/** The template with the longest name that is a prefix of this name. */
function templateFor(tx: ReadTransaction, name: string): QueryRow | undefined {
  const key = nameKey(name)
  if (key.length > templatedNameBytesMax) return undefined
  // Names are bounded, and so is the number of lookups, however long the requested name is.
  for (let length = Math.min(key.length, queryNameBytesMax); length >= 0; length--) {
    const found = first(tx.byIndex(queriesTable, 'template', key.slice(0, length)))
    if (found !== undefined) return found
  }
  return undefined
}

export function queriesOfSession(tx: ReadTransaction, session: string): Iterable<QueryRow> {
  return tx.byIndex(queriesTable, 'session', session)
}

export function allQueries(tx: ReadTransaction): Iterable<QueryRow> {
  return tx.all(queriesTable)
}

/** Every answer about queries carries the index at which any of them was last created, changed or removed. */
export function queriesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(queriesTable)
}

/** The index at which a query was last removed or renamed. */
export function queryDeparturesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastDeparture(queriesTable, 'name')
}

function first(rows: Iterable<QueryRow>): QueryRow | undefined {
  for (const row of rows) return row
  return undefined
}

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
