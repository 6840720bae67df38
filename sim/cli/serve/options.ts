import { type Command, InvalidArgumentError } from 'commander'
import { serversMax } from '../../scenario/language/scenario-schema.ts'
import { countTo, type Ended } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { rateMax } from './admin.ts'
import { type ServeFlags, serve } from './command.ts'
import { clientsMax, portMax } from './ports.ts'

export function addServe(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('serve')
    .description('Put simulated agents behind real ports of HTTP and DNS, in virtual time that follows the wall clock.')
    .argument('[scenario]', 'a scenario whose cluster, workloads and faults are used; its steps do not run')
    .option('--servers <n>', 'how many servers; 3 if not given', countTo(serversMax, 1))
    .option('--clients <n>', 'how many client agents; none if not given', countTo(clientsMax, 0))
    .option('--release <release>', 'the release that all agents emulate; the newest if not given')
    .option('--acl <policy>', 'access control with this default policy, allow or deny; off if not given', aclPolicy)
    .option(
      '--seed <n>',
      'the seed of the world; that of the scenario, or 1, if not given',
      countTo(Number.MAX_SAFE_INTEGER, 0),
    )
    .option('--host <address>', 'the address of all ports', '127.0.0.1')
    .option(
      '--port <n>',
      'port of the administration; HTTP of the i-th agent is at n+i, its DNS at n+100+i',
      countTo(portMax, 1),
      18_500,
    )
    .option('--rate <n>', 'virtual seconds in a real second; 0: time passes by POST /advance alone', rate, 1)
    .option('--rest', 'in the end every fault ends, and the cluster must come to rest')
    .action(async (file: string | undefined, flags: ServeFlags) => {
      ended(await serve(file, flags, terminal))
    })
}

function aclPolicy(text: string): 'allow' | 'deny' {
  if (text === 'allow' || text === 'deny') return text
  throw new InvalidArgumentError('Write allow or deny.')
}

function rate(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= rateMax) return value
  throw new InvalidArgumentError(`Write a number from 0 to ${rateMax}, such as 1, 10 or 0.5.`)
}
