import { type Command, InvalidArgumentError } from 'commander'
import { rateMax, rateMin } from '../../play/play-api.ts'
import { serversMax } from '../../scenario/language/scenario-schema.ts'
import { countTo, type Ended } from '../flag-values.ts'
import { usualFolder } from '../lesson/work-folder.ts'
import { clientsMax, portMax } from '../serve/ports.ts'
import type { SimTerminal } from '../terminal.ts'
import { type PlayFlags, play } from './command.ts'

export function addPlay(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('play')
    .description('Play with a cluster on virtual time: in a browser, in this terminal, and with curl, dig and svc.')
    .argument('[scenario]', 'a scenario whose cluster, workloads and faults are used; or a saved session to continue')
    .option('--servers <n>', 'how many servers; 3 if not given', countTo(serversMax, 1))
    .option('--clients <n>', 'how many client agents; 1 if not given', countTo(clientsMax, 0))
    .option(
      '--seed <n>',
      'the seed of the world; that of the scenario, or 1, if not given',
      countTo(Number.MAX_SAFE_INTEGER, 0),
    )
    .option(
      '--port <n>',
      'port of the page; HTTP of the i-th agent is at n+i, its DNS at n+100+i',
      countTo(portMax, 1),
      18_300,
    )
    .option('--rate <n>', `virtual seconds in a real second, from ${rateMin} to ${rateMax}`, rate, 1)
    .option('--lesson <lesson>', 'use the cluster of this lesson (number or name), with its text beside it')
    .option('--dir <folder>', `the folder of your work on lessons; ${usualFolder} if not given`)
    .option('--paused', 'begin with virtual time standing still')
    .option('--terminal', 'read commands from this terminal, and serve no page; the command help lists them')
    .action(async (file: string | undefined, flags: PlayFlags) => {
      ended(await play(file, flags, terminal))
    })
}

function rate(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value >= rateMin && value <= rateMax) return value
  throw new InvalidArgumentError(`Write a number from ${rateMin} to ${rateMax}, such as 1, 10 or 0.5.`)
}
