import { z } from 'zod'
import type { Consistency } from '../../src/features/contract/reading.ts'
import { duration, durationRange, rate, selector, template } from '../notation/fields.ts'
import { answerWithinMs, groupWorld } from './asked-agents.ts'
import { ClientGroup, type GroupPlan, keysOf, prefixOf } from './client-group.ts'
import { KeyWatchers } from './key-watchers.ts'
import { workloadKind } from './kind.ts'

const operations = {
  'kv.get': 'reads a key',
  'kv.put': 'writes a new value',
  'kv.cas': 'reads a key and replaces its value, unless another client has changed it meanwhile',
  'kv.delete': 'removes a key',
  'kv.txn': 'replaces one key as kv.cas does and writes another one, atomically',
  'kv.list': 'reads all keys',
} as const

type Operation = keyof typeof operations

const client = z.strictObject({
  clients: z.int().min(1).max(100).default(1).describe('Number of clients; each sends one request at a time.'),
  at: selector
    .optional()
    .describe('The nodes to which they send; one is chosen for every request. All servers if absent.'),
  operations: z
    .array(z.enum(Object.keys(operations) as [Operation, ...Operation[]]))
    .min(1)
    .describe(
      Object.entries(operations)
        .map(([name, what]) => `${name} ${what}`)
        .join('; ')
        .concat('.'),
    ),
  keys: z.int().min(1).max(10_000).default(10).describe('Number of keys that they share; each is equally likely.'),
  rate: rate.describe(
    'Request rate of all clients together; a client that still waits for an answer sends its next request later.',
  ),
  consistency: z
    .union([z.enum(['default', 'consistent', 'stale']), z.array(z.enum(['default', 'consistent', 'stale'])).min(1)])
    .default('default')
    .describe('Consistency of reads: one mode, or several of which one is drawn for each read.'),
  datacenter: z
    .string()
    .optional()
    .describe('The datacenter of the keys; the first if absent. Requests to agents of another one have ?dc=.'),
  token: template.optional().describe('The token of their requests; none if absent.'),
  within: duration.optional().describe('Timeout of a request; 10s if absent.'),
  watchers: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe('Number of additional clients that follow all these keys by blocking queries, to the end of the run.'),
  'watch pause': durationRange
    .default({ min: 0, max: 500 })
    .describe('Pause of each between an answer and the next blocking query.'),
})

/** Groups of clients that read and write keys, and watchers that follow all of these by blocking queries. */
export const clients = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'a group of clients is named with small letters'],
  group: client,
  text: 'Continuous load: groups of clients by name.',
  crews: [
    {
      machine: 'clients',
      open: (group, { name, env, run }) => new ClientGroup(env, planOf(name, group), groupWorld(run, group)),
    },
    {
      machine: 'followers',
      isWanted: ({ watchers }) => watchers > 0,
      open: (group, { name, env, run }) => {
        const { consistencies, keys, ...plan } = planOf(name, group)
        const watching = { name, watchers: group.watchers, consistencies, pauseMs: group['watch pause'] }
        const which = { prefix: prefixOf(plan), keys: keysOf({ name, keys }) }
        const watchers = new KeyWatchers(env, { ...watching, ...which }, groupWorld(run, group))
        // Whether they have seen everything is judged at rest, when everything else has stopped.
        return { watch: () => watchers.start(), unwatch: () => watchers.stop() }
      },
    },
  ],
})

function planOf(name: string, group: z.output<typeof client>): GroupPlan {
  const { consistency } = group
  const consistencies: readonly Consistency[] = typeof consistency === 'string' ? [consistency] : consistency
  return {
    name,
    clients: group.clients,
    operations: group.operations,
    keys: group.keys,
    ratePerSecond: group.rate,
    consistencies,
    timeoutMs: group.within ?? answerWithinMs,
  }
}
