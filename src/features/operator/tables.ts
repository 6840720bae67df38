import type { TableDefinition } from '../../store/types.ts'
import { type AutopilotRow, autopilotRow } from './autopilot.ts'

/** At most one row. */
export const autopilotTable: TableDefinition<AutopilotRow> = {
  name: 'operator-autopilot',
  key: () => autopilotKey,
  decode: (row) => autopilotRow.parse(row),
}

export const autopilotKey = 'settings'
