import { Command, CommanderError } from 'commander'
import { addBisect } from './bisect.ts'
import { addBuildWeb } from './build-web/options.ts'
import { addCheck, addSchema } from './check.ts'
import { addDecisions } from './decisions-as-text.ts'
import { addDiff } from './diff/options.ts'
import { addExplain } from './explain/options.ts'
import { addExplore, addMerge } from './explore/options.ts'
import { addFork } from './fork/options.ts'
import { addInspect } from './inspect.ts'
import { addLesson } from './lesson/options.ts'
import { addLincheck } from './lincheck.ts'
import { addMutate } from './mutate/options.ts'
import { addPlan } from './plan.ts'
import { addPlay } from './play/options.ts'
import { addReport } from './report.ts'
import { addRun } from './run.ts'
import { addSearches } from './search.ts'
import { addSelfTest } from './self-test.ts'
import { addServe } from './serve/options.ts'
import { addShrink } from './shrink/options.ts'
import { addStudies } from './study.ts'
import { exits, LacksModules, type SimTerminal } from './terminal.ts'
import { addTrace } from './trace/options.ts'

/** In the order of the help. Each file declares its options beside its code. */
const commands = [
  addRun,
  addExplore,
  addMerge,
  addShrink,
  addExplain,
  addDiff,
  addFork,
  addBisect,
  addCheck,
  addServe,
  addPlay,
  addBuildWeb,
  addTrace,
  addDecisions,
  addReport,
  addInspect,
  addPlan,
  addSchema,
  addLesson,
  addLincheck,
  addStudies,
  addSearches,
  addSelfTest,
  addMutate,
]

const examples = `
Examples:
  svc-sim run scenarios/crash-and-recover.yaml
  svc-sim run scenarios/election-under-partition.yaml --seeds 1..200 --verify
  svc-sim run scenarios/crash-and-recover.yaml --seed 17 --trace /tmp/17.jsonl.gz
  svc-sim run scenarios/crash-and-recover.yaml --seed 17 --html /tmp/17.html
  svc-sim check scenarios/*.yaml
  svc-sim schema > scenario.schema.json
  svc-sim plan --from 0.6.4 --to 1.4.0 --servers 3 -o /tmp/rehearsal.yaml
  svc-sim study election --svg /tmp/elections.svg
  svc-sim search raft --entries 3
  svc-sim study convergence --members 10,100,1000
  svc-sim run scenarios/crash-and-recover.yaml --history /tmp/keys.jsonl
  svc-sim run scenarios/crash-and-recover.yaml --seed 17 --decisions /tmp/17.decisions
  svc-sim run scenarios/crash-and-recover.yaml --replay /tmp/17.decisions
  svc-sim run --bug tail-kept --seeds 1..20 --until-failure
  svc-sim trace /tmp/17.jsonl.gz --from 9s --to 14s --node s3 --kind raft --about term=4
  svc-sim trace /tmp/17.jsonl.gz --causes-of 20417
  svc-sim decisions /tmp/17.decisions --kind chance --about 'link s1 s3'
  svc-sim report /tmp/17.jsonl.gz -o /tmp/17.html
  svc-sim inspect scenarios/crash-and-recover.yaml --seed 17 --at 9.4s --diff 12s --node s1,s3
  svc-sim explore --seeds 1..1000 --shard 1/4 --jsonl /tmp/shard-1.jsonl --resume
  svc-sim merge /tmp/shard-*.jsonl
  svc-sim shrink scenarios/crash-and-recover.yaml --seed 17 -o /tmp/17.yaml
  svc-sim explain scenarios/crash-and-recover.yaml --seed 17
  svc-sim diff scenarios/crash-and-recover.yaml --seeds 17,18
  svc-sim fork scenarios/crash-and-recover.yaml --seed 17 --at 9.4s --tries 50
  svc-sim fork scenarios/crash-and-recover.yaml --seed 17 --curve --svg /tmp/17.svg
  svc-sim bisect scenarios/crash-and-recover.yaml --seed 17 --good HEAD~20
  svc-sim serve --servers 3 --clients 1 --port 18500 --rate 10
  svc-sim play --servers 5 --seed 7
  svc-sim play scenarios/crash-and-recover.yaml --terminal
  svc-sim build-web /tmp/site
  svc-sim lesson list
  svc-sim lincheck /tmp/keys.jsonl --html /tmp/keys.html
  svc-sim self-test --bug 1 --bug lease-after-a-pause
  svc-sim mutate --room src/raft/core --sample 20 --budget 30s

Exit codes:
  0         everything passed
  1         an expectation or an invariant was not met; a history is not linearizable; the self-test did not find a
            planted bug, or the sound program failed there
  2         the command line, a scenario, a trace or a history is wrong, or a file or the output could not be written
            whole; what was found is printed nevertheless
  3         two runs of one seed differ
  4         nothing failed, but a search ended before it could decide
  5         a seed has no verdict: its process ended, ran out of memory, or its virtual time stood still
  6         nothing failed, but the time of explore was over before every seed had run, or merge misses seeds
  70        an error of this program itself: please report it
  130, 143  SIGINT or SIGTERM ended the command; serve and play exit with their verdict instead
  141       the reader of the output has ended
`

/** Runs one command line to its end and returns the exit code. */
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
  for (const add of commands) add(program, terminal, ended, argv)
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (cause) {
    if (cause instanceof LacksModules) {
      terminal.error(`${cause.message}\n`)
      return exits.usage
    }
    if (!(cause instanceof CommanderError)) throw cause
    return cause.exitCode === 0 ? exits.passed : exits.usage
  }
  return exit
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap((one) => withSubcommands(one))]
}
