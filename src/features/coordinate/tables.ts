import type { TableDefinition } from '../../store/types.ts'
import { nameKey } from '../contract/names.ts'
import { type CoordinateRow, coordinateRow } from './model.ts'

export const coordinatesTable: TableDefinition<CoordinateRow> = {
  name: 'coordinates',
  key: (row) => nameKey(row.node),
  decode: (row) => coordinateRow.parse(row),
}
