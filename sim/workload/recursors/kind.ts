import { z } from 'zod'
import type { Env } from '../../../src/env/env.ts'
import { clientHost, dnsEndpoint } from '../../cluster/node-identity.ts'
import { chance, durationRange, selector } from '../../notation/fields.ts'
import { groupWorld } from '../asked-agents.ts'
import { workloadKind } from '../kind.ts'
import { OutsideClients } from './outside-clients.ts'
import { Recursor, recursorAddress } from './recursor.ts'

/** Number of the first recursor's machine among those outside all datacenters. */
const firstMachine = 210

const group = z.strictObject({
  at: selector.describe('The agents that are asked; one is chosen for each question.'),
  count: z.int().min(1).max(4).default(2).describe('The number of recursors.'),
  troubled: chance
    .default(0.4)
    .describe(
      'The chance that a recursor answers a question late, not at all, with a failure, unreadably, or with a forged answer.',
    ),
  clients: z.int().min(1).max(100).default(4).describe('How many clients; each asks one thing at a time.'),
  every: durationRange.default({ min: 50, max: 400 }).describe('Time between an answer and the next question.'),
})

export const recursors = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'recursors are named with small letters'],
  group,
  text: 'DNS servers for names that do not belong to the cluster, and clients that ask agents for such names. There is one such group at most, and its recursors have the addresses 10.0.250.210, 10.0.250.211 and so on, which the key recursors of the agents\u2019 config must name.',
  isLast: true,
  judgedBy: 'contact',
  groupsMax: 1,
  crews: [
    {
      machine: 'outside-clients',
      open: ({ at, count, troubled, clients, every: everyMs }, { name, env, host, run }) => {
        const { cluster, simulation, injector } = run
        const world = groupWorld(run, { at })
        const nodeAt = new Map(cluster.nodeNames.map((node) => [cluster.identityOf(node).host, node]))
        const { tell } = world.invariants
        const machines = Array.from({ length: count }, (_, number) => ({
          name: `recursor-${number + 1}`,
          host: clientHost(firstMachine + number),
        }))
        const beside = { decisions: world.decisions, nodeAt: (address: string) => nodeAt.get(address), tell }
        for (const machine of machines) {
          const recursor = (own: Env) => new Recursor(own, { ...machine, troubled }, beside)
          simulation.addNode(machine).boot((own) => own.detach(recursor(own).listen()))
        }
        return new OutsideClients(
          env,
          { name, clients, everyMs, host, recursors: machines.map((machine) => recursorAddress(machine.host)) },
          {
            nowUs: world.nowUs,
            decisions: world.decisions,
            agent: (draws) => world.server(draws)?.name,
            dnsAt: (agent) => dnsEndpoint(cluster.identityOf(agent)),
            contactUs: (agent) => run.contactSinceUs(agent),
            changedUs: () => injector.changedUs,
            tell,
          },
        )
      },
    },
  ],
})
