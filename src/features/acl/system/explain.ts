import { z } from 'zod'
import type { Authorizer, Decision, Resource, Right } from '../../../access/authorizer.ts'
import { labelledResources, scalarResources } from '../../../access/rules.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { denied, within } from '../../contract/access.ts'
import type { ServerEndpoint } from '../../contract/endpoint.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../../contract/route.ts'
import type { WithAccess, WithSelf, WithServerCalls } from '../../contract/route-context.ts'
import type { WithPlace, WithServerAccess } from '../../contract/server-context.ts'
import type { WithEnv, WithRelease } from '../../contract/surroundings.ts'
import { jsonAnswer, parameter, readParameters, textAnswer } from '../../http/declared.ts'
import type { ReadName } from '../../http/read-options.ts'
import { eitherSystem, isPrimary, refused } from '../asked.ts'
import { badShape, type Entered, newAclAnswers, whereKnown } from '../route-checks.ts'

/** What is used here of the context of a route. */
type ExplainContext = WithRelease & WithServerCalls & WithAccess & WithSelf

const explanation = z.object({
  accessor: z.string(),
  decision: z.object({
    allowed: z.boolean(),
    by: z.union([
      z.object({ kind: z.literal('rule'), rule: z.string(), level: z.string(), policy: z.string() }),
      z.object({ kind: z.literal('default'), policy: z.enum(['allow', 'deny']) }),
      z.object({ kind: z.enum(['unrestricted', 'not-enforced']) }),
    ]),
  }),
})

const resources = [...labelledResources, 'intention', ...scalarResources] as const satisfies readonly Resource[]
const rights = ['read', 'list', 'write'] as const satisfies readonly Right[]

/** Maximum length of a name. */
const nameMax = 2_048
const method = 'ACL.Explain'

const question = z.object({
  resource: z.enum(resources),
  right: z.enum(rights),
  /** Empty for a resource without names. */
  name: z.string().max(nameMax),
  /** Accessor of another token; empty: the caller's own token. */
  accessor: z.string().max(128),
})

type Question = z.infer<typeof question>

interface Explanation {
  readonly accessor: string
  readonly decision: Decision
}

/** The part of the server that is used here. */
type ExplainServer = WithEnv & WithServerAccess & WithPlace

/** What the asked server would decide, and by which rule, according to its own state, settings and caches. */
export const explainEndpoint: ServerEndpoint<Question, Explanation, ExplainServer> = {
  method,
  kind: 'server',
  args: question,
  reply: explanation,
  leader: false,
  access: within('every caller may ask about its own token, and about others with acl:read'),
  serve: async (server, { resource, right, name, accessor }, authorizer) => {
    const explained = accessor === '' ? ok(authorizer) : await otherToken(server, authorizer, accessor)
    if (!explained.ok) return explained
    const decision = explained.value.explain(resource, name, right)
    return ok({ accessor: explained.value.accessor, decision })
  },
}

async function otherToken(
  server: ExplainServer,
  authorizer: Authorizer,
  accessor: string,
): Promise<Result<Authorizer, Failure>> {
  const access = eitherSystem(server)
  if (!access.ok) return access
  const ask = { resource: 'acl', name: '', right: 'read' } as const
  if (!authorizer.allows('acl', '', 'read')) return err(denied(server.env, authorizer, ask, method))
  const { authorizerOf, primaryDatacenter, replicatesTokens } = access.value
  if (isPrimary(server, access.value) || replicatesTokens) return authorizerOf(accessor)
  return refused(
    `this datacenter keeps no tokens: ask with the token itself, or for its accessor in datacenter ${primaryDatacenter}`,
  )
}

const explanationShape = z
  .strictObject({
    AccessorID: z.string().meta({ description: 'Of the token; empty: it has none yet, or needs none.' }),
    Resource: z.enum(resources),
    Name: z.string(),
    Right: z.enum(rights),
    Allowed: z.boolean(),
    DecidedBy: z.enum(['rule', 'default', 'unrestricted', 'not-enforced']),
    Rule: z
      .string()
      .meta({ description: 'The rule as written, without its level: `service_prefix "web"`. Empty: no rule decides.' }),
    Level: z.string().meta({ description: 'The level of the rule, or the default policy if no rule decides.' }),
    Policy: z.string().meta({ description: 'The policy that has the rule.' }),
  })
  .meta({ id: 'AclExplanation' })

const parameters = [
  ...readParameters,
  parameter('resource', z.enum(resources), 'Kind of resource.'),
  parameter('right', z.enum(rights), '`list` exists for keys alone.'),
  parameter('name', z.string(), 'Name of the resource. Absent for resources without names: acl, keyring, operator.'),
  parameter('accessor', z.string(), 'Accessor ID of another token than that of the request.'),
] as const

type Name = ReadName | 'resource' | 'right' | 'name' | 'accessor'

/** An addition of this product; the field has nothing like it. */
export const explainRoutes: readonly Route<ExplainContext>[] = [
  {
    path: '/v1/acl/explain',
    operations: {
      GET: declared({
        summary: 'Whether a token has a right, and which rule decides',
        access: { open: 'every caller may ask about its own token; about another one with acl:read' },
        query: parameters,
        answers: newAclAnswers(
          jsonAnswer('The decision of the server that was asked.', explanationShape),
          textAnswer(403, 'There is no such token, or the caller may not ask about it.'),
        ),
        handle: whereKnown(explain),
      }),
    },
  },
]

async function explain(context: WithServerCalls, request: RouteRequest<Name>, entry: Entered): Promise<RouteResponse> {
  const read = questionIn(request)
  if (!read.ok) return badShape(read.error)
  const told = await context.ask(explainEndpoint, read.value, entry.read, request.call)
  if (!told.ok) return failed(told.error)
  return { kind: 'json', value: explanationJson(read.value, told.value) }
}

function questionIn({ query }: RouteRequest<Name>): Result<Question, string> {
  const name = query.get('name') ?? ''
  const read = question.safeParse({
    resource: query.get('resource'),
    right: query.get('right'),
    name,
    accessor: query.get('accessor') ?? '',
  })
  if (!read.success) return err('name the resource, the right and, if the resource has names, the name')
  const { resource, right } = read.data
  if (right === 'list' && resource !== 'key') return err('the right list exists for keys alone')
  const hasNames = !scalarResources.some((each) => each === resource)
  if (!hasNames && name !== '') return err(`${resource} has no names`)
  return ok(read.data)
}

function explanationJson(
  { resource, name, right }: Question,
  { accessor, decision: { allowed, by } }: Explanation,
): z.infer<typeof explanationShape> {
  return {
    AccessorID: accessor,
    Resource: resource,
    Name: name,
    Right: right,
    Allowed: allowed,
    DecidedBy: by.kind,
    Rule: by.kind === 'rule' ? by.rule : '',
    Level: by.kind === 'rule' ? by.level : by.kind === 'default' ? by.policy : '',
    Policy: by.kind === 'rule' ? by.policy : '',
  }
}
