import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

/**
 * Rooms in which files declare things of one sort, the words that declare one, and the one list that names them all.
 */
const registries = [
  { room: 'sim/checkers', by: 'checker|law|judgedAtRest', list: 'sim/checkers/checkers.ts', least: 50 },
  { room: 'sim/checkers', by: 'rareStates|toldStates', list: 'sim/checkers/marks.ts', least: 24 },
  { room: 'sim/faults', by: 'action', list: 'sim/faults/actions.ts', least: 29 },
  {
    room: 'sim/scenario/conditions',
    by: 'condition|askedCondition',
    list: 'sim/scenario/conditions/conditions.ts',
    least: 13,
  },
  { room: 'sim/scenario/steps', by: 'step', list: 'sim/scenario/steps/steps.ts', least: 15 },
  { room: 'sim/workload', by: 'workloadKind', list: 'sim/workload/kinds.ts', least: 7 },
]

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')

function declaredIn(room: string, by: string): readonly string[] {
  const files = readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' })
  const declaration = new RegExp(`^export const (\\w+) = (?:${by})\\(`, 'gm')
  return files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...read(`${room}/${name}`).matchAll(declaration)].map(([, found = '']) => found))
}

/** What a list does not name behind its imports. */
function missing(names: readonly string[], list: string): readonly string[] {
  const body = list.replace(/^import [^;]*? from '.*'$/gm, '')
  return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(body))
}

describe('what a file declares', () => {
  it.each(registries)('in $room is on the list in $list', ({ room, by, list, least }) => {
    const names = declaredIn(room, by)
    expect(names.length).toBeGreaterThanOrEqual(least)
    expect(missing(names, read(list))).toEqual([])
  })

  it('and is not on its list is found', () => {
    expect(missing(['one', 'other'], "import { other } from './other.ts'\nexport const all = { one }\n")).toEqual([
      'other',
    ])
  })
})
