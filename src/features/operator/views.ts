import { serversService } from '../../model/naming/names.ts'
import { type NamingName, svcNaming } from '../../model/naming/naming.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { instancesOf } from '../catalog/views.ts'
import type { AutopilotRow } from './autopilot.ts'
import { autopilotKey, autopilotTable, clusterNamesKey, clusterNamesTable } from './tables.ts'

/** Undefined: no leader has stored settings yet. */
export function autopilotOf(tx: ReadTransaction): AutopilotRow | undefined {
  return tx.get(autopilotTable, autopilotKey)
}

/** The naming of the cluster by its log. A cluster without that record is called `svc`. */
export function clusterNames(tx: ReadTransaction): NamingName {
  return tx.get(clusterNamesTable, clusterNamesKey)?.names ?? svcNaming.name
}

/**
 * The same; undefined while the naming is still open. Without the record, it is open until a leader has begun its
 * duties. Each duty leaves a trace, its settings or the servers in the catalog, and the record comes before all of
 * them.
 */
export function fixedNames(tx: ReadTransaction): NamingName | undefined {
  const recorded = tx.get(clusterNamesTable, clusterNamesKey)?.names
  if (recorded !== undefined) return recorded
  const [instance] = instancesOf(tx, serversService(svcNaming))
  return autopilotOf(tx) === undefined && instance === undefined ? undefined : svcNaming.name
}
