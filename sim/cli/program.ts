import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { forkOf, forksMax } from '../report/forks.ts'
import { datacenterName, serversMax } from '../scenario/language/scenario-schema.ts'
import { usualSizes } from '../studies/convergence-study.ts'
import { variants } from '../studies/lifeguard-study.ts'
import { poolMembersMax } from '../studies/member-pool.ts'
import type { Fork } from '../world/decisions/decisions.ts'
import { checkFiles, showSchema } from './check.ts'
import { explore } from './explore/command.ts'
import { commitHash, type ExploreFlags, shardOf, timeSpan } from './explore/flags.ts'
import { type MergeFlags, merge } from './explore/merge.ts'
import { checkHistory, type LincheckFlags } from './lincheck.ts'
import { addMutate } from './mutate/options.ts'
import { countTo, wholeNumber } from './numbers.ts'
import { type PlanFlags, printPlan } from './plan.ts'
import { runFiles } from './run.ts'
import type { RunFlags, SeedRange } from './run-flags.ts'
import { addSearches } from './search.ts'
import { runSelfTest, type SelfTestFlags } from './self-test.ts'
import { addServe } from './serve/options.ts'
import {
  type ConvergenceFlags,
  type LifeguardFlags,
  type StudyFlags,
  studyConvergenceOfPools,
  studyElection,
  studyLifeguardParts,
} from './study.ts'
import { exits, type SimTerminal } from './terminal.ts'
import { printTrace } from './trace/command.ts'
import type { TraceFlags } from './trace/flags.ts'

const examples = `
Examples:
  svc-sim run scenarios/crash-and-recover.yaml
  svc-sim run scenarios/election-under-partition.yaml --seeds 1..200 --verify
  svc-sim run scenarios/crash-and-recover.yaml --seed 17 --trace /tmp/17.jsonl.gz
  svc-sim check scenarios/*.yaml
  svc-sim schema > scenario.schema.json
  svc-sim plan --from 0.6.4 --to 1.4.0 --servers 3 -o /tmp/rehearsal.yaml
  svc-sim study election --svg /tmp/elections.svg
  svc-sim search raft --entries 3
  svc-sim study convergence --members 10,100,1000
  svc-sim run scenarios/crash-and-recover.yaml --history /tmp/keys.jsonl
  svc-sim run scenarios/crash-and-recover.yaml --seed 17 --decisions /tmp/17.decisions
  svc-sim run scenarios/crash-and-recover.yaml --replay /tmp/17.decisions
  svc-sim trace /tmp/17.jsonl.gz --from 9s --to 14s --node s3 --kind raft --about term=4
  svc-sim trace /tmp/17.jsonl.gz --causes-of 20417
  svc-sim explore --seeds 1..1000 --shard 1/4 --jsonl /tmp/shard-1.jsonl --resume
  svc-sim merge /tmp/shard-*.jsonl
  svc-sim serve --servers 3 --clients 1 --port 18500 --rate 10
  svc-sim lincheck /tmp/keys.jsonl --html /tmp/keys.html
  svc-sim self-test --bug 1 --bug lease-after-a-pause
  svc-sim mutate --room src/raft/core --sample 20 --budget 30s

Exit codes: 0 passed, 1 an expectation or an invariant was not met (lincheck: not linearizable;
self-test: a planted bug was not found, or the sound program failed), 2 bad usage, scenario, trace or history, or a
file that could not be written whole (what was found is printed all the same), 3 not deterministic, 4 undecided:
nothing failed, but the search for an order of a key's operations was given up, 5 a seed has no verdict: its process
ended, ran out of memory, or its virtual time stood still, 6 nothing failed, but the time of explore was spent before
every seed had run, or merge misses seeds; 141 nobody reads the output any more.
`

/** Runs one command line to its end and gives the exit code. */
export async function runSimCli(argv: readonly string[], terminal: SimTerminal): Promise<number> {
  let exit: number = exits.usage
  const program = new Command('svc-sim')
    .description(
      'Runs agents in a simulated world: the same scenario and the same seed give the same run, byte for byte.',
    )
    .version(terminal.version)
    .addHelpText('after', examples)
    .showHelpAfterError('(svc-sim --help has examples)')
  const ended = (code: number): void => {
    exit = code
  }
  addScenarioCommands(program, terminal, ended)
  addJudgingCommands(program, terminal, ended)
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause
    return cause.exitCode === 0 ? exits.passed : exits.usage
  }
  return exit
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap((one) => withSubcommands(one))]
}

type Ended = (exit: number) => void

