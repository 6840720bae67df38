import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import { mutantNamed } from '../mutation/one-mutant.ts'
import { plantedCopy, plantedTexts } from '../self-test/search.ts'
import { huntOf } from '../self-test/self-test.ts'
import type { ProgramCopy } from '../self-test/workshop.ts'
import { bugsNamed } from './self-test.ts'
import type { SimTerminal } from './terminal.ts'

/** What is wrong on purpose with the program that runs; nothing: it is this one. */
export interface PlantFlags {
  /** Row or name of a planted bug. */
  readonly bug?: string
  /** Identity of a mutant, behind its file if that is given: `src/raft/core/log.ts:be968cda`. */
  readonly mutant?: string
}

export function addPlant(command: Command): Command {
  return command
    .option('--bug <row or name>', 'in a copy of this program with this planted bug; its hunt if no scenario is named')
    .option('--mutant <id>', 'in a copy of this program with this change of svc-sim mutate: [FILE:]ID')
}

/** A copy of this program that has something wrong on purpose. */
export interface Plant {
  /** Of files about it: `tail-kept`, `be968cda`. */
  readonly name: string
  /** For people: `the planted bug tail-kept`. */
  readonly words: string
  /** The scenario where none is named; undefined: one must be. */
  readonly hunt: string | undefined
  /**
   * Its runs must come to what their scenario demands, as for mutants. A planted bug is to be found by an invariant, and
   * not by what it keeps a run from.
   */
  readonly demands: boolean
  /** The built modules that are other than those of this program. */
  readonly texts: ReadonlyMap<string, string>
  /** To be removed at the end. */
  readonly copy: ProgramCopy
  /** The sound program, tuned as this one is: a copy to be removed, too; undefined: it is this program itself. */
  readonly sound: () => ProgramCopy | undefined
}

/** The copy that was asked for; undefined: none was. The error is one line. */
export function plantOf(flags: PlantFlags, terminal: SimTerminal): Result<Plant | undefined, string> {
  if (flags.bug !== undefined && flags.mutant !== undefined) return err('give either --bug or --mutant')
  if (flags.bug !== undefined) return plantOfBug(flags.bug, terminal)
  return flags.mutant === undefined ? ok(undefined) : plantOfMutant(flags.mutant, terminal)
}

/** The options that come to the same copy, with a space before each. */
export function plantText({ bug, mutant }: PlantFlags): string {
  return [
    ...(bug === undefined ? [] : [` --bug ${bug}`]),
    ...(mutant === undefined ? [] : [` --mutant ${mutant}`]),
  ].join('')
}

function plantOfBug(named: string, terminal: SimTerminal): Result<Plant, string> {
  const chosen = bugsNamed([named])
  if (typeof chosen === 'string') return err(chosen)
  const [bug, ...more] = chosen
  if (bug === undefined || more.length > 0) return err(`'${named}' is several bugs: name one`)
  const workshop = terminal.createWorkshop()
  const texts = plantedTexts(workshop, bug)
  if (!texts.ok) return texts
  const hunt = workshop.scenario(`hunts/${bug.hunt}.yaml`)
  const sound = (): ProgramCopy | undefined => {
    const { tuning } = huntOf(bug)
    const tuned = tuning.length === 0 ? undefined : plantedCopy(workshop, { ...bug, patches: [] })
    return tuned?.ok === true ? tuned.value : undefined
  }
  return ok({
    name: bug.name,
    words: `the planted bug ${bug.name}`,
    hunt,
    demands: false,
    texts: texts.value,
    copy: workshop.copy(texts.value),
    sound,
  })
}

function plantOfMutant(name: string, terminal: SimTerminal): Result<Plant, string> {
  const ts = terminal.loadCompiler()
  if (ts === undefined) {
    return err(
      '--mutant parses with the package "typescript", a development dependency that is not installed: run "npm ci" in a checkout',
    )
  }
  const workshop = terminal.createWorkshop()
  const platform = terminal.createPlatform()
  const found = mutantNamed(name, { ts, workshop, sha256: platform.sha256 })
  platform.close()
  if (!found.ok) return found
  const { mutant, text } = found.value
  const texts = new Map([[mutant.file, text]])
  return ok({
    name: mutant.id,
    words: `the mutant ${mutant.id} of ${mutant.place}`,
    hunt: undefined,
    demands: true,
    texts,
    copy: workshop.copy(texts),
    sound: () => undefined,
  })
}
