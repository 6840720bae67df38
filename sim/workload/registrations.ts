import { z } from 'zod'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { answerWithinMs } from './asked-agents.ts'
import { CheckSessions } from './check-sessions.ts'
import { type Place, workloadKind } from './kind.ts'
import { Registrants, type RegistrationOperation } from './registrants.ts'

const operation = z.enum(['change', 'check', 'maintenance', 'node maintenance', 'remove'])
const all: readonly RegistrationOperation[] = operation.options

const registrants = z.strictObject({
  at: selector.describe('The agents that are asked.'),
  service: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'a service is named with small letters')
    .optional()
    .describe('What the services are called; as the group, with dashes for spaces, if absent.'),
  services: z
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe('How many services each agent has: shops has shops-1, shops-2.'),
  operations: z
    .array(operation)
    .min(1)
    .default([...all])
    .describe(
      'change registers a service with another port, address, weights and other tags; check adds or removes a check of it; maintenance puts it into maintenance or ends it, node maintenance its node; remove deregisters it, and the next operation registers it anew.',
    ),
  every: durationRange.default({ min: 1_000, max: 3_000 }).describe('Time between two changes of one service.'),
  ttl: duration
    .default(6_000)
    .describe('Time to live of the check that each service has; it is reported on three times in it.'),
  silent: chance
    .default(0.05)
    .describe('The chance that a service falls silent for longer than that, instead of reporting.'),
  mesh: z
    .boolean()
    .default(false)
    .describe('Whether services speak the TLS of the mesh themselves with one change, and with another do not.'),
  sessions: z
    .boolean()
    .default(false)
    .describe('Whether instances of one number contend for a lock, each with a session that stands on its own check.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
})

export const registrations = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'registrations are named with small letters'],
  group: registrants,
  text: 'Services that come to their agents, change, report, fall silent, are maintained and go.',
  isLast: true,
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

/** Agents of one datacenter: its checkers judge what they say. */
function asked(group: z.output<typeof registrants>, { name, run }: Pick<Place, 'name' | 'run'>) {
  const { services, operations, every: everyMs, ttl: ttlMs, silent, mesh, within: timeoutMs = answerWithinMs } = group
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
