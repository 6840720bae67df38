import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Paths of all scenarios below the folder `root` of the program, as a command in the folder `from` names them: relative
 * if they are below it, sorted by name. Hunts, which are ordinary scenarios, and regressions are included.
 */
export function shippedScenarios(root: string, from: string): readonly string[] {
  return shippedFiles(join(root, 'scenarios'), from, (name) => name.endsWith('.yaml'))
}

/** Paths of the `lesson.yaml` of each lesson, in the same form and order. */
export function shippedLessons(root: string, from: string): readonly string[] {
  return shippedFiles(join(root, 'lessons'), from, (name) => name.endsWith('/lesson.yaml'))
}

function shippedFiles(folder: string, from: string, isWanted: (name: string) => boolean): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isWanted)
  const sorted = names.toSorted((one, other) => (one < other ? -1 : 1))
  return sorted.map((name) => {
    const path = join(folder, name)
    const below = relative(from, path)
    return below.startsWith('..') ? path : below
  })
}
