import { type Command, InvalidArgumentError, Option } from 'commander'
import { forkOf, forksMax } from '../report/forks.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import { usualSeed } from '../scenario/language/load.ts'
import type { Fork } from '../world/decisions/decisions.ts'
import { runCampaign } from './campaign.ts'
import { readDecisions } from './decisions.ts'
import { addLimits, type Ended, seedRange, wholeNumber } from './flag-values.ts'
import { oneFileTwice } from './one-file.ts'
import { readPages } from './pages.ts'
import { addPlant, inPlantedCopy } from './plant.ts'
import { type RunFlags, storyKinds } from './run-flags.ts'
import { shrinkFailure } from './shrink/command.ts'
import type { FailingRun } from './shrink/failing-run.ts'
import { runOne } from './single-run.ts'
import { exits, type SimTerminal } from './terminal.ts'

/** JUnit's suite begins with its number of cases, so it is kept in memory until its last seed. */
const junitSeedsMax = 100_000

export function addRun(program: Command, terminal: SimTerminal, ended: Ended, argv: readonly string[]): void {
  const command = program
    .command('run')
    .description('Run scenarios.')
    .argument('[file...]', 'scenario files')
    .option('--seed <n>', 'the seed of the run; that of the scenario, or 1, if neither is given', wholeNumber)
    .option('--seeds <a..b>', 'one run for each seed from a to b', seedRange)
    .option(
      '--fork <time:n>',
      'draw other random numbers from this time on, selected by n: 4200ms:3; may be repeated (one seed)',
      forks,
    )
    .option('--verify', 'run each seed twice and compare the trace hashes')
    .option(
      '--trace <file>',
      'write each event with its causes as JSON lines, compressed if the name ends in .gz (one scenario, one seed)',
    )
    .option('--html <file>', 'write a page of HTML that shows the run, as svc-sim report does (one scenario, one seed)')
    .option('--trace-text <file>', 'write the trace as lines of text (one scenario, one seed)')
    .option(
      '--history <file>',
      'write the operations of clients on keys with their answers, for lincheck (one scenario, one seed)',
    )
    .option(
      '--decisions <file>',
      'write each random decision that differs from its default, compressed if the name ends in .gz (one scenario, one seed)',
    )
    .option(
      '--replay <file>',
      'make the decisions in a file of --decisions again, and take the default for every other one',
    )
    .addOption(
      new Option(
        '--story <kind>',
        'what is printed while one seed runs: brief: steps and faults (if not given); full: also votes, suspicions, locks and more; none: nothing',
      ).choices(storyKinds),
    )
    .option('--quiet', 'print only the verdict; of many seeds, only those that did not pass')
    .option('--json', 'print one line of JSON for each seed')
    .option('--jsonl <file>', 'write one line of JSON for each seed to a file')
    .option('--junit <file>', 'write a report in the form of JUnit: a suite for each scenario, a case for each seed')
    .option('--until-failure', 'stop at the first seed that fails')
    .option('--shrink', 'make the first failure smaller, as svc-sim shrink does, and write its page')
    .option('--no-counts', 'do not print how much each invariant has judged')
    .option('--no-demands', 'do not fail if runs do less than their scenario demands')
  addLimits(addPlant(command)).action(async (files: readonly string[], flags: RunFlags) => {
    ended(
      (await inPlantedCopy({ ...flags, files, argv }, terminal)) ?? (await runFiles(files, planted(flags), terminal)),
    )
  })
}

/** A planted bug must be found by an invariant, and not because runs do less than their scenario demands. */
function planted(flags: RunFlags): RunFlags {
  return flags.bug === undefined ? flags : { ...flags, demands: false }
}

/** In ascending order. */
function forks(text: string, before: readonly Fork[] = []): readonly Fork[] {
  const fork = forkOf(text)
  if (!fork.ok) throw new InvalidArgumentError(fork.error)
  const all = [...before, fork.value].toSorted((one, other) => one.atMs - other.atMs)
  if (all.length > forksMax) throw new InvalidArgumentError(`At most ${forksMax} forks.`)
  return all
}

