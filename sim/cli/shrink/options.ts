import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../../src/base/duration.ts'
import { failuresShown } from '../../report/seed-record.ts'
import { addLimits, countTo, type Ended, wholeNumber } from '../flag-values.ts'
import { addPlant } from '../plant.ts'
import type { SimTerminal } from '../terminal.ts'
import { runShrink } from './command.ts'
import type { ShrinkFlags } from './flags.ts'

export function addShrink(program: Command, terminal: SimTerminal, ended: Ended): void {
  const command = program
    .command('shrink')
    .description('Make a failing scenario smaller: a page with few faults that fails by itself in the same way.')
    .argument(
      '[file]',
      'the scenario; or the records of run --jsonl or explore --jsonl, of which the first failure is taken; or a list of decisions',
    )
    .option('--seed <n>', 'the seed that fails; that of the scenario, or 1, if not given', wholeNumber)
    .option(
      '--violation <k>',
      'make the page fail by the kth violation of the run; the first if not given',
      violationNumber,
    )
    .option('-o, --out <file>', 'write the page there; SCENARIO.shrunk.yaml if not given')
    .option('--budget <time>', 'CPU time of all runs: 30s, 10m; 60s if neither this nor --runs is given', cpuTime)
    .option('--runs <n>', 'maximum number of runs; with this alone the same command gives the same page', runCount)
    .option('--quiet', 'print only the outcome')
  addLimits(addPlant(command)).action(async (file: string | undefined, flags: ShrinkFlags) => {
    ended(await runShrink(file, flags, terminal))
  })
}

export const runCount = countTo(1_000_000)
/** Of the violations that a record keeps. */
export const violationNumber = countTo(failuresShown)
/** A longer search would not end. */
const budgetMaxMs = 86_400_000

/** The CPU time in milliseconds. */
export function cpuTime(text: string): number {
  const parsed = parseDuration(text)
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.error}: write a time such as 60s.`)
  if (parsed.value <= 0 || parsed.value > budgetMaxMs) throw new InvalidArgumentError('Write a time up to 24h.')
  return parsed.value
}
