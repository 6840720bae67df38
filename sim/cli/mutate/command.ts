import { type MutationBuild, mutationBuild, type NamedMutant, sampled } from '../../mutation/build.ts'
import { runCampaign } from '../../mutation/campaign.ts'
import type { Head, MutantLine, RunLine, TestedLine } from '../../mutation/lines.ts'
import { neverIn } from '../../mutation/never.ts'
import { survivorTable } from '../../mutation/score.ts'
import { canBeWritten, writeText } from '../files.ts'
import { oneFileTwice } from '../one-file.ts'
import { Screen } from '../screen.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import type { MutateFlags } from './flags.ts'
import { checkersRoom, type Judges, judgesOf, removeCopies } from './judges.ts'
import { endLines, fateText, mutantText, neverLines } from './printing.ts'
import { type Lines, openLines } from './resumed.ts'
import { judgedByTests, testsRefused } from './tested.ts'

/** `svc-sim mutate`: one line for each mutant, and the score by room. */
export async function runMutate(flags: MutateFlags, terminal: SimTerminal): Promise<number> {
  const outputs = [
    { as: '--jsonl', file: flags.jsonl },
    { as: '--markdown', file: flags.markdown },
  ]
  const twice = await oneFileTwice(terminal.disk, [], outputs)
  if (twice !== undefined) {
    terminal.error(`${twice}\n`)
    return exits.usage
  }
  if (flags.markdown !== undefined && !(await canBeWritten(terminal, flags.markdown))) return exits.usage
  const build = builtOf(flags, terminal)
  if (typeof build === 'string') {
    terminal.error(`${build}\n`)
    return exits.usage
  }
  const chosen = chosenOf(flags, build, terminal)
  if (typeof chosen === 'string') {
    terminal.error(`${chosen}\n`)
    return exits.usage
  }
  if (flags.list === true) {
    for (const mutant of chosen) terminal.out(`${mutantText(mutant)}\n`)
    terminal.out(`${build.mutants.length} mutants at ${build.sites} sites, ${chosen.length} drawn\n`)
    return exits.passed
  }
  return campaign(flags, build, chosen, terminal)
}

/** The instrumented program; a text says why it cannot be made. */
function builtOf({ room }: MutateFlags, terminal: SimTerminal): MutationBuild | string {
  const isOfCheckers = room.map((one) => one.startsWith(checkersRoom))
  if (new Set(isOfCheckers).size > 1)
    return `${checkersRoom} is judged by planted bugs, other rooms by scenarios: run them apart`
  const ts = terminal.loadCompiler()
  if (ts === undefined) {
    return 'mutate parses with the package "typescript", a development dependency that is not installed: run "npm ci" in a checkout'
  }
  const platform = terminal.createPlatform()
  const build = mutationBuild({ ts, workshop: terminal.createWorkshop(), rooms: room, sha256: platform.sha256 })
  platform.close()
  return build.ok ? build.value : build.error
}

function chosenOf(
  { sample, seed, mutant, never }: MutateFlags,
  { mutants }: MutationBuild,
  terminal: SimTerminal,
): readonly NamedMutant[] | string {
  if (never === true) return []
  if (mutant !== undefined) {
    const unknown = mutant.find((id) => !mutants.some((one) => one.id === id))
    if (unknown !== undefined) return `no mutant of these rooms is called ${unknown}: --list shows those that are drawn`
    return mutants.filter(({ id }) => mutant.includes(id))
  }
  const platform = terminal.createPlatform()
  const drawn = sampled(mutants, sample, seed, platform.sha256)
  platform.close()
  return drawn
}

async function campaign(
  flags: MutateFlags,
  build: MutationBuild,
  chosen: readonly NamedMutant[],
  terminal: SimTerminal,
): Promise<number> {
  const refused = await testsRefused(flags, terminal)
  if (refused !== undefined) {
    terminal.error(`${refused}\n`)
    return exits.usage
  }
  const judges = await judgesOf(flags, build, terminal)
  if (judges === undefined) return exits.usage
  // Last of what may be refused: a file with a head alone would have to be resumed.
  const lines = await openLines(flags, headOf(flags, build, terminal), terminal)
  if (lines === undefined) return exits.usage
  const { runs, done, tested } = await judged(judges, lines, { flags, build, chosen, terminal })
  const score = flags.never === true ? neverLines(neverIn(build, runs)) : endLines(done, tested, flags)
  for (const line of score) terminal.out(`${line}\n`)
  const { markdown } = flags
  const tables = [...score.slice(1), '', ...survivorTable(done, tested), ''].join('\n')
  const isShown = markdown === undefined || (await writeText(terminal, markdown, tables))
  return (await lines.end()) && isShown ? exits.passed : exits.usage
}

interface Campaign {
  readonly flags: MutateFlags
  readonly build: MutationBuild
  readonly chosen: readonly NamedMutant[]
  readonly terminal: SimTerminal
}

interface Judged {
  /** Those of the unchanged program. */
  readonly runs: readonly RunLine[]
  readonly done: readonly MutantLine[]
  readonly tested: readonly TestedLine[] | undefined
}

/** What runs say of each mutant, and with `--tests` what tests say of those that no run killed. */
async function judged(
  judges: Judges,
  { known, add }: Lines,
  { flags, build, chosen, terminal }: Campaign,
): Promise<Judged> {
  const done: MutantLine[] = known.filter((line) => line.kind === 'mutant')
  const knownRuns = known.filter((line) => line.kind === 'run')
  const runs = [...knownRuns]
  const screen = new Screen(terminal, () => `${runs.length} runs, ${done.length} of ${chosen.length} mutants`)
  try {
    await runCampaign({
      judges: judges.list,
      mutants: chosen.filter(({ id }) => !done.some((line) => line.id === id)),
      all: build.mutants,
      sites: build.sites,
      budgetMs: flags.budget,
      jobs: flags.jobs ?? terminal.cores,
      known: knownRuns,
      onRun: (line) => {
        runs.push(line)
        add(line)
      },
      onMutant: (line) => {
        done.push(line)
        add(line)
        screen.line(`${fateText(line)}  ${mutantText(line)}`)
      },
      note: (text) => screen.note(text),
    })
  } finally {
    screen.close()
    removeCopies(judges)
  }
  const isTested = flags.tests !== undefined
  return {
    runs,
    done,
    tested: isTested ? await judgedByTests({ flags, build, done, known, add, terminal }) : undefined,
  }
}

function headOf(
  { room, sample, seed, budget, mutant }: MutateFlags,
  build: MutationBuild,
  terminal: SimTerminal,
): Head {
  const counts: Record<string, number> = {}
  for (const one of build.mutants) counts[one.room] = (counts[one.room] ?? 0) + 1
  return {
    kind: 'head',
    build: terminal.buildHash(),
    rooms: [...room],
    sites: build.sites,
    mutants: counts,
    sample: mutant === undefined ? sample : 0,
    seed: mutant === undefined ? seed : mutant.join(' '),
    budgetMs: budget,
  }
}
