import { type Command, InvalidArgumentError } from 'commander'
import { newestRelease, oldestRelease, parseRelease, type Release, releaseText } from '../../src/model/release.ts'
import { shellWord } from '../report/shell-word.ts'
import { datacenterName, serversMax } from '../scenario/language/scenario-schema.ts'
import { type PlanOrder, planUpgrade } from '../upgrades/plan.ts'
import { planText } from '../upgrades/plan-text.ts'
import { rehearsalText, unrehearsed } from '../upgrades/rehearsal.ts'
import { writeText } from './files.ts'
import { countTo, type Ended } from './flag-values.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface PlanFlags {
  readonly from: string
  readonly to: string
  readonly servers: number
  readonly clients: number
  readonly datacenters: readonly string[]
  readonly acl?: boolean
  readonly every?: boolean
  readonly out?: string
}

export function addPlan(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('plan')
    .description(
      'Print the steps of an upgrade of a cluster with their reasons, and write a scenario that rehearses it.',
    )
    .requiredOption('--from <release>', 'what all agents run now: 0.6.4')
    .requiredOption('--to <release>', 'what they shall run: 1.4.0')
    .option('--servers <n>', 'servers in each datacenter', countTo(serversMax), 3)
    .option('--clients <n>', 'client agents in each datacenter, for the rehearsal', countTo(plannedClientsMax, 0), 2)
    .option('--datacenters <names>', 'names of the datacenters, the primary one first: dc1,dc2', datacenterNames, [
      'dc1',
    ])
    .option('--acl', 'the cluster has access control')
    .option('--every', 'pass through every release that changed something, not only those that must be passed')
    .option('-o, --out <file>', 'write the scenario there')
    .action(async (flags: PlanFlags) => {
      ended(await printPlan(flags, terminal))
    })
}

/** Maximum number of clients in a rehearsal, which needs no more for its purpose. */
const plannedClientsMax = 20
const datacentersMax = 5

function datacenterNames(text: string): readonly string[] {
  const names = text.split(',')
  const sound = names.every((name) => datacenterName.test(name)) && new Set(names).size === names.length
  if (sound && names.length <= datacentersMax) return names
  throw new InvalidArgumentError(`Write up to ${datacentersMax} different names, such as dc1,dc2.`)
}

/** `svc-sim plan`: prints the steps of an upgrade with their reasons, and writes the scenario that rehearses them. */
async function printPlan(flags: PlanFlags, terminal: SimTerminal): Promise<number> {
  const from = parseRelease(flags.from)
  const to = parseRelease(flags.to)
  if (from === undefined || to === undefined) {
    const known = `${releaseText(oldestRelease)} to ${releaseText(newestRelease)}`
    const given = from === undefined ? flags.from : flags.to
    terminal.error(`there is no release '${given}': write one from ${known}, with three numbers\n`)
    return exits.usage
  }
  const plan = planUpgrade(orderOf(flags, from, to))
  if (!plan.ok) {
    terminal.error(`${plan.error}\n`)
    return exits.usage
  }
  terminal.out(planText(plan.value))
  const missing = unrehearsed(plan.value)
  if (missing.length > 0) terminal.out(`\nNot in the rehearsal:\n${missing.map((line) => `  - ${line}\n`).join('')}`)
  if (flags.out === undefined) {
    terminal.out('\nWith -o FILE the scenario is written that rehearses these steps.\n')
    return exits.passed
  }
  if (!(await writeText(terminal, flags.out, rehearsalText(plan.value, commandOf(flags))))) return exits.usage
  terminal.out(`\nRehearse these steps: svc-sim run ${shellWord(flags.out)} --seeds 1..20\n`)
  return exits.passed
}

function orderOf({ servers, clients, datacenters, acl, every }: PlanFlags, from: Release, to: Release): PlanOrder {
  const through = every === true ? 'every' : 'needed'
  return { from, to, servers, clients, datacenters, accessControl: acl === true, through }
}

/** The command that produces the same plan, for readers of the scenario. */
function commandOf({ from, to, servers, clients, datacenters, acl, every }: PlanFlags): string {
  return [
    `svc-sim plan --from ${from} --to ${to} --servers ${servers} --clients ${clients}`,
    ` --datacenters ${datacenters.join(',')}`,
    acl === true ? ' --acl' : '',
    every === true ? ' --every' : '',
  ].join('')
}
