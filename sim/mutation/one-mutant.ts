import { err, ok, type Result } from '../../src/base/result.ts'
import { type BuildOptions, mutationBuild, type NamedMutant } from './build.ts'
import { changedText } from './instrument.ts'
import { parsed, sitesOf } from './walk.ts'

/** One mutant alone: the program with its change and without a switch. */
export interface OneMutant {
  readonly mutant: NamedMutant
  /** The text of `mutant.file` with the change. */
  readonly text: string
}

/** Where a mutant is looked for if its file is not named. */
const everywhere = ['src']

/**
 * The mutant of a name: its identity, or, which is found sooner, its file and identity:
 * `src/raft/core/log.ts:be968cda`. The error is one sentence.
 */
export function mutantNamed(name: string, options: Omit<BuildOptions, 'rooms'>): Result<OneMutant, string> {
  const [, file, id] = /^(?:(.+[.]ts):)?([0-9a-f]{8})$/.exec(name) ?? []
  if (id === undefined)
    return err(`'${name}' is not the ID of a mutant: write its eight digits, as svc-sim mutate --list shows them`)
  const build = mutationBuild({ ...options, rooms: file === undefined ? everywhere : [file] })
  if (!build.ok) return build
  const mutant = build.value.mutants.find((each) => each.id === id)
  if (mutant === undefined) {
    return err(`no mutant of ${file ?? everywhere.join(', ')} has the ID ${id}: svc-sim mutate --list shows all`)
  }
  return ok({ mutant, text: textWith(mutant, build.value.mutants, options) })
}

/** Mutants of a file are numbered in the order of its changes. */
function textWith(
  mutant: NamedMutant,
  all: readonly NamedMutant[],
  { ts, workshop }: Pick<BuildOptions, 'ts' | 'workshop'>,
): string {
  const source = parsed(ts, mutant.file, workshop.read(mutant.file) ?? '')
  const changes = sitesOf(ts, source).flatMap((site) => site.changes)
  const nth = all.filter(({ file }) => file === mutant.file).findIndex(({ number }) => number === mutant.number)
  const change = changes[nth]
  // Both lists are made from the same sites of the same text.
  if (change === undefined) throw new Error(`mutant ${mutant.id} has no change in ${mutant.file}`)
  return changedText(source, change)
}
