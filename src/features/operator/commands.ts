import { z } from 'zod'
import { releaseOf } from '../../model/release.ts'
import type { WriteTransaction } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { uint64 } from '../contract/fields.ts'
import { type AutopilotSettings, autopilotSettings } from './autopilot.ts'
import { autopilotTable } from './tables.ts'
import { autopilotOf } from './views.ts'

const autopilotSince = releaseOf('autopilot')

const initializeBody = z.strictObject({ settings: autopilotSettings })

/** The configured settings of the first leader; changes nothing if there are settings already. */
export const autopilotInitialize: CommandDefinition<z.infer<typeof initializeBody>, boolean> = {
  kind: 'autopilot.initialize',
  outcome: z.boolean(),
  since: autopilotSince,
  body: initializeBody,
  apply: (tx, { settings }) => {
    if (autopilotOf(tx) !== undefined) return false
    put(tx, settings)
    return true
  },
}

const setBody = z.strictObject({ settings: autopilotSettings, at: uint64.optional() })

/** Replaces all settings. With `at`: only if they were last changed at that index. */
export const autopilotSet: CommandDefinition<z.infer<typeof setBody>, boolean> = {
  kind: 'autopilot.set',
  outcome: z.boolean(),
  since: autopilotSince,
  body: setBody,
  apply: (tx, { settings, at }) => {
    if (at !== undefined && BigInt(autopilotOf(tx)?.modifyIndex ?? 0) !== at) return false
    put(tx, settings)
    return true
  },
}

function put(tx: WriteTransaction, settings: AutopilotSettings): void {
  const createIndex = autopilotOf(tx)?.createIndex ?? tx.index
  tx.put(autopilotTable, Object.freeze({ ...settings, createIndex, modifyIndex: tx.index }))
}
