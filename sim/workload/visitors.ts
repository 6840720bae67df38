import { z } from 'zod'
import type { DuePart } from '../checkers/access/access-facts.ts'
import { calledName } from '../cluster/group-facts.ts'
import { duration, rate, savedNameField, selector, template } from '../notation/fields.ts'
import { answerWithinMs, anyAgent } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { visitOperations } from './visit-operations.ts'
import { isPrepared } from './visit-registrations.ts'
import { Visitors } from './visitor-clients.ts'

const asked = {
  at: selector.describe('The nodes to which they send; one is chosen for every request.'),
  tokens: savedNameField.describe("Tokens that a 'tokens' step has saved: each visit is made with one of them."),
  key: z
    .string()
    .min(1)
    .optional()
    .describe('The key that a visit reads or writes: # is the number of the token, or now and then that of another.'),
  names: z
    .array(z.string().regex(/^[a-z][a-z0-9-]*$/, 'a name has small letters, digits and dashes'))
    .min(1)
    .optional()
    .describe(
      'Instead of a key: names of keys, services, events and queries. What is asked for is drawn from them, and from all nodes.',
    ),
  operations: z
    .array(z.enum(visitOperations))
    .min(1)
    .default([...visitOperations])
    .describe('With names: what they ask for.'),
  with: template
    .optional()
    .describe(
      'The token of an operator, which prepares what visits register and deregister; without it they do neither.',
    ),
  clients: z.int().min(1).max(100).default(4).describe('Number of clients; each sends one request at a time.'),
  rate: rate.describe(
    'Request rate of all clients together; a client that still waits for an answer sends its next request later.',
  ),
  within: duration.optional().describe('Timeout of a request; 10s if absent.'),
}

const group = z
  .strictObject(asked)
  .refine(({ key, names }) => (key === undefined) !== (names === undefined), "say 'key' or 'names', and not both")

export const visitors = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'visitors are named with small letters'],
  group,
  text: 'Clients with tokens of all kinds, whose requests must be allowed or refused as their rules say.',
  judgedBy: 'reaching',
  crews: [
    {
      machine: 'visitors',
      open: (
        { at, clients, key, names = [], operations, rate: ratePerSecond, tokens, within, with: secret },
        { name, env, run },
      ) => {
        const operator = secret === undefined ? undefined : () => run.filled(secret)
        const possible = operations.filter((each) => operator !== undefined || !isPrepared(each))
        const timeoutMs = within ?? answerWithinMs
        const plan = { name, clients, key, names, operations: possible, operator, ratePerSecond, timeoutMs }
        const invariants = run.checksOf(run.cluster.datacenterNames[0] ?? '')
        const checksOf = (agent: string) => run.checksOf(run.cluster.datacenterOf(agent))
        const calledOf = (agent: string): string => calledName(run.cluster, run.cluster.datacenterOf(agent))
        return new Visitors(env, plan, {
          nowUs: () => run.simulation.nowUs,
          decisions: run.simulation.decisions,
          // An agent of any datacenter: each has the keys that its visitors request.
          agent: (draws) => anyAgent(run, at, draws),
          tokens: () => run.listed(tokens),
          datacenterOf: (agent) => run.cluster.datacenterOf(agent),
          nodesOf: (datacenter) =>
            run.cluster.nodeNames.filter((node) => run.cluster.datacenterOf(node) === datacenter),
          eventNow: () => invariants.eventNow(),
          onBegun: (agent, mark, tookEffect) => checksOf(agent).tell('visit began', { mark, tookEffect }),
          onAcknowledged: (told) => checksOf(told.agent).tell('visit acknowledged', told),
          onVisit: (visit) => invariants.tell('visit made', { ...visit, datacenter: calledOf(visit.agent) }),
          onListAsked: (agent, view) => checksOf(agent).tell('view asked for', { view }),
          onListShown: (asked, view, names) => {
            const visit = { ...asked, datacenter: calledOf(asked.agent) }
            const compared = (due: readonly DuePart[]): void => invariants.tell('view compared', { visit, due })
            checksOf(asked.agent).tell('view shown', { view, names, compared })
          },
        })
      },
    },
  ],
})
