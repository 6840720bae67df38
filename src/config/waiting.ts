import type { Naming } from '../model/naming/naming.ts'
import { toldUnder } from '../model/naming/told.ts'
import type { KeyRow } from './keys/key.ts'
import type { Report } from './parts/values.ts'
import { configKeys, type FileConfig } from './schema.ts'

/**
 * Keys of what is not there yet. Where ignoring one would leave the agent open, it is refused with the name of what is
 * missing; of any other that says more than its default, the lines that come back warn.
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

/** Whether it is the same as leaving it out. */
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
