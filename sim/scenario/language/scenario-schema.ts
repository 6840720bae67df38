import { z } from 'zod'
import { type Mark, marks } from '../../checkers/marks.ts'
import { fault } from '../../faults/fault-schema.ts'
import {
  chance,
  duration,
  durationRange,
  percentRange,
  rate,
  release,
  savedNameField,
  selector,
  signedDurationRange,
  template,
} from '../../notation/fields.ts'
import { nodeConfig } from '../node-config.ts'
import { condition } from './condition-schema.ts'
import { step } from './step-schema.ts'

/** More servers than any sane consensus group has. */
export const serversMax = 15
export const datacenterName = /^[a-z][a-z0-9-]*$/
/** As many as addresses are set aside for. */
const clientsMax = 99

const agents = (countMax: number) =>
  z.strictObject({
    count: z
      .union([z.int().min(1).max(countMax), z.array(z.int().min(1).max(countMax)).min(1)])
      .describe('How many; from several numbers, [3, 5], each seed draws one.'),
    'restart after': duration
      .optional()
      .describe('A process that stopped itself, over a failed disk for example, is started again after this long.'),
    release: release.optional().describe('What they run as at first: 1.0.1. The newest release if absent.'),
    config: nodeConfig.optional().describe('Settings of these alone, over those of the datacenter.'),
  })

const datacenter = z.strictObject({
  servers: agents(serversMax)
    .extend({
      spare: z
        .int()
        .min(1)
        .max(serversMax)
        .optional()
        .describe('Number of further ones, numbered after them, whose machines are off at first: restart starts them.'),
    })
    .describe('Servers s1, s2, …, which take part in consensus.'),
  clients: agents(clientsMax).optional().describe('Client agents c1, c2, …, which keep no replicated state.'),
  apart: z
    .literal(true)
    .optional()
    .describe('It knows no other datacenter, and no other knows it: a cluster of its own.'),
  certificates: z
    .literal(true)
    .optional()
    .describe(
      'Each machine has certificates of one authority, as svc tls makes them: /tls/ca.pem, cert.pem and key.pem. Settings say whether they are used.',
    ),
  datacenter: z
    .string()
    .regex(datacenterName, 'a datacenter is named with small letters, digits and -')
    .optional()
    .describe('Its name for its agents, if not the one here. Two separate ones may have the same name.'),
  config: nodeConfig.optional(),
  'drawn config': z
    .array(nodeConfig)
    .min(1)
    .optional()
    .describe('Each seed draws one of these, which overrides config.'),
})

const operations = {
  'kv.get': 'reads a key',
  'kv.put': 'writes a new value',
  'kv.cas': 'reads a key and replaces what it found, if nobody else has meanwhile',
  'kv.delete': 'removes a key',
  'kv.txn': 'replaces one key as kv.cas does and writes another one, both or neither',
  'kv.list': 'reads all keys',
} as const

export type Operation = keyof typeof operations

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

const heartbeat = z.strictObject({
  at: selector.describe('The agents that get the reports.'),
  check: z.string().min(1).describe('The ID of the TTL check on each of them: service:web.'),
  every: duration.describe('Interval of the reports that the check passes.'),
})

