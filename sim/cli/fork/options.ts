import type { Command } from 'commander'
import { addLimits, countTo, type Ended, wholeNumber } from '../flag-values.ts'
import { addPlant } from '../plant.ts'
import type { SimTerminal } from '../terminal.ts'
import { runFork } from './command.ts'
import type { ForkFlags } from './flags.ts'

const triesMax = 100_000
const pointsMax = 1_000

export function addFork(program: Command, terminal: SimTerminal, ended: Ended): void {
  const command = program
    .command('fork')
    .description(
      'Repeat a run up to a time, continue it several times with other random numbers, and count how many of these fail.',
    )
    .argument('[file]', 'a scenario')
    .option('--seed <n>', 'the seed of the run; that of the scenario, or 1, if none is given', wholeNumber)
    .option('--at <time>', 'fork at this virtual time: 9s, 1m30s, 9.4s, in whole milliseconds')
    .option('--tries <n>', 'number of runs for each time', countTo(triesMax), 20)
    .option('--curve', 'fork at several times, from the beginning of the run to its failure')
    .option('--from <time>', 'time at which the curve begins; the beginning of the run if not given')
    .option('--to <time>', 'time at which the curve ends; that of the failure if not given')
    .option('--points <n>', 'number of equal intervals of the curve', countTo(pointsMax), 20)
    .option('--svg <file>', 'draw the curve into a file')
    .option('--json', 'print one line of JSON for each time')
    .option('--quiet', 'print no progress')
  addLimits(addPlant(command)).action(async (file: string | undefined, flags: ForkFlags) => {
    ended(await runFork(file, flags, terminal))
  })
}
