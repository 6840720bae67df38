import { z } from 'zod'
import type { TableDefinition } from '../../store/types.ts'
import { stateIndex } from '../contract/fields.ts'
import { nameKey, pairKey } from '../contract/names.ts'
import { type SessionRow, sessionFields } from './model.ts'

export const sessionRow = z.object({ ...sessionFields, createIndex: stateIndex, modifyIndex: stateIndex })

export const sessionsTable: TableDefinition<SessionRow> = {
  name: 'sessions',
  key: (row) => row.id,
  indexes: { node: { key: (row) => nameKey(row.node) } },
  departures: { name: { stays: (before, after) => before.node === after.node } },
  decode: (row) => sessionRow.parse(row),
}

/** One check that a session depends on. */
export interface SessionCheckRow {
  readonly session: string
  readonly node: string
  readonly checkId: string
}

const sessionCheckRow = z.object({ session: sessionFields.id, node: z.string(), checkId: z.string() })

/** Finds the sessions that end with a check. */
export const sessionChecksTable: TableDefinition<SessionCheckRow> = {
  name: 'session-checks',
  key: (row) => sessionCheckKey(row.session, row.checkId),
  indexes: { check: { key: (row) => pairKey(row.node, row.checkId) } },
  decode: (row) => sessionCheckRow.parse(row),
}

export function sessionCheckKey(session: string, checkId: string): string {
  return `${session}/${nameKey(checkId)}`
}
