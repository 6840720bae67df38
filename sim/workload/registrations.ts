import { z } from 'zod'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { answerWithinMs } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { Registrants, type RegistrationOperation } from './registrants.ts'

const operation = z.enum(['change', 'check', 'maintenance', 'node maintenance', 'remove'])
const all: readonly RegistrationOperation[] = operation.options

const registrants = z.strictObject({
  at: selector.describe('The agents that are asked.'),
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
      'change registers a service with another port and other tags; check adds or removes a check of it; maintenance puts it into maintenance or ends it, node maintenance its node; remove deregisters it, and the next operation registers it anew.',
    ),
  every: durationRange.default({ min: 1_000, max: 3_000 }).describe('Time between two changes of one service.'),
  ttl: duration
    .default(6_000)
    .describe('Time to live of the check that each service has; it is reported on three times in it.'),
  silent: chance
    .default(0.05)
    .describe('The chance that a service falls silent for longer than that, instead of reporting.'),
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
      open: (group, { name, env, run }) => {
        const nodes = run.select(group.at)
        const plan = {
          name,
          services: group.services,
          operations: group.operations,
          everyMs: group.every,
          ttlMs: group.ttl,
          silent: group.silent,
          timeoutMs: group.within ?? answerWithinMs,
        }
        const datacenter = run.cluster.datacenterOf(nodes[0] ?? run.cluster.nodeNames[0] ?? '')
        const checks = run.checksOf(datacenter)
        const own = nodes.filter((node) => run.cluster.datacenterOf(node) === datacenter)
        const world = {
          nowUs: () => run.simulation.nowUs,
          decisions: run.simulation.decisions,
          endpointOf: (node: string) => httpEndpoint(run.cluster.identityOf(node)),
          tell: checks.tell,
        }
        return new Registrants(env, plan, world, own)
      },
    },
  ],
})
