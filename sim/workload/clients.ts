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
  'kv.cas': 'reads a key and replaces what it found, if nobody else has meanwhile',
  'kv.delete': 'removes a key',
  'kv.txn': 'replaces one key as kv.cas does and writes another one, both or neither',
  'kv.list': 'reads all keys',
} as const

type Operation = keyof typeof operations

const client = z.strictObject({
  clients: z.int().min(1).max(100).default(1).describe('How many; each asks one thing at a time.'),
  at: selector
    .optional()
    .describe('The node that they ask: chosen anew for every request. Any of the servers if absent.'),
  operations: z
    .array(z.enum(Object.keys(operations) as [Operation, ...Operation[]]))
    .min(1)
    .describe(
      Object.entries(operations)
        .map(([name, what]) => `${name} ${what}`)
        .join('; ')
        .concat('.'),
    ),
  keys: z.int().min(1).max(10_000).default(10).describe('How many keys they share; names are drawn evenly.'),
  rate: rate.describe('Requests of all of them together; one that still waits for an answer asks later.'),
  consistency: z
    .union([z.enum(['default', 'consistent', 'stale']), z.array(z.enum(['default', 'consistent', 'stale'])).min(1)])
    .default('default')
    .describe('Of reads: one kind, or several of which one is drawn for each.'),
  datacenter: z
    .string()
    .optional()
    .describe('Where the keys are; the first datacenter if absent. Agents of another one are asked with ?dc=.'),
  token: template.optional().describe('The token that they ask with; none if absent.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
  watchers: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe('How many more follow all these keys by blocking queries, to the end of the run.'),
  'watch pause': durationRange
    .default({ min: 0, max: 500 })
    .describe('How long each of them rests between an answer and its next question.'),
})

/** Groups of clients that read and write keys, and others that follow all of these by blocking queries. */
export const clients = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'a group of clients is named with small letters'],
  group: client,
  text: 'What goes on all the time: groups of clients by name.',
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
        // That they have heard of everything is judged at rest, when everything else has stopped.
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
