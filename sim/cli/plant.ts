import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import { mutantNamed } from '../mutation/one-mutant.ts'
import { lessonBugs } from '../self-test/lesson-bugs.ts'
import { plantedCopy, plantedTexts } from '../self-test/search.ts'
import { huntOf } from '../self-test/self-test.ts'
import type { ProgramCopy } from '../self-test/workshop.ts'
import { type PlantFlags, plantText } from './plant-flags.ts'
import { bugsNamed } from './self-test.ts'
import { exits, type SimTerminal } from './terminal.ts'

export function addPlant(command: Command): Command {
  return command
    .option(
      '--bug <row or name>',
      'run a copy of this program with this planted bug of self-test; its hunt if no scenario is named',
    )
    .option('--mutant <id>', 'run a copy of this program with this change of svc-sim mutate: [FILE:]ID')
}

/** A copy of this program with something wrong on purpose. */
export interface Plant {
  /** For names of files: `tail-kept`, `be968cda`. */
  readonly name: string
  /** For readers: `the planted bug tail-kept`. */
  readonly words: string
  /** The scenario if the command line names none; undefined: it must name one. */
  readonly hunt: string | undefined
  /**
   * Whether its runs must meet their scenario's demands, as for mutants. A planted bug must be found by an invariant,
   * and not by a demand that its run no longer meets.
   */
  readonly demands: boolean
  /** The built modules that differ from this program's. */
  readonly texts: ReadonlyMap<string, string>
  /** The copy, which must be removed at the end. */
  readonly copy: ProgramCopy
  /** The sound program, tuned as this copy is: a copy that must be removed, too; undefined: this program itself. */
  readonly sound: () => ProgramCopy | undefined
}

/** The requested copy; undefined: none was requested. The error is one line. */
export function plantOf(flags: PlantFlags, terminal: SimTerminal): Result<Plant | undefined, string> {
  if (flags.bug !== undefined && flags.mutant !== undefined) return err('give either --bug or --mutant')
  if (flags.bug !== undefined) return plantOfBug(flags.bug, terminal)
  return flags.mutant === undefined ? ok(undefined) : plantOfMutant(flags.mutant, terminal)
}

/** Set in a copy of this program that `--bug` or `--mutant` names, so that it makes no further copy. */
const copyVariable = 'SVC_SIM_IN_PLANTED_COPY'

/** A command line that may name a copy of this program. */
export interface PlantedCommand extends PlantFlags {
  /** The named scenarios; if none is named, the hunt of the bug. */
  readonly files: readonly string[]
  readonly argv: readonly string[]
}

/**
 * Runs a command line in the copy of this program that it names, for commands that run seeds in their own process.
 * Returns the exit code; undefined: it names no copy, or this program is that copy.
 */
export async function inPlantedCopy(command: PlantedCommand, terminal: SimTerminal): Promise<number | undefined> {
  if (plantText(command) === '' || terminal.environment.has(copyVariable)) return undefined
  const plant = plantOf(command, terminal)
  if (!plant.ok || plant.value === undefined) {
    terminal.error(`${plant.ok ? 'nothing is planted' : plant.error}\n`)
    return exits.usage
  }
  const { copy, hunt, words } = plant.value
  try {
    const added = command.files.length > 0 ? [] : [hunt]
    if (!added.every((file) => file !== undefined)) {
      terminal.error(`${words}: name the scenario that is run\n`)
      return exits.usage
    }
    const exit = await copy.command([...command.argv, ...added], { [copyVariable]: '1' })
    // The process was ended by a signal, as for lack of memory.
    return exit ?? exits.noVerdict
  } finally {
    copy.remove()
  }
}

function plantOfBug(named: string, terminal: SimTerminal): Result<Plant, string> {
  const hidden = lessonBugs[named]
  const chosen = bugsNamed([hidden ?? named])
  if (typeof chosen === 'string') return err(chosen)
  const [bug, ...more] = chosen
  if (bug === undefined || more.length > 0) return err(`'${named}' is several bugs: name one`)
  const workshop = terminal.createWorkshop()
  const texts = plantedTexts(workshop, bug)
  if (!texts.ok) return texts
  const file = `hunts/${bug.hunt}.yaml`
  // A path as a command in this folder names it, so that the printed command can be typed again.
  const hunt = terminal.shippedScenarios().find((path) => path.endsWith(`/${file}`)) ?? workshop.scenario(file)
  const sound = (): ProgramCopy | undefined => {
    const { tuning } = huntOf(bug)
    const tuned = tuning.length === 0 ? undefined : plantedCopy(workshop, { ...bug, patches: [] })
    return tuned?.ok === true ? tuned.value : undefined
  }
  return ok({
    name: hidden === undefined ? bug.name : named,
    words: `the planted bug ${hidden === undefined ? bug.name : `of ${named}`}`,
    hunt,
    demands: false,
    texts: texts.value,
    copy: workshop.copy(texts.value, 'linked'),
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
    copy: workshop.copy(texts, 'linked'),
    sound: () => undefined,
  })
}
