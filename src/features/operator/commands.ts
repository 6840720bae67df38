import { z } from 'zod'
import { type NamingName, namingNames } from '../../model/naming/naming.ts'
import { releaseOf } from '../../model/release.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { uint64 } from '../contract/fields.ts'
import { type AutopilotSettings, autopilotSettings } from './autopilot.ts'
import { autopilotTable, clusterNamesTable } from './tables.ts'
import { autopilotOf, fixedNames } from './views.ts'

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

/** An index at which no row is ever changed. */
const neverChanged = (1n << 64n) - 1n

/** A body with which the command changes nothing, on any state; undefined while no leader has stored settings. */
export function unchangedAutopilot(tx: ReadTransaction): z.infer<typeof setBody> | undefined {
  const row = autopilotOf(tx)
  if (row === undefined) return undefined
  const { createIndex: _, modifyIndex: __, ...settings } = row
  return { settings, at: neverChanged }
}

const namesBody = z.strictObject({ names: z.enum(namingNames) })

/** Fixes the naming of the cluster unless it is fixed already. Returns the naming that holds from then on. */
export const namesFix: CommandDefinition<z.infer<typeof namesBody>, NamingName> = {
  kind: 'operator.names',
  outcome: z.enum(namingNames),
  since: releaseOf('cluster-names'),
  body: namesBody,
  apply: (tx, { names }) => {
    const fixed = fixedNames(tx)
    if (fixed !== undefined) return fixed
    tx.put(clusterNamesTable, Object.freeze({ names, createIndex: tx.index, modifyIndex: tx.index }))
    return names
  },
}

function put(tx: WriteTransaction, settings: AutopilotSettings): void {
  const createIndex = autopilotOf(tx)?.createIndex ?? tx.index
  tx.put(autopilotTable, Object.freeze({ ...settings, createIndex, modifyIndex: tx.index }))
}
