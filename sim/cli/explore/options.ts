import type { Command } from 'commander'
import { addLimits, type Ended, seedRange } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { explore } from './command.ts'
import { commitHash, type ExploreFlags, shardOf, timeSpan } from './flags.ts'
import { type MergeFlags, merge } from './merge.ts'

/** The commands for campaigns on many machines. */
export function addExplore(program: Command, terminal: SimTerminal, ended: Ended): void {
  const command = program
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
    .option('--guided', 'beside plain seeds, fork runs where they reached rare marks')
    .option('--quiet', 'without the scenarios that passed, and without the counts of what was judged')
    .option('--no-demands', 'do not fail if runs do less than their scenario demands')
  addLimits(command).action(async (files: readonly string[], flags: ExploreFlags) => {
    ended(await explore(files, flags, terminal))
  })
}

export function addMerge(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('merge')
    .description('Add up the shares of a campaign, and say what is missing.')
    .argument('<file...>', 'files of explore --jsonl, packed or not, in any order')
    .option('--junit <file>', 'write a report in the form of JUnit: a suite for each scenario, a case for each seed')
    .option('--quiet', 'without the scenarios that passed, and without the counts of what was judged')
    .action(async (files: readonly string[], flags: MergeFlags) => {
      ended(await merge(files, flags, terminal))
    })
}
