import { z } from 'zod'
import { rate, selector, template } from '../notation/fields.ts'
import { groupWorld } from './asked-agents.ts'
import { IntentionClients } from './intention-clients.ts'
import { workloadKind } from './kind.ts'

const group = z.strictObject({
  at: selector.describe(
    'The agents to which they send; one is chosen for each request. Requests to agents of other datacenters have ?dc=.',
  ),
  datacenter: z.string().optional().describe('The datacenter of the intentions; the first if absent.'),
  names: z
    .array(z.string().regex(/^[a-z][a-z0-9-]*$/, 'a name has small letters, digits and dashes'))
    .min(1)
    .describe(
      'Names of services. Sources and destinations of intentions are drawn from these and from wildcards, in two namespaces.',
    ),
  with: template.optional().describe('The token of their requests; none if absent.'),
  domain: z.string().default('11111111-2222-3333-4444-555555555555.svc').describe('The trust domain of the mesh.'),
  authors: z
    .int()
    .min(1)
    .max(20)
    .default(2)
    .describe('Number of clients that create, change and delete intentions, each one request at a time.'),
  askers: z.int().min(1).max(100).default(4).describe('Number of clients that ask which service may connect to which.'),
  rate: rate.describe('Rate of changes of all authors together.'),
  questions: rate.describe('Rate of requests of all askers together.'),
})

export const intentions = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'groups of intentions are named with small letters'],
  group,
  text: 'Clients that create, change and delete intentions, and clients that ask which service may connect to which.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'intentions',
      open: ({ at, datacenter, names, with: token, domain, authors, askers, rate, questions }, { name, env, run }) => {
        const world = groupWorld(run, {
          at,
          datacenter: datacenter ?? run.cluster.datacenterNames[0],
          token,
        })
        const plan = { name, names, authors, askers, domain, changesPerSecond: rate, questionsPerSecond: questions }
        return new IntentionClients(env, plan, {
          nowUs: world.nowUs,
          decisions: world.decisions,
          agent: world.server,
          tell: (fact, told) => world.invariants.tell(fact, told),
        })
      },
    },
  ],
})
