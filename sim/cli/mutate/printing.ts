import type { NamedMutant } from '../../mutation/build.ts'
import type { MutantLine, TestedLine } from '../../mutation/lines.ts'
import { type NeverInRoom, neverTable } from '../../mutation/never.ts'
import { scores, scoreTable, testedTable } from '../../mutation/score.ts'
import type { MutateFlags } from './flags.ts'

/** Maximum number of characters shown of a changed text. */
const shownMax = 60

export function fateText({ fate, killer, law, judge, seed }: MutantLine): string {
  if (fate !== 'killed') return fate.padEnd(11)
  return `killed by ${law ?? killer}, ${judge} ${seed}`
}

/** What tests say of a mutant. */
export function testedText({ fate, test, message }: TestedLine): string {
  return fate === 'killed' ? `killed by ${test ?? message ?? 'tests'}` : `${fate} by tests`
}

export function mutantText({
  id,
  place,
  operator,
  before,
  after,
}: Pick<NamedMutant, 'id' | 'place' | 'before' | 'after'> & { readonly operator: string }): string {
  return `${id}  ${place}  ${operator}: ${shown(before)} → ${shown(after)}`
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  if (line === '') return 'nothing'
  return line.length <= shownMax ? line : `${line.slice(0, shownMax - 1)}…`
}

/** The scores by room. */
export function endLines(
  done: readonly MutantLine[],
  tested: readonly TestedLine[] | undefined,
  { budget }: MutateFlags,
): readonly string[] {
  const cpuMs = done.reduce((sum, line) => sum + line.cpuMs, 0)
  return [
    '',
    ...scoreTable(scores(done)),
    ...(tested === undefined ? [] : ['', ...testedTable(done, tested)]),
    '',
    `budget ${budget / 1000} s of CPU time for each mutant, ${(cpuMs / 1000).toFixed(0)} s used by all`,
  ]
}

/** What no run does, file by file, and how much of each room that is. */
export function neverLines(rooms: readonly NeverInRoom[]): readonly string[] {
  const lines = rooms.flatMap(({ never }) => never).map((one) => ({ ...one, ...fileAndPlace(one.place) }))
  const files = [...new Set(lines.map(({ file }) => file))].flatMap((file) => {
    const ofFile = lines.filter((line) => line.file === file)
    return [
      file,
      ...ofFile.map(({ at, fate, text, more }) => {
        const others = more === 0 ? '' : `, and ${more} more ${more === 1 ? 'place' : 'places'}`
        return `  ${at.padEnd(7)} ${fate}: ${shown(text)}${others}`
      }),
    ]
  })
  return [...files, '', ...neverTable(rooms)]
}

function fileAndPlace(place: string): { readonly file: string; readonly at: string } {
  const [file = '', line, column] = place.split(':')
  return { file, at: `${line}:${column}` }
}
