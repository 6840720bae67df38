import { z } from 'zod'
import { actionShape } from '../../faults/actions.ts'
import { checkSpan, fault, span } from '../../faults/fault-schema.ts'
import {
  chance,
  duration,
  durationRange,
  percentRange,
  release,
  selector,
  signedDurationRange,
  template,
} from '../../notation/fields.ts'
import { rootNames, type TokenTerms, tokenTerms } from '../../secrets-manager/manager-machine.ts'
import { workloadShape } from '../../workload/kinds.ts'
import { condition } from '../conditions/conditions.ts'
import { nodeConfig } from '../node-config.ts'
import { played } from '../played/played-schema.ts'
import { checkExpectation } from '../steps/expectation.ts'
import { stepShape } from '../steps/steps.ts'
import { demands } from './demands.ts'

export const step = z
  .strictObject({
    step: z.string().min(1).describe('The title: what happens, in one clause.'),
    ...actionShape,
    ...stepShape,
    for: span,
  })
  .superRefine((given, context) => {
    const issue = (message: string, path: readonly string[] = []): void => {
      context.issues.push({ code: 'custom', message, input: given, path: [...path] })
    }
    const stated = Object.keys(given).filter((key) => key !== 'step' && key !== 'for')
    const actions = given.http === undefined ? stated : stated.filter((key) => key !== 'expect')
    if (actions.length === 0) issue(`this step does nothing: add one action, such as 'wait: 5s' or 'crash: leader'`)
    if (actions.length > 1) issue(`a step does one thing, this one has ${actions.join(' and ')}: make them two steps`)
    checkSpan(given, issue)
    checkExpectation(given, issue)
  })

export type Step = z.output<typeof step>

/** More servers than any sane cluster has. */
export const serversMax = 15
export const datacenterName = /^[a-z][a-z0-9-]*$/
/** Number of reserved addresses. */
const clientsMax = 99

const agents = (countMax: number) =>
  z.strictObject({
    count: z
      .union([z.int().min(1).max(countMax), z.array(z.int().min(1).max(countMax)).min(1)])
      .describe('Their number; from a list such as [3, 5] each seed draws one.'),
    'restart after': duration
      .optional()
      .describe('A process that stopped itself, for example because of a failed disk, is restarted after this time.'),
    release: release.optional().describe('The release that they run at first: 1.0.1. The newest if absent.'),
    config: nodeConfig.optional().describe('Settings of only these agents; they override those of the datacenter.'),
  })

const datacenter = z.strictObject({
  servers: agents(serversMax)
    .extend({
      spare: z
        .int()
        .min(1)
        .max(serversMax)
        .optional()
        .describe(
          'Number of additional agents, numbered after the others, that are not started at first: restart starts them.',
        ),
    })
    .describe('Servers s1, s2, …, which take part in consensus.'),
  clients: agents(clientsMax).optional().describe('Client agents c1, c2, …, which keep no replicated state.'),
  apart: z
    .literal(true)
    .optional()
    .describe('A separate cluster: it and the other datacenters do not know each other.'),
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
    .describe('The name that its agents use, if not the one here. Two separate datacenters may have the same name.'),
  config: nodeConfig.optional(),
  'drawn config': z.array(nodeConfig).min(1).optional().describe('Each seed draws one of these; it overrides config.'),
})

const mesh = z.strictObject({
  'leaf ttl': duration
    .optional()
    .describe('Initial lifetime of leaves; may be below the hour that is the minimum elsewhere.'),
  skew: duration
    .optional()
    .describe('Allowed difference between two clocks, each half of it from true time; a minute if absent.'),
  keys: z
    .enum(['real', 'cheap'])
    .default('real')
    .describe('cheap: Ed25519, which the mesh does not use but costs less, for runs about scale.'),
})

const webServer = z.strictObject({
  at: selector.describe('The nodes on whose machines they run: clients, c1.'),
  port: z.int().min(1).max(65_535),
})

