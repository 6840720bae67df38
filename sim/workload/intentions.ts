import { z } from 'zod'
import { rate, selector, template } from '../notation/fields.ts'
import { groupWorld } from './asked-agents.ts'
import { IntentionClients } from './intention-clients.ts'
import { workloadKind } from './kind.ts'

const group = z.strictObject({
  at: selector.describe(
    'The agents that they ask: chosen anew for each request; also those of other datacenters, with ?dc=.',
  ),
  datacenter: z.string().optional().describe('Where the intentions are; the first datacenter if absent.'),
  names: z
    .array(z.string().regex(/^[a-z][a-z0-9-]*$/, 'a name has small letters, digits and dashes'))
    .min(1)
    .describe('Of services. Ends of intentions are drawn from them and from wildcards, in two namespaces.'),
  with: template.optional().describe('The token that they come with; none if absent.'),
  domain: z.string().default('11111111-2222-3333-4444-555555555555.svc').describe('The trust domain of the mesh.'),
  authors: z
    .int()
    .min(1)
    .max(20)
    .default(2)
    .describe('How many make, change and delete intentions, one after the other.'),
  askers: z.int().min(1).max(100).default(4).describe('How many ask which service may connect to which.'),
  rate: rate.describe('Changes of all authors together.'),
  questions: rate.describe('Questions of all askers together.'),
})

export const intentions = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'groups of intentions are named with small letters'],
  group,
  text: 'Operators that make intentions, change and delete them, and clients that ask which service may connect to which.',
  isLast: true,
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