/** What is done with scenario files. */
function addScenarioCommands(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('run')
    .description('Run scenarios.')
    .argument('<file...>', 'scenario files')
    .option('--seed <n>', 'the seed of the run; 1 if neither is given', wholeNumber)
    .option('--seeds <a..b>', 'one run for each seed from a to b', seedRange)
    .option('--fork <time:n>', 'from this time on with the chance of n: 4200ms:3; may be repeated (one seed)', forks)
    .option('--verify', 'run each seed twice and compare the trace hashes')
    .option(
      '--trace <file>',
      'write each event with its causes as JSON lines, packed if it ends in .gz (one scenario, one seed)',
    )
    .option('--trace-text <file>', 'write the trace as lines of text (one scenario, one seed)')
    .option('--history <file>', 'write what clients asked of keys and learnt, for lincheck (one scenario, one seed)')
    .option(
      '--decisions <file>',
      'write each decision that was not the default one, packed if it ends in .gz (one scenario, one seed)',
    )
    .option('--replay <file>', 'make the decisions of such a file, and every other one as the default has it')
    .option('--quiet', 'only the verdict; of many seeds, only those that did not pass')
    .option('--json', 'one line of JSON for each seed')
    .option('--jsonl <file>', 'write those lines to a file, too')
    .option('--junit <file>', 'write a report in the form of JUnit: a suite for each scenario, a case for each seed')
    .option('--until-failure', 'stop at the first seed that fails')
    .option('--no-demands', 'do not fail where runs come to less than their scenario demands')
    .option('--jobs <n>', 'run so many seeds at the same time, each in a process; as many as there are cores', jobCount)
    .option(
      '--stall <seconds>',
      'give a seed up that uses this much CPU time while its virtual time stands still; 120 if not given',
      stallTime,
    )
    .option(
      '--steps <n>',
      "give up on a key's history after this many steps, 2000000 if not given; the verdict is then 'undecided'",
      stepCount,
    )
    .action(async (files: readonly string[], flags: RunFlags) => {
      ended(await runFiles(files, flags, terminal))
    })
  addCampaign(program, terminal, ended)
  program
    .command('check')
    .description('Read scenarios and say what is wrong with them, without running anything.')
    .argument('<file...>', 'scenario files')
    .action(async (files: readonly string[]) => {
      ended(await checkFiles(files, terminal))
    })
  addServe(program, terminal, ended)
  addTrace(program, terminal, ended)
  addPlan(program, terminal, ended)
  program
    .command('schema')
    .description('Write the JSON Schema of the scenario language, for editors.')
    .action(() => {
      ended(showSchema(terminal))
    })
}

/** What runs wide, on many machines. */
function addCampaign(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('explore')
    .description('Run seeds of many scenarios, or one share of them, and keep what became of each.')
    .argument('[scenario...]', 'scenario files; every scenario of this program if none is named')
    .option('--seeds <a..b>', 'the seeds of all shares together, each over every scenario', seedRange)
    .option('--time <time>', 'begin no further seed after this time: 10m', timeSpan)
    .option('--shard <i/n>', 'only the i-th of n equal shares of the seeds', shardOf)
    .option('--commit <hash>', 'the seeds of this commit: --seeds counts from its first one', commitHash)
    .option('--jsonl <file>', 'write a manifest, then a line of JSON for each seed, for merge')
    .option('--resume', 'go on with that file, where it is there: run what it lacks')
    .option('--verify', 'run each seed twice and compare the trace hashes')
    .option('--guided', 'beside plain seeds, go on with other chance from where runs reached rare marks')
    .option('--quiet', 'without the scenarios that passed, and without what was judged')
    .option('--no-demands', 'do not fail where runs come to less than their scenario demands')
    .option('--jobs <n>', 'run so many seeds at the same time, each in a process; as many as there are cores', jobCount)
    .option(
      '--stall <seconds>',
      'give a seed up that uses this much CPU time while its virtual time stands still',
      stallTime,
    )
    .option(
      '--steps <n>',
      "give up on a key's history after this many steps; the verdict is then 'undecided'",
      stepCount,
    )
    .action(async (files: readonly string[], flags: ExploreFlags) => {
      ended(await explore(files, flags, terminal))
    })
  program
    .command('merge')
    .description('Say what the shares of a campaign come to together, and what is missing.')
    .argument('<file...>', 'files of explore --jsonl, packed or not, in any order')
    .option('--quiet', 'without the scenarios that passed, and without what was judged')
    .action(async (files: readonly string[], flags: MergeFlags) => {
      ended(await merge(files, flags, terminal))
    })
}

