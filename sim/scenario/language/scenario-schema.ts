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
import { workloadShape } from '../../workload/kinds.ts'
import { condition } from '../conditions/conditions.ts'
import { nodeConfig } from '../node-config.ts'
import { checkExpectation } from '../steps/expectation.ts'
import { stepShape } from '../steps/steps.ts'
import { demands } from './demands.ts'

export const step = z
  .strictObject({
    step: z.string().min(1).describe('A title: what happens here, in one clause.'),
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

const spans = (description: string) => z.array(duration).min(1).optional().describe(description)

const knobs = z.strictObject({
  'append entries': knob(1, 'Entries in one message to a follower, at most.'),
  'appends in flight': knob(1, 'Messages with entries on their way to one follower, at most.'),
  'snapshot chunk': knob(64, 'Bytes of a snapshot in one message.'),
  'trailing logs': knob(0, 'Entries kept in the log behind a snapshot.'),
  'tombstone life': spans('How long tombstones of deleted keys are kept; leaders look for old ones five times in it.'),
  'lock delays kept': spans('How long lock delays are kept, which must all be shorter; leaders look twice in it.'),
  'care batch': knob(1, 'Tombstones that one command reaps, and lock delays that one forgets, at most.'),
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
  seed: z
    .int()
    .min(0)
    .optional()
    .describe('The seed of its run where the command line gives none; 1 if absent. A shrunk page fails with its own.'),
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
  ...workloadShape,
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
  demands: demands.optional(),
  quiet: quiet
    .optional()
    .describe(
      'How the run ends: faults stop, everything is mended and started, and the cluster must come to rest. 60s if absent.',
    ),
})

export type Scenario = z.output<typeof scenarioSchema>
