import { z } from 'zod'
import type { TableDefinition } from '../../store/types.ts'
import { stateIndex } from '../contract/fields.ts'
import { nameKey } from '../contract/names.ts'
import { definitionFields, isTemplate, type QueryRow, queryId } from './model.ts'

const queryRow = z.object({ id: queryId, ...definitionFields, createIndex: stateIndex, modifyIndex: stateIndex })

/** `name`: every query with a name. `template`: templates alone, including the one with the empty name. */
export const queriesTable: TableDefinition<QueryRow> = {
  name: 'prepared-queries',
  key: (row) => row.id,
  indexes: {
    name: { key: (row) => (row.name === '' ? undefined : nameKey(row.name)) },
    template: { key: (row) => (isTemplate(row) ? nameKey(row.name) : undefined) },
    session: { key: (row) => (row.session === '' ? undefined : row.session) },
  },
  departures: {
    name: { stays: (before, after) => before.name === after.name && isTemplate(before) === isTemplate(after) },
  },
  decode: (row) => queryRow.parse(row),
}