function addTrace(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('trace')
    .description('Show events of a trace: what packets and writes say in plain words, with arrows to causes.')
    .argument('<file>', 'a trace of run --trace, compressed or not; - reads the standard input')
    .option('--from <time>', 'only from this time on: 9s, 1m30s, 9.4s')
    .option('--to <time>', 'only up to this time')
    .option('--events <range>', 'only events with these numbers: 17..40, 17.., ..40')
    .option('--node <names>', 'only what happens at these machines: s3 or s1,s2', gathered)
    .option('--kind <names>', 'only these kinds of events or layers of protocol: raft,gossip,kind:log', gathered)
    .option('--about <name=value>', 'only what is about it: entry=90, key=a, term=4, member=s3', gathered)
    .option('--no-faults', 'with --about: without violations, faults, crashes and boots beside')
    .option('--causes-of <n>', 'only event n and what led to it', wholeNumber)
    .option('--steps <n>', 'with --causes-of: arrows to walk back', stepsBack)
    .option('--arrows <n>', 'causes of an event in words (4); 0: numbers alone', arrowCount)
    .option('--json', 'the events as they stand in the trace, behind its header')
    .addHelpText('after', traceHelp)
    .action(async (file: string, flags: TraceFlags) => {
      ended(await printTrace(file, flags, terminal))
    })
}

const traceHelp = `
--node, --kind and --about may be repeated. Of one name any value will do; different options, and
different names of --about, must all be met. docs/trace.md has every kind, layer and name.
`

function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** An event has no more causes. */
const arrowsMax = 64

function arrowCount(text: string): number {
  const value = wholeNumber(text)
  if (value > arrowsMax) throw new InvalidArgumentError(`Write a number from 0 to ${arrowsMax}.`)
  return value
}

/** Nobody reads a chain that is longer. */
const stepsBackMax = 1_000

function stepsBack(text: string): number {
  const value = wholeNumber(text)
  if (value < 1 || value > stepsBackMax) throw new InvalidArgumentError(`Write a number from 1 to ${stepsBackMax}.`)
  return value
}

function addPlan(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('plan')
    .description('Tell how to upgrade a cluster, step by step and why, and write the scenario that rehearses it.')
    .requiredOption('--from <release>', 'what all agents run now: 0.6.4')
    .requiredOption('--to <release>', 'what they shall run: 1.4.0')
    .option('--servers <n>', 'servers in each datacenter', countTo(serversMax), 3)
    .option('--clients <n>', 'client agents in each, for the rehearsal', countTo(plannedClientsMax, 0), 2)
    .option('--datacenters <names>', 'the primary one first: dc1,dc2', datacenterNames, ['dc1'])
    .option('--acl', 'the cluster has access control')
    .option('--every', 'pass through every release that changed something, not only those that must be passed')
    .option('-o, --out <file>', 'write the scenario there')
    .action(async (flags: PlanFlags) => {
      ended(await printPlan(flags, terminal))
    })
}

/** What judges histories, protocols, and this program itself. */
function addJudgingCommands(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('lincheck')
    .description('Say whether a history of keys is linearizable, and if not, why.')
    .argument('<file>', 'a history: JSON lines, as run --history writes them')
    .option('--html <file>', 'draw what cannot be ordered: one lane for each client')
    .option(
      '--steps <n>',
      "give up on a key after so many steps of the search, 2000000 if not given; its verdict is 'undecided'",
      stepCount,
    )
    .action(async (file: string, flags: LincheckFlags) => {
      ended(await checkHistory(file, flags, terminal))
    })
  addStudies(program, terminal, ended)
  addSearches(program, terminal, ended)
  program
    .command('self-test')
    .description('Plant famous bugs into copies of this program, one at a time, and see that each is found.')
    .option('--bug <row or name>', 'only this one; may be repeated', (name: string, before: readonly string[] = []) => [
      ...before,
      name,
    ])
    .option('--seeds <n>', 'give up on a bug after so many seeds', seedCount, 400)
    .option('--trace <file>', 'write the trace of the run that found the bug (one bug)')
    .option('--jobs <n>', 'hunt for so many bugs at the same time; as many as there are cores', jobCount)
    .option('--json', 'one line of JSON for each row of the table')
    .action(async (flags: SelfTestFlags) => {
      ended(await runSelfTest(flags, terminal))
    })
  addMutate(program, { jobCount, seedRange, seedCount }, terminal, ended)
}

