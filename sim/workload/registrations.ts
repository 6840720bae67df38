import { z } from 'zod'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { answerWithinMs } from './asked-agents.ts'
import { CheckSessions } from './check-sessions.ts'
import { type Place, workloadKind } from './kind.ts'
import { Registrants } from './registrants.ts'

const usual = ['change', 'check', 'maintenance', 'node maintenance', 'remove'] as const
const operation = z.enum([...usual, 'alias'])

const registrants = z.strictObject({
  at: selector.describe('The agents at which services register.'),
  service: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'a service is named with small letters')
    .optional()
    .describe('Name of the services; if absent, the name of the group, with dashes for spaces.'),
  services: z
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe('Number of services of each agent: shops has shops-1, shops-2.'),
  operations: z
    .array(operation)
    .min(1)
    .default([...usual])
    .describe(
      'change registers a service with another port, address, weights and other tags; check adds or removes a check of it; maintenance puts it into maintenance or ends it, node maintenance its node; remove deregisters it, and the next operation registers it anew; alias adds or removes a check that stands for another service or node of the group. All but alias if absent.',
    ),
  every: durationRange.default({ min: 1_000, max: 3_000 }).describe('Time between two changes of one service.'),
  ttl: duration.default(6_000).describe('TTL of the check of each service; the service reports three times in it.'),
  silent: chance.default(0.05).describe('The chance that a service stops reporting for longer than the TTL.'),
  mesh: z.boolean().default(false).describe('Whether changes switch native mesh support of services on and off.'),
  addresses: z
    .enum(['plain', 'any'])
    .default('plain')
    .describe('any: addresses are also names of hosts, and IPv6 addresses with zeros that their shortest form lacks.'),
  sessions: z
    .boolean()
    .default(false)
    .describe('Whether instances with the same number contend for a lock, each with a session bound to its own check.'),
  sidecars: z
    .boolean()
    .default(false)
    .describe('Whether each service comes with a sidecar, whose port its agent chooses.'),
  within: duration.optional().describe('Timeout of a request; 10s if absent.'),
})

export const registrations = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'registrations are named with small letters'],
  group: registrants,
  text: 'Services that register, change, report, stop reporting, enter maintenance and deregister.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'registrants',
      open: (group, place) => {
        const { plan, world, nodes } = asked(group, place)
        return new Registrants(place.env, plan, world, nodes)
      },
    },
    {
      machine: 'working',
      isWanted: ({ sessions }) => sessions,
      open: (group, place) => {
        const { plan, world, nodes } = asked(group, place)
        return new CheckSessions(place.env, plan, world, nodes)
      },
    },
  ],
})

/** The group's agents, which belong to one datacenter, whose checkers judge their answers. */
function asked(group: z.output<typeof registrants>, { name, run }: Pick<Place, 'name' | 'run'>) {
  const {
    services,
    operations,
    every: everyMs,
    ttl: ttlMs,
    silent,
    mesh,
    addresses,
    sidecars,
    within: timeoutMs = answerWithinMs,
  } = group
  const all = run.select(group.at)
  const datacenter = run.cluster.datacenterOf(all[0] ?? run.cluster.nodeNames[0] ?? '')
  return {
    plan: {
      name,
      service: group.service ?? name.replaceAll(' ', '-'),
      services,
      operations,
      everyMs,
      ttlMs,
      silent,
      mesh,
      anyAddress: addresses === 'any',
      sidecars,
      timeoutMs,
    },
    world: {
      nowUs: () => run.simulation.nowUs,
      decisions: run.simulation.decisions,
      endpointOf: (node: string) => httpEndpoint(run.cluster.identityOf(node)),
      tell: run.checksOf(datacenter).tell,
    },
    nodes: all.filter((node) => run.cluster.datacenterOf(node) === datacenter),
  }
}
