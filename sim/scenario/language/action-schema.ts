import { z } from 'zod'
import { type WebState, webStates } from '../../cluster/web-servers.ts'
import { type Trouble, troubles } from '../../secrets-manager/manager-machine.ts'
import { nodeConfig } from '../node-config.ts'
import { atLeastOneCondition, conditionShape } from './condition-schema.ts'
import {
  chance,
  duration,
  durationRange,
  httpRequest,
  percentRange,
  release,
  savedNameField,
  selector,
  signedDurationRange,
  template,
} from './fields.ts'
import { selectorOf } from './selector.ts'

const cutEnds = z.strictObject({
  from: selector,
  to: selector.default(() => selectorOfText('others')).describe('All other servers if absent.'),
  'one way': z.boolean().default(false).describe('Only what travels from the first to the second is lost.'),
})

function selectorOfText(text: string): z.output<typeof selector> {
  const parsed = selectorOf(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

/** `half its links`: for a fault set off by a node's event. */
const cut = z
  .union([
    z
      .literal('half its links')
      .transform(() => ({ from: selectorOfText('it'), to: selectorOfText('half of others'), 'one way': false })),
    cutEnds,
  ])
  .describe("Links that carry nothing: 'half its links' (in a fault, of the node it is about), or {from, to, one way}.")

const link = {
  latency: durationRange.optional().describe('Time on the way.'),
  tail: duration.optional().describe('Mean of a further delay that is mostly short and now and then very long.'),
  loss: chance.optional(),
  duplicate: chance.optional(),
  reorder: chance.optional(),
  corrupt: chance.optional().describe('Of datagrams: one bit is flipped.'),
}

const statesText = Object.entries(webStates)
  .map(([state, what]) => `${state} ${what}`)
  .join(', ')

const troublesText = Object.entries(troubles)
  .map(([trouble, what]) => `${trouble} ${what}`)
  .join(', ')

/** Things done to the cluster that `for:` can take back. Each value says to whom. */
export const faultShape = {
  crash: selector.optional().describe('Kill the process and cut the power: what was not synced may be lost or torn.'),
  kill: selector
    .optional()
    .describe('Kill the process alone, as kill -9 does: the disk has all that was written, synced or not.'),
  wipe: selector
    .optional()
    .describe(
      'The machine is lost; an empty one takes its place, with its name and address and a new node ID, and an operator takes the old ID out of the consensus group. Not done to more servers than the others can spare.',
    ),
  'damage log': selector
    .optional()
    .describe(
      'A crash, after which the newest file of the log lacks its end, or has bytes put in. Such a server must not start; it is replaced as by wipe. Not done to more servers than the others can spare.',
    ),
  reimage: selector
    .optional()
    .describe(
      'The machine is set up anew: the process dies, and an empty machine with its name and address and a new node ID takes its place. As wipe, but no operator does anything about the old ID.',
    ),
  pause: selector.optional().describe('Stop the process for a while, as SIGSTOP does; its clocks go on.'),
  partition: z
    .union([
      selector,
      z.strictObject({
        groups: z
          .array(selector)
          .min(2)
          .describe(
            'The sides, each a selection: [[s1, s2], leader, others]. No agent is on two sides; one that is on none keeps all its links.',
          ),
      }),
    ])
    .optional()
    .describe('Separate these from all other agents, or several groups from one another.'),
  cut: cut.optional(),
  'slow disk': z
    .strictObject({
      nodes: selector,
      latency: durationRange.optional().describe('Of a read or a write.'),
      fsync: durationRange.optional(),
    })
    .optional()
    .describe('Reads, writes or syncs of these nodes take this long.'),
  'stall disk': selector.optional().describe('Nothing that the disk is asked to do is ever done, until it goes on.'),
  'fill disk': selector.optional().describe('No room is left on the disk.'),
  'slow network': z
    .strictObject({ of: selector, ...link })
    .optional()
    .describe('Changes every link of these nodes.'),
  'refuse connections': selector
    .optional()
    .describe('Whoever dials these nodes is refused; what is connected already stays. They dial others as before.'),
  'clock rate': z
    .strictObject({ nodes: selector, rate: percentRange })
    .optional()
    .describe('Clocks of these nodes run faster or slower than true time by this much.'),
  'secrets manager': z
    .enum(Object.keys(troubles) as [Trouble, ...Trouble[]])
    .optional()
    .describe(`How the secrets manager does from now on: ${troublesText}.`),
  'web server': z
    .strictObject({
      at: selector,
      is: z.enum(Object.keys(webStates) as [WebState, ...WebState[]]),
    })
    .optional()
    .describe(`How the web servers on the machines of these nodes do from now on: ${statesText}.`),
}

/** Things that `for:` cannot take back. */
export const onceShape = {
  'fail fsync': selector.optional().describe('The next sync fails, and what it should have kept may be lost.'),
  'fail read': selector.optional().describe('The next read of a file fails.'),
  'fail write': selector.optional().describe('The next write of a file fails, when a part of it is done.'),
  rot: selector
    .optional()
    .describe(
      'One bit of the log or a snapshot rots, where it cannot be taken for a torn write. Such a server stops at its next start; it is replaced as by wipe. Not done to more servers than the others can spare.',
    ),
  'remove peer': selector
    .optional()
    .describe(
      'The leader is asked to take these servers out of the consensus group, as by svc operator raft remove-peer.',
    ),
  'break connections': selector
    .optional()
    .describe('Every TCP connection of these nodes breaks, as a reset breaks it; they run and listen as before.'),
  restart: selector.optional().describe('Start what does not run; what runs is crashed first.'),
  leave: selector
    .optional()
    .describe('Leave in order, as svc leave does, and end. It stays away until a restart names it.'),
  resume: selector.optional().describe('Let a paused process go on.'),
  heal: z
    .union([z.literal('everything'), selector])
    .optional()
    .describe("Mend all links, or those of these nodes: 'everything', 's1'."),
  'step clock': z
    .strictObject({ nodes: selector, by: signedDurationRange })
    .optional()
    .describe('The wall clocks of these nodes jump.'),
  'forge gossip': z
    .strictObject({
      at: selector.describe('Whom it is sent to, as if by the one that it is about.'),
      about: selector.describe('Of whom it speaks: one node.'),
      says: z.enum(['suspect', 'dead']),
      incarnation: z.int().min(0).max(4_294_967_295),
    })
    .optional()
    .describe('A packet of gossip that no member has sent, in the clear.'),
  'transfer leadership': z
    .strictObject({ to: selector.optional() })
    .optional()
    .describe('Ask the leader to hand over.'),
}

/** A request, and how long its answer is waited for. */
export const http = z
  .strictObject({
    at: selector.describe('The node that the request is sent to.'),
    request: httpRequest.describe('Method and target: PUT /v1/kv/color?flags=3.'),
    body: template.optional(),
    'body from': savedNameField
      .optional()
      .describe('The body of an answer that was kept, byte for byte, in place of body.'),
    headers: z.record(z.string(), template).optional().describe('By name: { X-Svc-Token: secret }.'),
    within: duration.optional().describe('How long an answer is waited for; 10s if absent.'),
    save: savedNameField.optional().describe(`Keeps the answer: \${name.status}, \${name.body}, \${name.index}.`),
  })
  .describe('Sends a request and waits for the answer. What is expected of it stands in expect beside it.')

/** What an answer must be, beside `http`; or conditions on the cluster, alone. */
export const expectation = z
  .strictObject({
    status: z.int().min(100).max(599).optional().describe('Of the answer.'),
    body: template.optional().describe('Of the answer: the whole body, or /a regular expression/.'),
    headers: z.record(z.string(), template).optional().describe('Of the answer: each as the whole text, or /pattern/.'),
    ...conditionShape,
  })
  .describe('With http: what the answer must be. Alone: conditions that must hold now.')

export const answerKeys = ['status', 'body', 'headers'] as const

const awaited = z.strictObject({ within: duration, ...conditionShape }).superRefine(atLeastOneCondition)

export const workload = z
  .enum(['stop', 'start'])
  .optional()
  .describe('The clients of the workload stop asking, or go on.')

/** What a step can do beside changing the cluster. */
export const stepShape = {
  wait: durationRange.optional().describe('Let time pass.'),
  http: http.optional(),
  save: z
    .record(savedNameField, selector)
    .optional()
    .describe('Gives selected nodes a name that stays with them: { old leader: leader }.'),
  remember: savedNameField
    .optional()
    .describe(
      'Keeps under this name what the state of the leader holds: catalog, keys, sessions, tokens, roots, intentions.',
    ),
  tokens: z
    .strictObject({
      at: selector.describe('Whom the requests are sent to: one node.'),
      count: z.int().min(1).max(100_000).default(1),
      rules: z.string().describe('Rules of each of them; # is its number, from 0.'),
      api: z.enum(['old', 'new']).default('new').describe('old: that of releases before 1.4.0.'),
      with: template.describe('The token that may make them.'),
      save: savedNameField.describe(`Keeps their secrets: \${name.body.0} is the first.`),
    })
    .optional()
    .describe('Makes tokens, each with rules of its own. What fails for want of a leader is tried again.'),
  authority: z
    .strictObject({
      at: selector.describe('The node that the request is sent to.'),
      provider: z.string().default('svc'),
      key: z
        .enum(['ec-256', 'ec-384', 'ec-521', 'rsa-2048', 'rsa-4096', 'as before'])
        .default('as before')
        .describe('A new private key of this kind, and so another root; as before: the one of the last such step.'),
      'root lives': duration
        .optional()
        .describe(
          'The root is made by the operator, too, with the new key, and holds for this long; a year at least if absent.',
        ),
      root: z
        .enum(['one', 'two', 'three', 'four', 'five', 'six'])
        .optional()
        .describe(
          'Of provider vault: the root of this name in the secrets manager, which makes it with a key of the kind that key says.',
        ),
      'leaf ttl': duration.default(259_200_000).describe('How long leaves live.'),
      within: duration.default(60_000).describe('What fails for want of a leader is tried again for this long.'),
      'not awaited': z
        .literal(true)
        .optional()
        .describe('The next step begins at once. Whatever the answer is then, it is as it may be.'),
      refused: template.optional().describe('It must be refused, for this reason: a text, or /a regular expression/.'),
    })
    .optional()
    .describe('Updates the configuration of the authority over HTTP, as svc connect ca set-config does.'),
  reload: z
    .strictObject({
      of: selector.describe('Whose configuration is edited.'),
      config: nodeConfig.describe('Settings that replace those of the same name.'),
      refused: z.literal(true).optional().describe('The agent must refuse it, and go on as before.'),
    })
    .optional()
    .describe('Edits the configuration of agents while they run, and has them read it again.'),
  upgrade: z
    .strictObject({
      nodes: selector.describe(
        "The agents to upgrade, one after the other in the order in which they are named: 'followers, leader'.",
      ),
      'in any order': z
        .literal(true)
        .optional()
        .describe('Not as they are named, but in an order drawn from the seed.'),
      to: release.optional().describe('The release that they run as from now on; the one they have if absent.'),
      config: nodeConfig.optional().describe('Settings that replace those of the same name.'),
      without: z.array(z.string()).optional().describe('Settings that are taken out, by name.'),
      refused: template
        .optional()
        .describe('They must not start, for this reason: a text that it has, or /a regular expression/.'),
      'one by one': durationRange.optional().describe('Time between two of them.'),
      until: awaited
        .optional()
        .describe('Waits behind each of them until these conditions hold, and only then goes on to the next.'),
    })
    .optional()
    .describe('Stops agents and starts them on the same disk, as another release or with other settings.'),
  'peers.json': z
    .strictObject({
      at: selector.describe('In whose data directory.'),
      names: selector.describe('The servers that it names.'),
      form: z.enum(['ids', 'addresses']).default('ids').describe('That of Raft protocol 3, or of those before.'),
    })
    .optional()
    .describe('Leaves a file raft/peers.json, which forces a configuration, for the next start.'),
  workload,
  eventually: awaited
    .optional()
    .describe('Waits until the conditions hold; it fails when they do not within the time.'),
  always: z
    .strictObject({ for: duration, ...conditionShape })
    .superRefine(atLeastOneCondition)
    .optional()
    .describe('The conditions hold from now on for this long.'),
  never: z
    .strictObject({ for: duration, ...conditionShape })
    .superRefine(atLeastOneCondition)
    .optional()
    .describe('The conditions do not hold at any moment from now on for this long.'),
}
