import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import { type Seen, seenAt } from '../inspection/moments.ts'
import { changeLines, momentLines } from '../inspection/state-text.ts'
import { usualSeed } from '../scenario/language/load.ts'
import { ScenarioRun } from '../scenario/run.ts'
import { readScenario } from './files.ts'
import { type Ended, gathered, virtualTimeUs, wholeNumber } from './flag-values.ts'
import { addPlant, inPlantedCopy } from './plant.ts'
import type { PlantFlags } from './plant-flags.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface InspectFlags extends PlantFlags {
  readonly seed?: number
  readonly at?: string
  /** A later time: shows what has changed between the two. */
  readonly diff?: string
  readonly node?: readonly string[]
  readonly json?: boolean
}

export function addInspect(program: Command, terminal: SimTerminal, ended: Ended, argv: readonly string[]): void {
  const command = program
    .command('inspect')
    .description('Show the state of every node at a time of a run: consensus, log, members, what is replicated, disk.')
    .argument('[file]', 'a scenario')
    .option('--seed <n>', 'the seed of the run; that of the scenario, or 1, if none is given', wholeNumber)
    .option('--at <time>', 'a virtual time: 9s, 1m30s, 9.4s; where the run fails, or ends, if none is given')
    .option('--diff <time>', 'show what has changed from --at until this later time')
    .option('--node <names>', 'only these nodes: s3 or s1,s2; may be repeated', gathered)
    .option('--json', 'one line of JSON for each node and time')
  addPlant(command).action(async (file: string | undefined, flags: InspectFlags) => {
    const files = file === undefined ? [] : [file]
    ended((await inPlantedCopy({ ...flags, files, argv }, terminal)) ?? (await inspect(file, flags, terminal)))
  })
}

/** `svc-sim inspect`: runs a seed up to a time, and shows the state of every node then. */
async function inspect(file: string | undefined, flags: InspectFlags, terminal: SimTerminal): Promise<number> {
  if (file === undefined) return refused(['name a scenario, or --bug'], terminal)
  const times = timesOf(flags)
  if (!times.ok) return refused([times.error], terminal)
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return refused(read.error, terminal)
  const { loaded } = read.value
  const seed = flags.seed ?? usualSeed(loaded)
  const platform = terminal.createPlatform()
  const seen = await seenAt((looks) => new ScenarioRun({ loaded, seed, platform, looks }), times.value)
  platform.close()
  const misuse = unseen(seen, flags)
  if (misuse !== undefined) return refused([misuse], terminal)
  show(seen, flags, terminal)
  return exits.passed
}

function refused(lines: readonly string[], terminal: SimTerminal): number {
  for (const line of lines) terminal.error(`${line}\n`)
  return exits.usage
}

function timesOf({ at, diff }: InspectFlags): Result<readonly number[], string> {
  if (at === undefined) return diff === undefined ? ok([]) : err('--diff compares with an earlier time: give --at too')
  const from = virtualTimeUs('--at', at)
  if (!from.ok || diff === undefined) return from.ok ? ok([from.value]) : from
  const to = virtualTimeUs('--diff', diff)
  if (!to.ok) return to
  return to.value > from.value ? ok([from.value, to.value]) : err(`--diff ${diff} is not later than --at ${at}`)
}

/** Why something requested cannot be shown; undefined: all can. */
function unseen({ moments, endedUs }: Seen, { at, diff, node }: InspectFlags): string | undefined {
  if (endedUs !== undefined) {
    const asked = moments.length === 0 ? `--at ${at}` : `--diff ${diff}`
    return `${asked}: the run ends at ${endedUs / 1_000_000}s; without --at its end is shown`
  }
  const known = moments[0]?.nodes.map((state) => state.node) ?? []
  const unknown = wantedOf(node)?.find((name) => !known.includes(name))
  return unknown === undefined ? undefined : `--node ${unknown}: this scenario has the nodes ${known.join(' ')}`
}

function wantedOf(node: InspectFlags['node']): readonly string[] | undefined {
  return node?.flatMap((names) => names.split(','))
}

function show({ moments }: Seen, { node, json }: InspectFlags, { out }: SimTerminal): void {
  const names = wantedOf(node)
  const wanted = names === undefined ? undefined : new Set(names)
  const [first, second] = moments
  if (first === undefined) return
  if (json === true) {
    for (const { atUs, nodes } of moments) {
      for (const state of nodes) if (wanted?.has(state.node) ?? true) out(`${JSON.stringify({ atUs, ...state })}\n`)
    }
    return
  }
  const lines = second === undefined ? momentLines(first, wanted) : changeLines(first, second, wanted)
  for (const line of lines) out(`${line}\n`)
}
