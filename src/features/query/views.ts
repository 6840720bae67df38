import type { ReadTransaction } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import type { QueryRow } from './model.ts'
import { queriesTable } from './tables.ts'
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

/** The template with the longest name that is a prefix of this name. */
export function templateFor(tx: ReadTransaction, name: string): QueryRow | undefined {
  const key = nameKey(name)
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
export function queriesIndex(tx: ReadTransaction): number {
  return tx.lastChange(queriesTable)
}

/** The index at which a query was last removed or renamed. */
export function queryDeparturesIndex(tx: ReadTransaction): number {
  return tx.lastDeparture(queriesTable, 'name')
}

function first(rows: Iterable<QueryRow>): QueryRow | undefined {
  for (const row of rows) return row
  return undefined
}
