import { type Command, InvalidArgumentError } from 'commander'
import { forkOf } from '../../report/forks.ts'
import type { Fork } from '../../world/decisions/decisions.ts'
import { type Ended, wholeNumber } from '../flag-values.ts'
import { addPlant } from '../plant.ts'
import type { SimTerminal } from '../terminal.ts'
import { runDiff } from './command.ts'
import type { DiffFlags } from './flags.ts'

export function addDiff(program: Command, terminal: SimTerminal, ended: Ended): void {
  const command = program
    .command('diff')
    .description('Compare two runs: where they part, and which difference led to the failure of one of them.')
    .argument('[first]', 'a scenario, or a trace of svc-sim run --trace')
    .argument('[second]', 'another one; if none is named, another run of the first')
    .option('--seed <n>', 'the seed of both runs; that of the scenario, or 1, if none is given', wholeNumber)
    .option('--seeds <n,m>', 'the seeds of the first and the second run of one scenario', twoSeeds)
    .option(
      '--fork <time:n>',
      'compare with the same run with different random numbers from this time on: 4200ms:3',
      fork,
    )
    .option('--against <folder>', 'compare with the build of another checkout')
    .option('--json', 'print the differences as one line of JSON')
  addPlant(command).action(async (first: string | undefined, second: string | undefined, flags: DiffFlags) => {
    ended(await runDiff([first, second], flags, terminal))
  })
}

function twoSeeds(text: string): readonly [number, number] {
  const [one = '', other = '', ...more] = text.split(',')
  if (more.length > 0 || other === '') throw new InvalidArgumentError('Write two seeds, such as 3,17.')
  return [wholeNumber(one), wholeNumber(other)]
}

function fork(text: string): Fork {
  const read = forkOf(text)
  if (!read.ok) throw new InvalidArgumentError(read.error)
  return read.value
}
