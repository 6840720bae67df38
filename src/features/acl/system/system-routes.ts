import { z } from 'zod'
import { textOfByteString } from '../../../base/bytes.ts'
import { permissionDenied } from '../../contract/access.ts'
import type { AgentTokenSlot } from '../../contract/access-control.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../../contract/route.ts'
import type { WithAccess, WithRights, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import type { WithRelease } from '../../contract/surroundings.ts'
import { done, isTrue, jsonAnswer, parameter, readParameters, textAnswer, truthText } from '../../http/declared.ts'
import { decodeBody } from '../../http/json-body.ts'
import type { ReadName } from '../../http/read-options.ts'
import { bootstrapTokenShape, tokenJson, zeroTime } from '../model.ts'
import { replicationJson, replicationShape, replicationStatusEndpoint } from '../replication/replication-status.ts'
import {
  type AclRequest,
  aclAnswers,
  agentTokenBody,
  type Entered,
  newAclAnswers,
  primaryCall,
  whereKnown,
  whereOn,
} from '../route-checks.ts'
import { type AccessStanding, bootstrapEndpoint, standingEndpoint } from './system-endpoints.ts'

/** The part of the route context that these routes use. */
type SystemContext = WithRelease & WithWrites & WithServerCalls & WithRights & WithAccess & WithSelf

const bootstrapParameters = [
  ...readParameters,
  parameter('legacy', truthText, 'In the legacy mode: make the first legacy management token.'),
] as const

const standingShape = z
  .strictObject({
    Mode: z.enum(['legacy', 'new']),
    NewSinceIndex: z.number(),
    MissingServers: z.array(z.strictObject({ Name: z.string(), Datacenter: z.string(), Why: z.string() })).readonly(),
    TokensLeft: z.number(),
    MigratedTokens: z.number(),
    MigratedBatches: z.number(),
    CompleteSinceIndex: z
      .number()
      .meta({ description: 'The proof that no legacy token lacks an accessor; 0: there is none.' }),
  })
  .meta({ id: 'AclStatus' })

/**
 * Reference: access-control.md#bootstrap, access-control.md#replication-status, access-control.md#agent-token-slots.
 */
export const systemRoutes: readonly Route<SystemContext>[] = [
  {
    path: '/v1/acl/bootstrap',
    operations: {
      PUT: declared({
        summary: 'Create the first token, which has all rights',
        access: { open: 'the first caller gets all rights, once' },
        query: bootstrapParameters,
        answers: aclAnswers(
          jsonAnswer('The token.', bootstrapTokenShape),
          textAnswer(403, 'Bootstrap has already been done; the line names the reset index that a reset must give.'),
        ),
        handle: whereOn(bootstrap),
      }),
    },
  },
  {
    path: '/v1/acl/status',
    operations: {
      GET: declared({
        summary: 'How far the datacenter has migrated to the new kind of access control',
        access: { open: 'names the servers that the error of the legacy mode names to every caller' },
        query: readParameters,
        answers: newAclAnswers(
          jsonAnswer(
            'Mode, the servers that are missing, and the state of the migration of legacy tokens.',
            standingShape,
          ),
        ),
        handle: whereKnown(standing),
      }),
    },
  },
  {
    path: '/v1/acl/replication',
    operations: {
      GET: declared({
        summary: 'How tokens and policies are copied from the primary datacenter',
        access: { open: 'shows the progress of the copies, and nothing of their content' },
        query: readParameters,
        answers: aclAnswers(jsonAnswer('The progress of the copies.', replicationShape)),
        handle: whereOn(replication),
      }),
    },
  },
  {
    path: '/v1/agent/token/',
    rest: { name: 'kind', about: 'Which of the tokens of the agent.', secret: true },
    operations: {
      PUT: declared({
        summary: 'Set a token of the agent until the agent stops',
        access: { asks: 'agent:write' },
        body: { about: 'The secret; an empty one clears it.', required: true, json: agentTokenBody.accepts },
        answers: aclAnswers(done, textAnswer(404, 'There is no such kind.')),
        handle: setAgentToken,
      }),
    },
  },
]

async function bootstrap(
  context: WithWrites & WithSelf,
  request: RouteRequest<ReadName | 'legacy'>,
  entry: Entered,
): Promise<RouteResponse> {
  const legacy = isTrue(request.query.get('legacy'))
  const { access } = entry
  const here = legacy ? undefined : access.refusesNew()
  if (here !== undefined) return failed(here)
  const made = await context.write(bootstrapEndpoint, { legacy }, primaryCall(context, access, request))
  if (!made.ok) return failed(made.error)
  if ('legacy' in made.value) return { kind: 'json', value: { ...zeroToken, ID: made.value.legacy } }
  return { kind: 'json', value: { ID: made.value.token.secret, ...tokenJson(made.value.token) } }
}

/** The form in which the field shows the ID of a legacy token. */
const zeroToken = {
  ID: '',
  AccessorID: '',
  SecretID: '',
  Description: '',
  Policies: null,
  Local: false,
  CreateTime: zeroTime,
  Hash: null,
  CreateIndex: 0,
  ModifyIndex: 0,
}

async function standing(context: WithServerCalls, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const asked = await context.ask(standingEndpoint, {}, entry.read, request.call)
  return asked.ok ? { kind: 'json', value: standingJson(asked.value) } : failed(asked.error)
}

function standingJson(standing: AccessStanding): z.infer<typeof standingShape> {
  return {
    Mode: standing.mode,
    NewSinceIndex: standing.newSince,
    MissingServers: standing.missing.map(({ name, datacenter, why }) => ({
      Name: name,
      Datacenter: datacenter,
      Why: why,
    })),
    TokensLeft: standing.tokensLeft,
    MigratedTokens: standing.migratedTokens,
    MigratedBatches: standing.migratedBatches,
    CompleteSinceIndex: standing.completeSince,
  }
}

async function replication(context: WithServerCalls, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const asked = await context.ask(replicationStatusEndpoint, {}, entry.read, request.call)
  return asked.ok ? { kind: 'json', value: replicationJson(asked.value) } : failed(asked.error)
}

const slots: ReadonlyMap<string, AgentTokenSlot> = new Map([
  ['acl_token', 'default'],
  ['acl_agent_token', 'agent'],
  ['acl_agent_master_token', 'agent-master'],
  ['acl_replication_token', 'replication'],
  ['connect_replication_token', 'mesh-replication'],
])

async function setAgentToken(context: SystemContext, request: RouteRequest): Promise<RouteResponse> {
  const access = context.accessControl
  if (access === undefined) return failed({ kind: 'access-control-off' })
  const authorizer = await context.authorizer(request.call)
  if (!authorizer.ok) return failed(authorizer.error)
  if (!authorizer.value.allows('agent', context.self().nodeName, 'write')) return failed(permissionDenied())
  const given = decodeBody(request.body, agentTokenBody)
  if (!given.ok) return failed(given.error)
  const kind = textOfByteString(request.rest)
  const slot = slots.get(kind)
  if (slot === undefined) return failed(unknownKind(kind))
  access.setToken(slot, given.value.Token)
  return { kind: 'empty', status: 200 }
}

function unknownKind(kind: string) {
  return { kind: 'not-found', message: `Token ${JSON.stringify(kind)} is unknown` } as const
}
