import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { readSpiffeId, type ServiceId } from '../../pki/spiffe.ts'
import { isOfMesh, type TrustDomains } from '../../pki/trust-domains.ts'
import { allowedHere } from '../contract/asking.ts'
import { meshSpellings } from '../contract/names.ts'
import {
  type CacheUse,
  declared,
  failed,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithAccess, WithCachedReads, WithMesh, WithRights } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { jsonAnswer } from '../http/declared.ts'
import { decodeBody } from '../http/json-body.ts'
import { authorizeBody } from './body.ts'
import { matchEndpoint } from './endpoint.ts'
import { type IntentionRow, intentionText } from './model.ts'
import { decidingOf, defaultNamespace } from './place.ts'
import { intentionNameMax } from './validation.ts'

/** What is used here of the context of a route. */
export type AuthorizeContext = WithEnv & WithCachedReads & WithRights & WithAccess & WithMesh

/** Proxies call this for each incoming connection. Reference: mesh.md#authorize. */
export const authorizeRoute: Route<AuthorizeContext> = {
  path: '/v1/agent/connect/authorize',
  since: 'mesh',
  operations: {
    POST: declared({
      summary: 'Whether a client may connect to a service',
      access: { asks: 'service:write of the target' },
      body: {
        about: 'The service that is connected to, and what the certificate of the client says.',
        required: true,
        json: authorizeBody.accepts,
      },
      answers: [
        jsonAnswer(
          'Whether it may, by the intentions that the agent has cached, and why.',
          z.strictObject({ Authorized: z.boolean(), Reason: z.string() }),
          ['cache', 'age?'],
        ),
      ],
      handle: authorize,
    }),
  },
}

interface Asked {
  readonly target: string
  readonly client: ServiceId
}

async function authorize(context: AuthorizeContext, request: RouteRequest): Promise<RouteResponse> {
  const asked = askedIn(request.body)
  if (!asked.ok) return failed(asked.error)
  const { target, client } = asked.value
  const allowed = await allowedHere(context, request, () =>
    meshSpellings(target).map((name) => ({ resource: 'service', name, right: 'write' })),
  )
  if (!allowed.ok) return failed(allowed.error)
  const places = [{ namespace: defaultNamespace, name: target }]
  const matched = await context.cached(matchEndpoint, { by: 'destination', places }, plainRead, anyAge, request.call)
  if (!matched.ok) return failed(matched.error)
  const { answer, hit, ageMs } = matched.value
  const cache: CacheUse = { hit, ageS: Math.floor(ageMs / 1000) }
  const domains = await context.trustDomains()
  if (!domains.ok) return failed(domains.error)
  const decision = strangerTo(domains.value, client) ?? decisionOn(context, answer.value[0] ?? [], client)
  return { kind: 'json', value: { Authorized: decision.allowed, Reason: decision.reason }, cache }
}

const plainRead = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const
const anyAge = { revalidate: false } as const

function askedIn(body: Uint8Array): Result<Asked, Failure> {
  const decoded = decodeBody(body, authorizeBody, 'Bad request: Request decode failed')
  if (!decoded.ok) return decoded
  const { Target, ClientCertURI } = decoded.value
  if (Target === '') return badShape('Target service must be specified')
  // The result is cached by the name.
  if (Target.length > intentionNameMax) return badShape(`Target exceeds maximum length ${intentionNameMax}`)
  const client = readSpiffeId(ClientCertURI)
  if (!client.ok) return badShape('ClientCertURI not a valid Connect identifier')
  if (client.value.kind === 'signing') return badShape('ClientCertURI not a valid Service identifier')
  return ok({ target: Target, client: client.value })
}

function badShape(message: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message: `Bad request: ${message}` })
}

interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/**
 * Whether the client belongs to another mesh, which may have its own service with that name. If the servers have no
 * mesh there is nothing to compare: the caller's certificates come from elsewhere.
 */
function strangerTo(domains: TrustDomains | undefined, client: ServiceId): Decision | undefined {
  if (domains === undefined || isOfMesh(domains, client.trustDomain)) return undefined
  const here = domains.current === '' ? 'the mesh has no certificate authority yet' : `this mesh is ${domains.current}`
  return { allowed: false, reason: `The client is of the trust domain ${client.trustDomain}, and ${here}` }
}

/** Decides by the first of the target's intentions that matches the client, otherwise by access control. */
function decisionOn(
  { accessControl }: WithAccess,
  inOrder: readonly IntentionRow[],
  { namespace, service }: ServiceId,
): Decision {
  const deciding = decidingOf(inOrder, { namespace, name: service })
  if (deciding !== undefined) {
    return { allowed: deciding.action === 'allow', reason: `Matched intention: ${intentionText(deciding)}` }
  }
  if (accessControl === undefined) return { allowed: true, reason: 'ACLs disabled, access is allowed by default' }
  return { allowed: accessControl.defaultPolicy === 'allow', reason: 'Default behavior configured by ACLs' }
}
