import { z } from 'zod'
import { durationRange, selector, template } from '../../notation/fields.ts'
import { groupWorld } from '../asked-agents.ts'
import { workloadKind } from '../kind.ts'
import { policyMistakes, tokenMistakes } from './access-mistakes.ts'
import { authorityMistakes, intentionMistakes } from './authority-mistakes.ts'
import { agentMistakes, catalogMistakes } from './catalog-mistakes.ts'
import { legacyMistakes } from './legacy-mistakes.ts'
import { MistakenClients } from './mistaken-clients.ts'
import { queryMistakes, templateMistakes } from './query-mistakes.ts'
import {
  authorityReadMistakes,
  meshReadMistakes,
  policyReadMistakes,
  readMistakes,
  tokenReadMistakes,
} from './read-mistakes.ts'
import { rightMistakes } from './right-mistakes.ts'
import type { Settled } from './settled.ts'
import { keyMistakes, serverMistakes, sessionMistakes } from './state-mistakes.ts'

/** The requests, by what they are about. */
export const mistakesAbout = {
  keys: keyMistakes,
  sessions: sessionMistakes,
  catalog: catalogMistakes,
  agents: agentMistakes,
  queries: queryMistakes,
  templates: templateMistakes,
  reads: readMistakes,
  servers: serverMistakes,
  intentions: [...intentionMistakes, ...meshReadMistakes],
  authority: [...authorityMistakes, ...authorityReadMistakes],
  policies: [...policyMistakes, ...policyReadMistakes],
  tokens: [...tokenMistakes, ...legacyMistakes, ...tokenReadMistakes],
  rights: rightMistakes,
} as const satisfies Readonly<Record<string, readonly Settled[]>>

type Subject = keyof typeof mistakesAbout
const subjects = Object.keys(mistakesAbout) as [Subject, ...Subject[]]
/** Without a mesh and without access control. */
const everywhere: Subject[] = ['keys', 'sessions', 'catalog', 'agents', 'queries', 'templates', 'reads']

/** After this time of contact with its leader an agent must answer, in microseconds. */
const settledUs = 10_000_000

const group = z.strictObject({
  at: selector.describe('The agents to which they send; one is chosen for each request.'),
  clients: z.int().min(1).max(100).default(2).describe('Number of clients; each sends one request at a time.'),
  about: z
    .array(z.enum(subjects))
    .min(1)
    .default(everywhere)
    .describe(
      'What the requests are about. `intentions` and `authority` need a mesh, `policies` and `tokens` access control, `rights` both, and a token without any right.',
    ),
  token: template
    .optional()
    .describe('The token of their requests, which may do everything, or nothing for `rights`; none if absent.'),
  every: durationRange.default({ min: 50, max: 200 }).describe('Pause between an answer and the next request.'),
})

export const mistakes = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'groups of mistakes are named with small letters'],
  group,
  text: 'Clients that send requests with one right answer: most must be refused and change nothing, some only look wrong.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'mistakes',
      open: ({ at, clients, about, token, every: everyMs }, { name, env, run }) => {
        const { decisions, server: agent, invariants } = groupWorld(run, { at, token })
        const table = about.flatMap((subject): readonly Settled[] => mistakesAbout[subject])
        return new MistakenClients(
          env,
          { name, clients, table, everyMs },
          {
            decisions,
            agent,
            isInContact: (asked) => {
              const sinceUs = run.contactSinceUs(asked)
              return sinceUs !== undefined && run.simulation.nowUs - sinceUs >= settledUs
            },
            isCalm: () => run.simulation.nowUs - run.injector.changedUs >= settledUs,
            nowUs: () => run.simulation.nowUs,
            eventNow: () => invariants.eventNow(),
            tell: (fact, told) => invariants.tell(fact, told),
          },
        )
      },
    },
  ],
})