const network = z.strictObject({
  latency: durationRange.optional().describe('Latency, drawn for each message; 1ms..5ms if absent.'),
  loss: chance.optional().describe('Chance that a datagram is lost; a connection resends, which delays it.'),
  duplicate: chance.optional().describe('Chance that a datagram arrives twice.'),
  reorder: chance.optional().describe('Chance that a datagram is reordered; a connection keeps its order.'),
  replay: z
    .strictObject({ chance, after: durationRange })
    .optional()
    .describe('Share of datagrams that are recorded and arrive once more after this time.'),
})

const disk = z.strictObject({
  latency: durationRange.optional().describe('Time of a read or write; 50us..200us if absent.'),
  fsync: durationRange.optional().describe('Time of a sync; 1ms..5ms if absent.'),
})

const clocks = z.strictObject({
  offset: signedDurationRange.optional().describe('Initial error of wall clocks.'),
  rate: percentRange.optional().describe('Rate error of clocks against true time.'),
})

const knob = (leastValue: number, description: string) =>
  z.array(z.int().min(leastValue)).min(1).optional().describe(description)

const spans = (description: string) => z.array(duration).min(1).optional().describe(description)

const knobs = z.strictObject({
  'append entries': knob(1, 'Maximum number of entries in one message to a follower.'),
  'appends in flight': knob(1, 'Maximum number of unacknowledged messages with entries to one follower.'),
  'append bytes': knob(1, 'Bytes of entries in one message to a follower; one larger entry is sent nevertheless.'),
  'append bytes in flight': knob(
    1,
    'Bytes of unacknowledged entries sent to one follower after which no more are sent.',
  ),
  'uncommitted entries': knob(1, 'Number of entries proposed and not yet committed after which a leader refuses more.'),
  'pending reads': knob(1, 'Maximum number of reads of a leader that wait for a quorum; it refuses further ones.'),
  'held messages': knob(
    1,
    'Number of messages of a server that wait for its disk after which it accepts nothing that needs the disk.',
  ),
  'persists under way': knob(1, 'Maximum number of writes of the log that a server tracks one by one.'),
  'snapshot chunk': knob(64, 'Bytes of a snapshot in one message.'),
  'log segment': knob(1024, 'Bytes of a segment file of the log; one whose first batch needs more is larger.'),
  'log bytes': knob(1, 'Bytes of the log in memory beyond which a snapshot is taken at once, and half of them kept.'),
  'trailing logs': knob(0, 'Entries kept in the log behind a snapshot.'),
  'tombstone life': spans(
    'How long tombstones of deleted keys are kept; leaders look for expired ones five times in this time.',
  ),
  'lock delays kept': spans(
    'How long lock delays are kept; all must be shorter. Leaders look for expired ones twice in this time.',
  ),
  'care batch': knob(1, 'Maximum number of tombstones or lock delays that one command removes.'),
  'times remembered': knob(1, 'Lamport times whose user events and queries an agent remembers; older ones it drops.'),
  'news queued': knob(1, 'Maximum number of user events and queries of an agent that wait to be broadcast.'),
  'merged at once': knob(1, 'Items of the state of another member that an agent merges in one step.'),
  'first incarnation': knob(0, 'The first incarnation of members: 2147483000 is near the maximum.'),
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
        "R1, R4, R7, D1: the data of a majority may be destroyed, and 'recover' forces a configuration on the remaining servers. Only writes acknowledged before that may be lost.",
      ),
  })
  .describe('Violations that invariants accept, each by its name. Nothing else is excused.')

const quiet = z.strictObject({
  within: duration.describe('The time in which the cluster must come to rest.'),
  'core first': z
    .literal(true)
    .optional()
    .describe(
      'First only a core of servers is repaired, drawn so that it is a quorum, while all other faults stay: the core must serve within the same time.',
    ),
})

const tokenTermsText = Object.entries(tokenTerms)
  .map(([terms, { text }]) => `${terms}: ${text}`)
  .join(', ')

