import type { TableDefinition } from '../../store/types.ts'
import { type AutopilotRow, autopilotRow } from './autopilot.ts'
import { type ClusterNamesRow, clusterNamesRow } from './model.ts'

/** At most one row. */
export const autopilotTable: TableDefinition<AutopilotRow> = {
  name: 'operator-autopilot',
  key: () => autopilotKey,
  decode: (row) => autopilotRow.parse(row),
}

export const autopilotKey = 'settings'

/** At most one row: a cluster without it is called `svc`. */
export const clusterNamesTable: TableDefinition<ClusterNamesRow> = {
  name: 'operator-names',
  fromFirstWrite: true,
  key: () => clusterNamesKey,
  decode: (row) => clusterNamesRow.parse(row),
}

export const clusterNamesKey = 'names'
