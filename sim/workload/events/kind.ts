import { z } from 'zod'
import { membership } from '../../checkers/pool/membership.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import { durationRange, template } from '../../notation/fields.ts'
import type { Place } from '../kind.ts'
import { workloadKind } from '../kind.ts'
import { EventUsers, type EventWorld, eventNames } from './event-users.ts'
import { FewRights } from './few-rights.ts'

const group = z.strictObject({
  datacenter: z
    .string()
    .optional()
    .describe('The datacenter in which events are fired and listed; the first if absent.'),
  service: z.string().default('').describe('Some events are only for agents with this service; if absent, none are.'),
  tag: z.string().default('').describe('A tag of that service, for some of these events.'),
  'few rights': template
    .optional()
    .describe(
      'A token that may write and read events of the name deploy alone. With it, events of every name are fired and listed, too.',
    ),
  every: durationRange.default({ min: 500, max: 2_000 }).describe('Time between two events.'),
})

export const events = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'groups of events are named with small letters'],
  group,
  text: 'Clients that fire user events at any agent, for all agents or some, and check which agents receive them.',
  isLast: true,
  crews: [
    {
      machine: 'events',
      open: ({ datacenter, service, tag, every: everyMs }, { name, env, run }) =>
        new EventUsers(env, { name, everyMs, service, tag }, worldOf(run, datacenter)),
    },
    {
      machine: 'events-few',
      isWanted: (wanted) => wanted['few rights'] !== undefined,
      open: ({ datacenter, 'few rights': few, every: everyMs }, { name, env, run }) => {
        const token = (): string => (few === undefined ? '' : run.filled(few))
        return new FewRights(env, { name, token, may: eventNames[0], everyMs }, worldOf(run, datacenter))
      },
    },
  ],
})

function worldOf(run: Place['run'], named: string | undefined): EventWorld {
  const { cluster, simulation } = run
  const datacenter = named ?? cluster.datacenterNames[0] ?? ''
  const checks = run.checksOf(datacenter)
  return {
    nowUs: () => simulation.nowUs,
    decisions: simulation.decisions,
    agents: () =>
      cluster.nodeNames
        .filter((name) => cluster.datacenterOf(name) === datacenter && cluster.isRunning(name))
        .map((name) => ({ name, endpoint: httpEndpoint(cluster.identityOf(name)), boot: cluster.bootOf(name) })),
    tagsAt: (agent, service) =>
      cluster
        .agentOf(agent)
        ?.local.services()
        .filter((each) => each.service === service)
        .map(({ tags }) => tags),
    tell: (fact, told) => checks.tell(fact, told),
    spreadMs: () => checks.of(membership).spreadBoundMs(),
    exchangeMs: () => checks.of(membership).exchangeBoundMs(),
  }
}
