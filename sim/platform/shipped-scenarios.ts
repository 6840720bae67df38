import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Paths of all scenarios below the folder `root` of the program, as a command in the folder `from` names them: relative
 * if they are below it, sorted by name. Hunts, which are ordinary scenarios, and regressions are included.
 */
export function shippedScenarios(root: string, from: string): readonly string[] {
  const folder = join(root, 'scenarios')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  const sorted = names.toSorted((one, other) => (one < other ? -1 : 1))
  return sorted.map((name) => {
    const path = join(folder, name)
    const below = relative(from, path)
    return below.startsWith('..') ? path : below
  })
}