/** A scenario file, whole. The language page and the JSON Schema for editors come from this. */
export const scenarioSchema = z.strictObject({
  scenario: z.string().min(1).describe('Its title.'),
  about: z.string().optional().describe('What happens, why it matters, what to look at.'),
  seed: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The seed if the command line gives none; 1 if absent. A shrunk page names the seed with which it fails.',
    ),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'a tag is made of small letters, digits and -'))
    .optional()
    .describe('Keywords.'),
  cluster: z
    .record(z.string().regex(datacenterName, 'a datacenter is named with small letters, digits and -'), datacenter)
    .describe('The nodes, by datacenter.'),
  network: network.optional().describe('Links without faults.'),
  disk: disk.optional().describe('Disks without faults.'),
  clocks: clocks.optional().describe('Clock errors of the machines.'),
  knobs: knobs.optional().describe('Settings that configuration files do not have; each seed draws one of the values.'),
  ...workloadShape,
  swarm: chance
    .optional()
    .describe(
      "For each seed, each group of clients is left out of the whole run with this chance; those of 'workload' always take part.",
    ),
  mesh: mesh.optional().describe('Settings of the mesh that configuration files do not have.'),
  'secrets manager': z
    .strictObject({
      token: z
        .string()
        .min(1)
        .describe(
          'The token of provider vault. If it has at least 40 letters and digits, C4 checks that it appears nowhere else.',
        ),
      'token terms': z
        .array(z.enum(Object.keys(tokenTerms) as [TokenTerms, ...TokenTerms[]]))
        .min(1)
        .default(['an hour'])
        .describe(
          `One is drawn for each seed: ${tokenTermsText}. A token that has ended is created anew when a trouble ends.`,
        ),
      mounted: z
        .array(z.enum(rootNames))
        .default([])
        .describe('Roots whose mounts an operator has created already, empty, with the default lease of 32 days.'),
    })
    .optional()
    .describe(
      "An external secrets manager on a machine of its own, http://10.0.250.200:8200. See 'authority' and 'secrets manager'.",
    ),
  'web servers': z
    .record(z.string().regex(/^[a-z][a-z0-9 -]*$/, 'web servers are named with small letters'), webServer)
    .optional()
    .describe("Targets of HTTP and TCP checks: one web server on each machine, on 127.0.0.1 too. See 'web server'."),
  'api server': z
    .strictObject({
      of: selector.describe('The agents that it lists as pods; those that run are ready.'),
      wrong: chance
        .default(0.5)
        .describe('The chance that an answer is wrong, late, empty or missing, up to the time of until.'),
      until: duration.default(10_000).describe('Time from which every answer is right.'),
    })
    .optional()
    .describe(
      'An API server of Kubernetes, http://10.0.250.201, which agents may ask for their pool by retry_join; and the program pods, which prints the same addresses.',
    ),
  operator: z
    .strictObject({ token: template.describe('The token that may do everything.') })
    .optional()
    .describe('The token with which conditions and the end of the run read the cluster; absent: no token.'),
  faults: z.array(fault).optional().describe('Faults at random, on schedule, or when an event happens.'),
  steps: z.array(step).optional().describe('What happens, one step after the other.'),
  played: played.optional(),
  lasts: duration.optional().describe('Minimum duration of the run before it comes to rest.'),
  always: z.array(condition).optional().describe('Conditions that hold at every moment of the run.'),
  never: z.array(condition).optional().describe('Conditions that do not hold at any moment of the run.'),
  invariants: z.literal('all').optional().describe('Documentation only: all invariants are checked in every run.'),
  excuses: excuses.optional(),
  demands: demands.optional(),
  quiet: quiet
    .optional()
    .describe(
      'How the run ends: faults stop, everything is repaired and started, and the cluster must come to rest. 60s if absent.',
    ),
})

export type Scenario = z.output<typeof scenarioSchema>
