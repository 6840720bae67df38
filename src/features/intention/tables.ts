import { z } from 'zod'
import type { TableDefinition } from '../../store/types.ts'
import { count, stateIndex } from '../contract/fields.ts'
import { pairKey } from '../contract/names.ts'
import { contentFields, type IntentionRow, intentionId } from './model.ts'
import type { Ends, Place } from './place.ts'

const intentionRow = z.object({
  id: intentionId,
  ...contentFields,
  createdMs: count,
  updatedMs: count,
  createIndex: stateIndex,
  modifyIndex: stateIndex,
})

/** `ends`: unique for each intention. */
export const intentionsTable: TableDefinition<IntentionRow> = {
  name: 'intentions',
  key: (row) => row.id,
  indexes: {
    source: { key: (row) => placeKey(row.source) },
    destination: { key: (row) => placeKey(row.destination) },
    ends: { key: endsKey },
  },
  departures: { name: { stays: (before, after) => before.destination.name === after.destination.name } },
  decode: (row) => intentionRow.parse(row),
}

/** As in the catalog, names are compared without case. */
export function placeKey({ namespace, name }: Place): string {
  return pairKey(namespace, name)
}

export function endsKey({ source, destination }: Ends): string {
  const first = placeKey(source)
  return `${first.length}/${first}${placeKey(destination)}`
}
