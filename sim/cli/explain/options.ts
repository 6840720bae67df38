import type { Command } from 'commander'
import { addLimits, type Ended, wholeNumber } from '../flag-values.ts'
import { addPlant } from '../plant.ts'
import { cpuTime, runCount, violationNumber } from '../shrink/options.ts'
import type { SimTerminal } from '../terminal.ts'
import { runExplain } from './command.ts'
import type { ExplainFlags } from './flags.ts'

export function addExplain(program: Command, terminal: SimTerminal, ended: Ended): void {
  const command = program
    .command('explain')
    .description('Explain why a run fails: the chain of causes of its violation, and which of them the failure needs.')
    .argument(
      '[file]',
      'the scenario; or the records of run --jsonl or explore --jsonl, of which the first failure is taken; or a list of decisions',
    )
    .option('--seed <n>', 'the seed that fails; that of the scenario, or 1, if not given', wholeNumber)
    .option('--violation <k>', 'the kth violation of the run; the first if not given', violationNumber)
    .option('--all', 'show every event of the chain, not only the most telling ones')
    .option('--json', 'print one line of JSON')
    .option('--html <file>', 'also write a page that shows the run, with the chain and what the failure needs')
    .option('--no-blame', 'show the chain alone, and run nothing again')
    .option(
      '--code',
      'also show in which code of the agent a small change makes the run pass; that takes as much as --budget or --runs once more',
    )
    .option('--budget <time>', 'CPU time of all runs: 30s, 10m; 60s if neither this nor --runs is given', cpuTime)
    .option('--runs <n>', 'maximum number of runs; with this alone the same command gives the same answer', runCount)
    .option('--quiet', 'print no progress')
  addLimits(addPlant(command)).action(async (file: string | undefined, flags: ExplainFlags) => {
    ended(await runExplain(file, flags, terminal))
  })
}
