import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import type { SessionRow } from './model.ts'
import { sessionsTable } from './tables.ts'

/** Pure reads of sessions, for other features too. Lists are in order of ID. */

export function sessionById(tx: ReadTransaction, id: string): SessionRow | undefined {
  return tx.get(sessionsTable, id)
}

export function allSessions(tx: ReadTransaction): Iterable<SessionRow> {
  return tx.all(sessionsTable)
}

export function sessionsOfNode(tx: ReadTransaction, node: string): Iterable<SessionRow> {
  return tx.byIndex(sessionsTable, 'node', nameKey(node))
}

/** Every answer about sessions carries the index at which any of them was last created or ended. */
export function sessionsIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(sessionsTable)
}

/** The index at which one last ended. */
export function sessionDeparturesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastDeparture(sessionsTable, 'name')
}

export function sessionCount(tx: ReadTransaction): number {
  return tx.count(sessionsTable)
}
