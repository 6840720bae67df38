import { z } from 'zod'
import { rate, savedNameField, selector, template } from '../notation/fields.ts'
import { anyAgent } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { TokenEditor } from './token-editor.ts'

const asked = {
  at: selector.describe('The node that they ask: chosen anew for every edit.'),
  with: template.describe('The token that may edit tokens and policies.'),
  tokens: savedNameField.describe(
    'The name under which visitors find the secrets: of each place the latest, even when that token was removed.',
  ),
  places: z
    .int()
    .min(1)
    .max(100)
    .default(6)
    .describe('How many tokens, each with a policy of its own; every third is made and left as it is.'),
  prefix: z
    .string()
    .min(1)
    .optional()
    .describe('The prefix of keys that a token is for: # is the number of its place.'),
  names: z
    .array(z.string().regex(/^[a-z0-9-]+$/, 'a name has small letters, digits and dashes'))
    .min(1)
    .optional()
    .describe(
      'Instead of a prefix: names that rules of all kinds are drawn for, of keys, services, nodes and more. Every fourth token is a legacy one.',
    ),
  api: z
    .enum(['old', 'new'])
    .default('new')
    .describe('old: every token is a legacy one, with rules of its own, as before 1.4.0. With names.'),
  rate: rate.describe('Edits of all of them together.'),
}

const group = z
  .strictObject(asked)
  .refine(
    ({ prefix, names }) => (prefix === undefined) !== (names === undefined),
    "say 'prefix' or 'names', and not both",
  )
  .refine(({ api, names }) => api === 'new' || names !== undefined, "rules of legacy tokens are drawn for 'names'")

export const editors = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'token editors are named with small letters'],
  group,
  text: 'Operators that make tokens, change their policies and links, and remove them, while visitors use them.',
  crews: [
    {
      machine: 'editors',
      open: ({ at, with: secret, tokens, places, prefix, names = [], api, rate: ratePerSecond }, { name, env, run }) =>
        new TokenEditor(
          env,
          { name, places, prefix, names, isOld: api === 'old', ratePerSecond },
          {
            decisions: run.simulation.decisions,
            agent: (draws) => anyAgent(run, at, draws)?.endpoint,
            secret: () => run.filled(secret),
            onList: (secrets) =>
              run.list(
                tokens,
                secrets.filter((each) => each !== ''),
              ),
          },
        ),
    },
  ],
  isLast: true,
})
