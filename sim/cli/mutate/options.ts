import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Ended, gathered, jobCount, seedCount, seedRange } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { runMutate } from './command.ts'
import type { MutateFlags } from './flags.ts'

export function addMutate(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('mutate')
    .description(
      'Change the program in small ways, one at a time, and see what fraction of the changes scenarios notice.',
    )
    .requiredOption('--room <path>', 'change what is built from this folder or file; may be repeated', gathered)
    .option('--sample <n>', 'number of mutants to draw from each room', seedCount, 20)
    .option('--seed <text>', 'text from which the sample is drawn; another text gives another sample', '1')
    .addOption(
      new Option('--budget <time>', 'CPU time of the runs of one mutant, and real time of its tests: 30s, 2m')
        .argParser(cpuTime)
        .default(30_000, '30s'),
    )
    .option('--jobs <n>', 'number of processes at a time; one for each core if not given', jobCount)
    .option('--scenarios <file...>', 'try with these scenarios instead of all that come with the program')
    .addOption(
      new Option('--seeds <a..b>', 'with these seeds of each')
        .argParser(seedRange)
        .default({ first: 1, last: 2 }, '1..2'),
    )
    .option(
      '--bug <row or name>',
      'judge checkers by this planted bug instead of all bugs and scenarios; may be repeated',
      gathered,
    )
    .option('--mutant <id>', 'judge only this mutant; may be repeated', gathered)
    .option(
      '--tests [folder...]',
      'let tests judge the mutants that no run kills: the tests of these folders, or all but e2e and scenario',
    )
    .option('--jsonl <file>', 'write a line of JSON for each run and each mutant')
    .option('--markdown <file>', 'write a page with the score and the mutants that survived')
    .option('--resume', 'continue the file of --jsonl')
    .option('--list', 'show the mutants that are drawn, and run nothing')
    .addOption(
      new Option(
        '--never',
        'judge no mutant: list the places that no run reaches and the values that none takes',
      ).conflicts(['list', 'mutant', 'tests', 'markdown']),
    )
    .action(async (flags: MutateFlags) => {
      ended(await runMutate(flags, terminal))
    })
}

const budgetMaxMs = 86_400_000

function cpuTime(text: string): number {
  const match = /^(\d+)(s|m|h)$/.exec(text)
  const ms = Number(match?.[1]) * { s: 1_000, m: 60_000, h: 3_600_000 }[(match?.[2] ?? 's') as 's' | 'm' | 'h']
  if (match === null || ms < 1 || ms > budgetMaxMs)
    throw new InvalidArgumentError('Write a span such as 30s, 2m or 1h.')
  return ms
}
