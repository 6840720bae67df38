import { lowerAscii } from '../../base/letter-case.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { isTemplate, type QueryRow } from './model.ts'
import { renderTemplate } from './template.ts'
import { queryById, queryByName, templateFor } from './views.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function looksLikeUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The query that an ID or a name stands for, rendered where it is made from a template. */
export type Resolved =
  | { readonly kind: 'unknown' }
  /** The line says what is wrong. */
  | { readonly kind: 'unusable'; readonly line: string }
  | { readonly kind: 'found'; readonly query: QueryRow }

/** The ID first, then the exact name, then the template with the longest name. Reference: HTTP API 10, templates. */
export function resolveQuery(tx: ReadTransaction, idOrName: string, segment: string): Resolved {
  if (idOrName === '') return { kind: 'unknown' }
  const byId = looksLikeUuid(idOrName) ? queryById(tx, lowerAscii(idOrName)) : undefined
  if (byId !== undefined) {
    if (!isTemplate(byId)) return { kind: 'found', query: byId }
    return { kind: 'unusable', line: 'prepared query templates can only be resolved up by name, not by ID' }
  }
  const query = queryByName(tx, idOrName) ?? templateFor(tx, idOrName)
  if (query === undefined) return { kind: 'unknown' }
  if (!isTemplate(query)) return { kind: 'found', query }
  const rendered = renderTemplate(query, idOrName, segment)
  return rendered.ok ? { kind: 'found', query: rendered.value } : { kind: 'unusable', line: rendered.error }
}
