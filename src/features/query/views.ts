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

/** The template that answers every name which no other one does. */
export function catchAllTemplate(tx: ReadTransaction): QueryRow | undefined {
  return first(tx.byIndex(queriesTable, 'template', ''))
}

/** The template whose name is the longest with which this one begins. */
export function templateFor(tx: ReadTransaction, name: string): QueryRow | undefined {
  const key = nameKey(name)
  // Names are bounded: so is the number of looks, however long the name is that a caller asks for.
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

/** Every answer about queries carries the index at which any of them last came, changed or went. */
export function queriesIndex(tx: ReadTransaction): number {
  return tx.lastChange(queriesTable)
}

/** At which one last went, or came to have another name. */
export function queryDeparturesIndex(tx: ReadTransaction): number {
  return tx.lastDeparture(queriesTable, 'name')
}

function first(rows: Iterable<QueryRow>): QueryRow | undefined {
  for (const row of rows) return row
  return undefined
}