function addStudies(program: Command, terminal: SimTerminal, ended: Ended): void {
  const studies = program
    .command('study')
    .description('Measure a protocol as a paper did, and set its figures beside those of the paper.')
  const study = (name: string, about: string): Command =>
    studies
      .command(name)
      .description(about)
      .option('--trials <n>', "so many trials for each line instead of the study's own", trialCount)
      .option('--seed <n>', 'the seed of all that is drawn', wholeNumber, 1)
      .option('--svg <file>', 'draw the graphs into a file')
  study('election', 'How long a cluster is without leader: figure 16 of the extended Raft paper.').action(
    async (flags: StudyFlags) => ended(await studyElection(flags, terminal)),
  )
  study('lifeguard', 'False positives and detection with each part of Lifeguard, after its paper.')
    .option('--whole', "all cells of the paper's grid; takes hours")
    .option('--few', 'a few cells where plain SWIM goes wrong, in a minute or two')
    .option('--only <names>', `of ${protocolNames.join(', ')}, beside SWIM`, protocols)
    .action(async (flags: LifeguardFlags) => ended(await studyLifeguardParts(flags, terminal)))
  study('convergence', 'How fast news spreads in pools of several sizes, and what it costs each member.')
    .option('--members <sizes>', '5000 takes minutes and 4 GB of heap', poolSizes, usualSizes)
    .action(async (flags: ConvergenceFlags) => ended(await studyConvergenceOfPools(flags, terminal)))
}

const protocolNames: readonly string[] = variants.map(({ name }) => name)

function protocols(text: string): readonly string[] {
  const names = text.split(',')
  if (names.every((name) => protocolNames.includes(name))) return names
  throw new InvalidArgumentError(`Write names such as SWIM,Lifeguard, of ${protocolNames.join(', ')}.`)
}

function poolSizes(text: string): readonly number[] {
  const sizes = text.split(',').map(wholeNumber)
  if (sizes.some((size) => size < 2 || size > poolMembersMax)) {
    throw new InvalidArgumentError(`Write sizes from 2 to ${poolMembersMax}, such as 10,100,1000.`)
  }
  return sizes
}

/** A rehearsal needs no more to show what it shows. */
const plannedClientsMax = 20
const datacentersMax = 5

function datacenterNames(text: string): readonly string[] {
  const names = text.split(',')
  const sound = names.every((name) => datacenterName.test(name)) && new Set(names).size === names.length
  if (sound && names.length <= datacentersMax) return names
  throw new InvalidArgumentError(`Write up to ${datacentersMax} different names, such as dc1,dc2.`)
}

/** Beyond it a self-test would take days. */
const seedsMax = 100_000

function seedCount(text: string): number {
  const value = wholeNumber(text)
  if (value < 1 || value > seedsMax) throw new InvalidArgumentError(`Write a number from 1 to ${seedsMax}.`)
  return value
}

const jobsMax = 256

function jobCount(text: string): number {
  const value = wholeNumber(text)
  if (value < 1 || value > jobsMax) throw new InvalidArgumentError(`Write a number from 1 to ${jobsMax}.`)
  return value
}

/** Milliseconds. */
function stallTime(text: string): number {
  const seconds = wholeNumber(text)
  if (seconds < 1 || seconds > 86_400) throw new InvalidArgumentError('Write seconds from 1 to 86400.')
  return seconds * 1000
}

/** Beyond it a study would take hours. */
const trialsMax = 100_000

function trialCount(text: string): number {
  const value = wholeNumber(text)
  if (value < 1 || value > trialsMax) throw new InvalidArgumentError(`Write a number from 1 to ${trialsMax}.`)
  return value
}

/** More states than this the search could not remember. */
const stepsMax = 10_000_000

function stepCount(text: string): number {
  const value = wholeNumber(text)
  if (value > stepsMax) throw new InvalidArgumentError(`At most ${stepsMax}: beyond that memory gives out.`)
  return value
}

/** In ascending order. */
function forks(text: string, before: readonly Fork[] = []): readonly Fork[] {
  const fork = forkOf(text)
  if (!fork.ok) throw new InvalidArgumentError(fork.error)
  const all = [...before, fork.value].toSorted((one, other) => one.atMs - other.atMs)
  if (all.length > forksMax) throw new InvalidArgumentError(`At most ${forksMax} forks.`)
  return all
}

function seedRange(text: string): SeedRange {
  const match = /^(\d+)\.\.(\d+)$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  if (match === null || !Number.isSafeInteger(last) || first > last) {
    throw new InvalidArgumentError('Write a range from low to high, such as 1..200.')
  }
  return { first, last }
}
