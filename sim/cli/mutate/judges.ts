import type { MutationBuild } from '../../mutation/build.ts'
import { bugJudge, type Judge, type Program, scenarioJudge } from '../../mutation/jury.ts'
import { patchedFiles } from '../../self-test/patch.ts'
import type { PlantedBug } from '../../self-test/planted-bug.ts'
import { huntOf } from '../../self-test/self-test.ts'
import type { ProgramCopy, Workshop } from '../../self-test/workshop.ts'
import { readPages } from '../pages.ts'
import { bugsNamed } from '../self-test.ts'
import type { SimTerminal } from '../terminal.ts'
import type { MutateFlags } from './flags.ts'

/** Mutants of this room are judged by planted bugs, too. */
export const checkersRoom = 'sim/checkers'

/** CPU time that a run may use while its virtual time stands still, in milliseconds. */
const stallCpuMs = 15_000
/** A bug that needs more seeds does not judge checkers. */
const bugSeedsMax = 20

export interface Judges {
  readonly list: readonly Judge[]
  readonly copies: readonly Copy[]
}

/** Removes the copies of the program that the judges have made. */
export function removeCopies({ copies }: Judges): void {
  for (const copy of copies) copy.remove()
}

/** Undefined: a page, a bug or a patch is invalid, which was reported. */
export async function judgesOf(
  flags: MutateFlags,
  build: MutationBuild,
  terminal: SimTerminal,
): Promise<Judges | undefined> {
  const isOfCheckers = flags.room.every((room) => room.startsWith(checkersRoom))
  return isOfCheckers ? checkerJudges(flags, build, terminal) : scenarioJudges(flags, build, terminal)
}

/** Planted bugs tell what checkers fail to see, runs of the sound program what they see although it is not there. */
async function checkerJudges(
  flags: MutateFlags,
  build: MutationBuild,
  terminal: SimTerminal,
): Promise<Judges | undefined> {
  const bugs = await bugJudges(flags, build, terminal)
  const isOnlyBugs = flags.bug !== undefined && flags.scenarios === undefined
  if (bugs === undefined || isOnlyBugs) return bugs
  const sound = await scenarioJudges(flags, build, terminal)
  return sound && { list: [...bugs.list, ...sound.list], copies: [...bugs.copies, ...sound.copies] }
}

async function scenarioJudges(
  { scenarios, seeds }: MutateFlags,
  { texts }: MutationBuild,
  terminal: SimTerminal,
): Promise<Judges | undefined> {
  const workshop = terminal.createWorkshop()
  const files = scenarios?.map((file) => ({ name: file, file })) ?? (await shippedScenarios(workshop, terminal))
  const pages = await readPages(
    files.map(({ file }) => file),
    {},
    terminal,
  )
  if (pages === undefined) return undefined
  const copy = new Copy(() => workshop.copy(texts))
  const list = pages.map((page, at) => scenarioJudge(files[at]?.name ?? page.loaded.file, copy, page, seeds))
  return { list, copies: [copy] }
}

/**
 * All scenarios of the shipped folder, named as if the command ran in the checkout, so that reports of two checkouts
 * are equal.
 */
async function shippedScenarios(
  workshop: Workshop,
  { disk, error }: SimTerminal,
): Promise<readonly { readonly name: string; readonly file: string }[]> {
  const listed = await disk.list(workshop.scenario(''))
  if (!listed.ok) error(`the scenarios of the program cannot be listed (${listed.error.kind})\n`)
  const names = listed.ok ? listed.value : []
  return names
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name: `scenarios/${name}`, file: workshop.scenario(name) }))
}

async function bugJudges(flags: MutateFlags, build: MutationBuild, terminal: SimTerminal): Promise<Judges | undefined> {
  const bugs = bugsNamed(flags.bug)
  if (typeof bugs === 'string') {
    terminal.error(`${bugs}\n`)
    return undefined
  }
  const workshop = terminal.createWorkshop()
  const copies: Copy[] = []
  const list: Judge[] = []
  for (const bug of bugs) {
    const texts = plantedTexts(bug, build, workshop)
    const pages = await readPages([workshop.scenario(`hunts/${bug.hunt}.yaml`)], { demands: false }, terminal)
    const [page] = pages ?? []
    if (typeof texts === 'string') terminal.error(`${texts}\n`)
    if (page === undefined || typeof texts === 'string') return undefined
    const copy = new Copy(() => workshop.copy(texts))
    copies.push(copy)
    list.push(bugJudge(copy, bug, page, { first: 1, last: bugSeedsMax }))
  }
  return { list, copies }
}

/**
 * The instrumented checkers together with the planted bug. A text: both change the same file, or a patch does not fit.
 */
function plantedTexts(
  bug: PlantedBug,
  { texts }: MutationBuild,
  workshop: Workshop,
): ReadonlyMap<string, string> | string {
  const patched = patchedFiles(bug.name, [...huntOf(bug).tuning, ...bug.patches], workshop.read)
  if (!patched.ok) return patched.error
  const both = [...patched.value.keys()].find((file) => texts.has(file))
  if (both !== undefined) return `${bug.name} is planted into ${both}, which is to be mutated itself`
  return new Map([...texts, ...patched.value])
}

/** An instrumented copy of the program, made when its first worker starts. */
class Copy implements Program {
  readonly #make: () => ProgramCopy
  #made: ProgramCopy | undefined

  constructor(make: () => ProgramCopy) {
    this.#make = make
  }

  start(mutant: number | undefined): ReturnType<ProgramCopy['startWorker']> {
    this.#made ??= this.#make()
    const environment = mutant === undefined ? {} : { SVC_SIM_MUTANT: String(mutant) }
    return this.#made.startWorker(stallCpuMs, environment)
  }

  remove(): void {
    this.#made?.remove()
    this.#made = undefined
  }
}