/** `svc-sim run`: every file with every seed; the exit code is that of the worst run. */
export async function runFiles(files: readonly string[], flags: RunFlags, terminal: SimTerminal): Promise<number> {
  const misuse = misuseOf(files, flags) ?? (await overwriting(files, flags, terminal))
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  const pages = await readPages(files, flags, terminal)
  const [only] = pages ?? []
  if (pages === undefined || only === undefined) return exits.usage
  const list =
    flags.replay === undefined ? undefined : await readDecisions(terminal, flags.replay, only.loaded, flags.seed)
  if (list?.ok === false) {
    for (const line of list.error) terminal.error(`${line}\n`)
    return exits.usage
  }
  const { seed, seeds } = flags
  if (seeds === undefined && pages.length === 1) {
    const single = seed ?? list?.value.seed ?? usualSeed(only.loaded)
    const exit = await runOne({ page: only, seed: single, forks: flags.fork }, list?.value, flags, terminal)
    return shrunkAlso(exit, { loaded: only.loaded, seed: single }, flags, terminal)
  }
  let first: FailingRun | undefined
  const onRecord = ({ verdict, file, seed: failed }: SeedRecord): void => {
    const page = verdict === 'failed' ? pages.find(({ loaded }) => loaded.file === file) : undefined
    if (page !== undefined) first ??= { loaded: page.loaded, seed: failed }
  }
  const range = seeds ?? (seed === undefined ? undefined : { first: seed, last: seed })
  const exit = await runCampaign(pages, range, flags, terminal, onRecord)
  return shrunkAlso(exit, first, flags, terminal)
}

/** With `--shrink`, the failure is made smaller; the exit code remains that of the run. */
async function shrunkAlso(
  exit: number,
  run: FailingRun | undefined,
  { shrink, jobs, stall, steps, bug, mutant }: RunFlags,
  terminal: SimTerminal,
): Promise<number> {
  if (shrink !== true || exit !== exits.failed || run === undefined) return exit
  const named = { ...(bug === undefined ? {} : { bug }), ...(mutant === undefined ? {} : { mutant }) }
  await shrinkFailure(run, { jobs, stall, steps, ...named }, terminal)
  return exit
}

/** Scenarios may be named twice; an output file may not be read or written under another name. */
function overwriting(files: readonly string[], flags: RunFlags, { disk }: SimTerminal): Promise<string | undefined> {
  const { trace, traceText, html, history, decisions, jsonl, junit, replay } = flags
  const inputs = [
    ...files.map((file) => ({ as: 'the scenario', file })),
    { as: 'the decisions of --replay', file: replay },
  ]
  const outputs = [
    { as: '--trace', file: trace },
    { as: '--trace-text', file: traceText },
    { as: '--html', file: html },
    { as: '--history', file: history },
    { as: '--decisions', file: decisions },
    { as: '--jsonl', file: jsonl },
    { as: '--junit', file: junit },
  ]
  return oneFileTwice(disk, inputs, outputs)
}

function misuseOf(files: readonly string[], flags: RunFlags): string | undefined {
  if (files.length === 0) return 'name a scenario, or --bug'
  if (flags.seed !== undefined && flags.seeds !== undefined) return 'give either --seed or --seeds'
  const many = flags.seeds !== undefined || files.length > 1
  if (many && (flags.trace ?? flags.traceText) !== undefined)
    return '--trace writes one run: give one scenario and one --seed'
  if (many && flags.story !== undefined) return '--story is of one run: give one scenario and one --seed'
  if (many && flags.html !== undefined) return '--html shows one run: give one scenario and one --seed'
  if (many && flags.history !== undefined) return '--history writes one run: give one scenario and one --seed'
  if (many && flags.decisions !== undefined) return '--decisions writes one run: give one scenario and one --seed'
  if (many && flags.fork !== undefined) return '--fork is of one run: give one scenario and one --seed'
  const list = flags.replay ?? flags.decisions
  if (list !== undefined && flags.fork !== undefined) return 'a list of decisions has no forks: leave out --fork'
  if (many && flags.replay !== undefined) return '--replay is one run: give its scenario alone'
  if (flags.shrink === true && (flags.fork !== undefined || flags.replay !== undefined))
    return '--shrink makes runs of a seed smaller: leave out --fork and --replay'
  if (flags.shrink === true && flags.json === true) return '--shrink is for people: leave out --json'
  if (flags.junit !== undefined && seedsOf(flags) > junitSeedsMax)
    return `--junit holds a case for each seed of a scenario, ${junitSeedsMax} at most: give fewer --seeds, or --jsonl`
  return undefined
}

function seedsOf({ seeds }: RunFlags): number {
  return seeds === undefined ? 1 : seeds.last - seeds.first + 1
}
