import { z } from 'zod'
import {
  duration,
  durationRange,
  httpRequest,
  release,
  savedNameField,
  selector,
  template,
} from '../../notation/fields.ts'
import { nodeConfig } from '../node-config.ts'
import { atLeastOneCondition, conditionShape } from './condition-schema.ts'

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
  .describe('Sends a request and waits for the answer; expect beside it says what the answer must be.')

/** What an answer must be, next to `http`; or conditions on the cluster, alone. */
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

/** What a step can do besides changing the cluster. */
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
      at: selector.describe('The node that receives the requests.'),
      count: z.int().min(1).max(100_000).default(1),
      rules: z.string().describe('Rules of each of them; # is its number, from 0.'),
      api: z.enum(['old', 'new']).default('new').describe('old: that of releases before 1.4.0.'),
      with: template.describe('The token that may make them.'),
      save: savedNameField.describe(`Keeps their secrets: \${name.body.0} is the first.`),
    })
    .optional()
    .describe('Creates tokens, each with rules of its own. Failures for lack of a leader are retried.'),
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
      within: duration.default(60_000).describe('Failures for lack of a leader are retried for this long.'),
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
        .describe('They must refuse to start, for this reason: a text that it contains, or /a regular expression/.'),
      'one by one': durationRange.optional().describe('Time between two of them.'),
      until: awaited
        .optional()
        .describe('Waits after each of them until these conditions hold, and only then continues with the next.'),
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
