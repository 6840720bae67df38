import type { ReadTransaction } from '../../store/types.ts'
import type { AutopilotRow } from './autopilot.ts'
import { autopilotKey, autopilotTable } from './tables.ts'

/** Undefined: no leader has stored settings yet. */
export function autopilotOf(tx: ReadTransaction): AutopilotRow | undefined {
  return tx.get(autopilotTable, autopilotKey)
}
