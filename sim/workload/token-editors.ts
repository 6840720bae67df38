import { z } from 'zod'
import { rate, savedNameField, selector, template } from '../notation/fields.ts'
import { anyAgent } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { TokenEditor } from './token-editor.ts'

const asked = {
  at: selector.describe('The nodes to which they send; one is chosen for every edit.'),
  with: template.describe('The token that may edit tokens and policies.'),
  tokens: savedNameField.describe(
    'The name under which visitors find the secrets: the latest of each place, even if that token was deleted.',
  ),
  places: z
    .int()
    .min(1)
    .max(100)
    .default(6)
    .describe('Number of tokens, each with a policy of its own; every third is created and never edited.'),
  prefix: z
    .string()
    .min(1)
    .optional()
    .describe('The key prefix that a token may access: # is the number of its place.'),
  names: z
    .array(z.string().regex(/^[a-z0-9-]+$/, 'a name has small letters, digits and dashes'))
    .min(1)
    .optional()
    .describe(
      'Instead of a prefix: names of keys, services, nodes and more, for which rules of all kinds are drawn. Every fourth token is a legacy one.',
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
