import { z } from 'zod'
import { chance, duration, rate, selector, template } from '../../notation/fields.ts'
import { answerWithinMs, groupWorld } from '../asked-agents.ts'
import { workloadKind } from '../kind.ts'
import { keyOperations } from './key-operations.ts'
import { Owners } from './owners.ts'
import type { OwnOperation } from './request.ts'
import { sessionOperations } from './session-operations.ts'

/** Every operation on a client's own keys and sessions. */
export const ownOperations: Readonly<Record<string, OwnOperation>> = { ...keyOperations, ...sessionOperations }

const names = Object.keys(ownOperations) as [string, ...string[]]

const group = z.strictObject({
  clients: z
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe('Number of clients; each has keys of its own, and sends one request at a time.'),
  at: selector
    .optional()
    .describe('The nodes to which they send; one is chosen for every request. All servers if absent.'),
  rate: rate.describe(
    'Request rate of all clients together; a client that still waits for an answer sends its next request later.',
  ),
  operations: z
    .partialRecord(z.enum(names), z.int().min(0).max(1000))
    .optional()
    .describe(
      `A weight for each operation: one with twice the weight is sent twice as often. Without this key: ${names
        .map((name) => `${name} (${ownOperations[name]?.weight}) ${ownOperations[name]?.about}`)
        .join('; ')}.`,
    ),
  swarm: chance
    .default(0)
    .describe('For each seed, each operation except put is left out of the whole run with this chance.'),
  datacenter: z
    .string()
    .optional()
    .describe('The datacenter of the keys; the first if absent. Requests to agents of another one have ?dc=.'),
  token: template.optional().describe('The token of their requests; none if absent.'),
  within: duration.optional().describe('Timeout of a request; 10s if absent.'),
})

/** Clients with their own keys, locks and sessions, which know what every answer must say. */
export const owners = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'owners are named with small letters'],
  group,
  text: 'Clients with keys and sessions of their own, which no other client writes. They use all operations on keys and know the right answer to each.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'owners',
      open: (given, { name, env, run }) => {
        const { decisions } = run.simulation
        const isThere = (operation: string): boolean =>
          operation === 'put' || !decisions.draws('owners', name, 'swarm', operation).chance(given.swarm)
        const operations = Object.entries(ownOperations).flatMap(([operation, entry]) => {
          const weight = given.operations === undefined ? entry.weight : (given.operations[operation] ?? 0)
          return isThere(operation) ? [[operation, { ...entry, weight }] as const] : []
        })
        const { clients, rate: ratePerSecond, within: timeoutMs = answerWithinMs } = given
        return new Owners(env, { name, clients, ratePerSecond, timeoutMs, operations }, groupWorld(run, given))
      },
    },
  ],
})
