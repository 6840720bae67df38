import type { Naming } from '../model/naming/naming.ts'
import { toldUnder } from '../model/naming/told.ts'
import type { KeyRow } from './keys/key.ts'
import type { Report } from './parts/values.ts'
import { configKeys, type FileConfig } from './schema.ts'

/**
 * Handles keys of features that are not built yet. If ignoring a key would leave the agent open, it is refused with the
 * name of the missing feature. For any other key whose value differs from its default, a warning is returned.
 */
export function waitingKeys(
  file: FileConfig,
  naming: Naming,
  problem: Report,
  placeOf: (path: readonly string[]) => string,
): readonly string[] {
  const warnings: string[] = []
  for (const row of configKeys()) {
    const { name, waits } = row
    if (waits === undefined || name.includes('[]')) continue
    const path = name.split('.')
    const value = valueAt(file, path)
    if (saysNothing(value, row)) continue
    if (waits.refused !== undefined && !(name === 'acl_datacenter' && file.acl?.enabled === false)) {
      problem(`${name}: ${toldUnder(naming, waits.refused)}`, 'leave it out', name)
    } else {
      const why = waits.never === true ? `: ${waits.for}` : ` yet: it waits for ${waits.for}`
      warnings.push(`${placeOf(path)}: '${name}' has no effect${why}`)
    }
  }
  return warnings
}

/** Whether the value has the same effect as leaving the key out. */
function saysNothing(value: unknown, row: KeyRow): boolean {
  if (value === undefined || value === '' || JSON.stringify(value) === JSON.stringify(row.default)) return true
  return Array.isArray(value) && value.length === 0
}

/** The value in a configuration at this path. */
export function valueAt(file: unknown, path: readonly string[]): unknown {
  let at = file
  for (const part of path) {
    at = typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[part] : undefined
  }
  return at
}