const locks = z.strictObject({
  at: selector.optional().describe('Which agents they ask; all servers if absent.'),
  contenders: z.int().min(1).max(1000).describe('How many want the locks, each with a session of its own.'),
  locks: z.int().min(1).max(100).default(1).describe('How many locks they contend for.'),
  ttl: duration.describe("The sessions' time to live; each is renewed three times in it."),
  'lock delay': duration.default(15_000).describe('How long a key of an ended session cannot be locked.'),
  hold: durationRange.default({ min: 500, max: 3000 }).describe('How long a lock is kept.'),
  asleep: chance
    .default(0)
    .describe('The chance that a holder falls asleep with its lock, and writes when its session has long ended.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
})

const watcher = z.strictObject({
  at: selector.describe('The agents that are watched, each over HTTP (blocking queries) and DNS.'),
  service: z.string().min(1),
  'at least': z
    .int()
    .min(1)
    .describe('Minimum number of healthy instances, once it was reached; an answer with fewer fails the run.'),
  'silent for at most': duration
    .optional()
    .describe(
      'For no longer than this an agent may give no answer, or one over DNS that it cannot tell (SERVFAIL). If absent: no answer is never a gap, and such a one always is.',
    ),
})

const visitors = z.strictObject({
  at: selector.describe('The node that they ask: chosen anew for every request.'),
  tokens: savedNameField.describe("Tokens that a 'tokens' step has saved: each visit is made with one of them."),
  key: z
    .string()
    .min(1)
    .describe('The key that a visit reads or writes: # is the number of the token, or now and then that of another.'),
  clients: z.int().min(1).max(100).default(4).describe('How many; each asks one thing at a time.'),
  rate: rate.describe('Requests of all of them together; one that still waits for an answer asks later.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
})

const proxies = z.strictObject({
  at: selector.describe(
    'Beside which agents they are, one after the other in turn; their clocks are those of these machines.',
  ),
  count: z.int().min(1).max(1000).describe('How many; proxy # of shop serves the service shop-#.'),
  connections: z.int().min(0).max(100).default(2).describe('To how many others each of them is connected at a time.'),
  every: durationRange
    .default({ min: 5_000, max: 15_000 })
    .describe('Lifetime of a connection, after which it is made anew, with a handshake.'),
  wait: duration.default(300_000).describe('How long a blocking query for a leaf or for roots waits.'),
  token: template.optional().describe('The token that they ask with; none if absent.'),
})

const tunnels = z.strictObject({
  at: selector.describe(
    'Beside which agents they are, one after the other in turn. Proxies of one datacenter reach one another.',
  ),
  count: z.int().min(2).max(20).describe('How many services; # of shop is shop-#, behind a proxy of its own.'),
  every: durationRange
    .default({ min: 500, max: 1_500 })
    .describe('Interval at which each tries a new connection to every other one of its datacenter.'),
  token: template.optional().describe('The token that the proxies ask with; none if absent.'),
})

const mesh = z.strictObject({
  'leaf ttl': duration
    .optional()
    .describe('How long leaves live at first; less than an hour, which is the least elsewhere, too.'),
  skew: duration
    .optional()
    .describe('How far clocks may be apart, each by half of it from true time; a minute if absent.'),
  keys: z
    .enum(['real', 'cheap'])
    .default('real')
    .describe('cheap: Ed25519, which costs less and is not what the mesh uses, for runs that study scale.'),
})

const webServer = z.strictObject({
  at: selector.describe('On whose machines: clients, c1.'),
  port: z.int().min(1).max(65_535),
})

const network = z.strictObject({
  latency: durationRange.optional().describe('Time on the way, drawn for each message; 1ms..5ms if absent.'),
  loss: chance.optional().describe('Of a datagram; a connection repeats what is lost, and so is late.'),
  duplicate: chance.optional().describe('Of datagrams.'),
  reorder: chance.optional().describe('Of datagrams; a connection keeps its order.'),
  replay: z
    .strictObject({ chance, after: durationRange })
    .optional()
    .describe('Share of datagrams that are recorded on the way, and arrive once more after this time.'),
})

const disk = z.strictObject({
  latency: durationRange.optional().describe('Of a read or write; 50us..200us if absent.'),
  fsync: durationRange.optional().describe('Of a sync; 1ms..5ms if absent.'),
})

const clocks = z.strictObject({
  offset: signedDurationRange.optional().describe('How far wall clocks are off at the start.'),
  rate: percentRange.optional().describe('How much faster or slower than true time clocks run.'),
})

const knob = (leastValue: number, description: string) =>
  z.array(z.int().min(leastValue)).min(1).optional().describe(description)

const knobs = z.strictObject({
  'append entries': knob(1, 'Entries in one message to a follower, at most.'),
  'appends in flight': knob(1, 'Messages with entries on their way to one follower, at most.'),
  'snapshot chunk': knob(64, 'Bytes of a snapshot in one message.'),
  'trailing logs': knob(0, 'Entries kept in the log behind a snapshot.'),
  'first incarnation': knob(0, 'What members count their incarnations from: 2147483000 is near the greatest.'),
})

const excuses = z
  .strictObject({
    'stale default reads': duration
      .optional()
      .describe('K1: reads of default consistency may be this old, since a deposed leader may still answer them.'),
    'majority lost': z
      .literal(true)
      .optional()
      .describe(
        "R1, R4, R7, D1: the data of a majority may be destroyed, and 'recover' forces a configuration on those that are left. What was acknowledged before may be lost by that, and nothing else.",
      ),
  })
  .describe('What invariants let pass, each by its name. Nothing is excused that is not named.')

const sometimes = z
  .strictObject({
    seeds: z.int().min(1).describe('In fewer seeds nothing need be reached.'),
    reach: z.array(z.enum(Object.keys(marks) as [Mark, ...Mark[]])).min(1),
  })
  .describe(
    'Rare states that a campaign of at least so many seeds must reach: run --seeds fails when no run of it does.',
  )

const quiet = z.strictObject({
  within: duration.describe('The time in which the cluster must come to rest.'),
  'core first': z
    .literal(true)
    .optional()
    .describe(
      'First only a core of servers is mended, drawn so that it suffices for a quorum, while everything else stays broken as it is: within the same time the core must serve.',
    ),
})

/** A scenario file, whole. The language page and the JSON Schema for editors come from this. */
export const scenarioSchema = z.strictObject({
  scenario: z.string().min(1).describe('Its title.'),
  about: z.string().optional().describe('What happens, why it matters, what to look at.'),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'a tag is made of small letters, digits and -'))
    .optional()
    .describe('Words to find it by.'),
  cluster: z
    .record(z.string().regex(datacenterName, 'a datacenter is named with small letters, digits and -'), datacenter)
    .describe('The nodes, by datacenter.'),
  network: network.optional().describe('Links, when nothing is wrong.'),
  disk: disk.optional().describe('Disks, when nothing is wrong.'),
  clocks: clocks.optional().describe('How far the clocks of machines are from true time.'),
  knobs: knobs
    .optional()
    .describe('Settings that no configuration file has: for each seed one of the values is drawn.'),
  workload: z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'a group of clients is named with small letters'), client)
    .optional()
    .describe('What goes on all the time: groups of clients by name.'),
  heartbeats: z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'heartbeats are named with small letters'), heartbeat)
    .optional()
    .describe('Services that keep their TTL checks alive, to the end of the run.'),
  locks: z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'a group of contenders is named with small letters'), locks)
    .optional()
    .describe(
      'Clients that contend for locks all the time: they create sessions, renew them, lock keys and give them up.',
    ),
  watchers: z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'watchers are named with small letters'), watcher)
    .optional()
    .describe('Clients that watch a service all the time, and must never see a gap.'),
  visitors: z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'visitors are named with small letters'), visitors)
    .optional()
    .describe('Clients with tokens of all kinds, whose requests must be allowed or refused as their rules say.'),
  proxies: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'proxies are named with small letters, digits and -'), proxies)
    .optional()
    .describe('Proxies of the mesh: each keeps a leaf and the roots, and is connected to others all the time.'),
  tunnels: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'tunnels are named with small letters, digits and -'), tunnels)
    .optional()
    .describe(
      'Services that reach one another over the mesh by the proxy that svc itself is: each keeps one connection open to each other one, and tries new ones all the time.',
    ),
  mesh: mesh.optional().describe('Settings of the mesh that no configuration file has.'),
  'secrets manager': z
    .strictObject({
      token: z
        .string()
        .min(1)
        .describe(
          'The token that an authority of provider vault has. One of 40 letters and digits and more is looked for wherever it should not be (C4).',
        ),
    })
    .optional()
    .describe(
      "An external secrets manager on a machine of its own, http://10.0.250.200:8200. See 'authority' and 'secrets manager'.",
    ),
  'web servers': z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'web servers are named with small letters'), webServer)
    .optional()
    .describe(
      "What HTTP and TCP checks look at: on each machine one that answers, on 127.0.0.1 too. See 'web server'.",
    ),
  operator: z
    .strictObject({ token: template.describe('The token that may do everything.') })
    .optional()
    .describe('The token with which conditions and the end of the run read the cluster; absent: no token.'),
  faults: z.array(fault).optional().describe('What goes wrong at random, on schedule, or when something happens.'),
  steps: z.array(step).optional().describe('What happens one after the other.'),
  lasts: duration.optional().describe('The run goes on for at least this long before it comes to rest.'),
  always: z.array(condition).optional().describe('Conditions that hold at every moment of the run.'),
  never: z.array(condition).optional().describe('Conditions that do not hold at any moment of the run.'),
  invariants: z.literal('all').optional().describe('All invariants are checked in every run; the line may say so.'),
  excuses: excuses.optional(),
  sometimes: sometimes.optional(),
  quiet: quiet
    .optional()
    .describe(
      'How the run ends: faults stop, everything is mended and started, and the cluster must come to rest. 60s if absent.',
    ),
})

export type Scenario = z.output<typeof scenarioSchema>
export type ClientGroup = z.output<typeof client>
export type HeartbeatGroup = z.output<typeof heartbeat>
export type LockGroup = z.output<typeof locks>
export type ProxyGroup = z.output<typeof proxies>
export type TunnelGroup = z.output<typeof tunnels>
export type VisitorGroup = z.output<typeof visitors>
export type WatcherGroup = z.output<typeof watcher>
