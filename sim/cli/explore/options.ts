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
    .description('Run seeds of many scenarios, or one share of the seeds, and record the verdict of each run.')
    .argument('[scenario...]', 'scenario files; every scenario of this program if none is named')
    .option('--seeds <a..b>', 'the seeds of all shares together, each over every scenario', seedRange)
    .option('--time <time>', 'begin no further seed after this time: 10m', timeSpan)
    .option('--shard <i/n>', 'only the i-th of n equal shares of the seeds', shardOf)
    .option(
      '--commit <hash>',
      'run seeds that no other commit runs: --seeds counts from the first seed of this commit',
      commitHash,
    )
    .option('--jsonl <file>', 'write the file that merge reads: a manifest, then a line of JSON for each run')
    .option('--resume', 'continue the file of --jsonl if it exists: run only what is missing there')
    .option('--verify', 'run each seed twice and compare the trace hashes')
    .option('--guided', 'also continue runs from rare states that they reached, with other random numbers')
    .option('--quiet', 'leave out the scenarios that passed, and how much each invariant has judged')
    .option('--no-demands', 'do not fail if runs do less than their scenario demands')
  addLimits(command).action(async (files: readonly string[], flags: ExploreFlags) => {
    ended(await explore(files, flags, terminal))
  })
}

export function addMerge(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('merge')
    .description('Add up the shares of a campaign, and report which runs are missing.')
    .argument('<file...>', 'files of explore --jsonl, compressed or not, in any order')
    .option('--junit <file>', 'write a report in the form of JUnit: a suite for each scenario, a case for each seed')
    .option('--quiet', 'leave out the scenarios that passed, and how much each invariant has judged')
    .action(async (files: readonly string[], flags: MergeFlags) => {
      ended(await merge(files, flags, terminal))
    })
}
