import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { utcText } from '../../base/utc-text.ts'
import type { HeldLeaf } from '../contract/mesh.ts'
import {
  answered,
  badRequest,
  declared,
  failed,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithCachedReads, WithMesh, WithSelf } from '../contract/route-context.ts'
import { freshnessOf } from '../discovery/reads.ts'
import { indexHeaders, indexValue, jsonAnswer, readParameters, textAnswer } from '../http/declared.ts'
import { parseReadOptions } from '../http/read-options.ts'
import { rootsJson, rootsShape } from './model.ts'
import { rootsEndpoint } from './read-endpoints.ts'

/** The part of the route context that these routes use. */
type LeavesContext = WithCachedReads & WithMesh & WithSelf

const pem = z.string().meta({ description: 'PEM.' })

const leafShape = z
  .strictObject({
    SerialNumber: z.string(),
    CertPEM: pem.meta({ description: 'PEM: the leaf, then what leads from it to older roots.' }),
    PrivateKeyPEM: pem,
    Service: z.string(),
    ServiceURI: z.string(),
    ValidAfter: z.string(),
    ValidBefore: z.string(),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'MeshLeaf' })

type Read = RouteRequest<NamesOf<typeof readParameters>>

const freshness = {
  name: 'cache-control',
  about: '`must-revalidate` and `max-age=0`: do not answer from the cache of the agent.',
}

const off = textAnswer(
  500,
  'The mesh is not enabled on the servers, or its authority cannot sign now; the line says why.',
)

/**
 * Roots and leaves that an agent caches for the proxies on its node. Reference: mesh.md#get-v1-agent-connect-ca-roots,
 * mesh.md#leaf-endpoint.
 */
export const agentConnectRoutes: readonly Route<LeavesContext>[] = [
  {
    path: '/v1/agent/connect/ca/roots',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'Root certificates that the mesh trusts, as the agent keeps them',
        access: { open: 'certificates of authorities are public, and every proxy needs them' },
        query: readParameters,
        headers: [freshness],
        answers: [jsonAnswer('Kept fresh by the agent.', rootsShape, [...indexHeaders, 'cache', 'age?']), off],
        handle: keptRoots,
      }),
    },
  },
  {
    path: '/v1/agent/connect/ca/leaf/',
    since: 'mesh',
    rest: { name: 'service', about: 'Name of a service; it need not be registered.' },
    operations: {
      GET: declared({
        summary: 'The certificate of a service, with its key',
        access: { asks: 'service:write' },
        query: readParameters,
        headers: [freshness],
        answers: [
          jsonAnswer(
            'Kept by the agent for this service and token, and renewed in time. With `index` it waits for the next one.',
            leafShape,
            ['index', 'cache', 'age?'],
          ),
          off,
        ],
        handle: leaf,
      }),
    },
  },
]

async function keptRoots(context: WithCachedReads & WithSelf, request: Read): Promise<RouteResponse> {
  const read = parseReadOptions(context, request.query)
  if (!read.ok) return failed(read.error)
  const wanted = freshnessOf(request)
  if (!wanted.ok) return failed(wanted.error)
  // The caller's limits on age do not matter: a blocking read keeps the roots fresh.
  const kept = await context.cached(
    rootsEndpoint,
    {},
    read.value,
    { revalidate: wanted.value.revalidate },
    request.call,
  )
  if (!kept.ok) return failed(kept.error)
  const { answer, hit, ageMs } = kept.value
  return answered(answer, 'mesh-roots', rootsJson, { cache: { hit, ageS: Math.floor(ageMs / 1000) } })
}

async function leaf(context: WithMesh & WithSelf, request: Read): Promise<RouteResponse> {
  const read = parseReadOptions(context, request.query)
  if (!read.ok) return failed(read.error)
  if (read.value.datacenter !== '') return badRequest('a leaf is of the datacenter of the agent that keeps it')
  const wanted = freshnessOf(request)
  if (!wanted.ok) return failed(wanted.error)
  const service = textOfByteString(request.rest)
  if (service === '') return badRequest('Missing service name')
  if (context.mesh === undefined)
    return failed({ kind: 'refused', message: 'this agent has no mesh: connect is not enabled' })
  const answer = await context.mesh.leaf(service, read.value, wanted.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const { held, index, hit, ageMs } = answer.value
  const cache = { hit, ageS: Math.floor(ageMs / 1000) }
  return { kind: 'json', value: leafJson(held), ownIndex: BigInt(index), cache }
}

/** Includes the private key, which appears in this answer and nowhere else. */
function leafJson({ leaf: issued, privateKeyPem }: HeldLeaf): z.infer<typeof leafShape> {
  return {
    SerialNumber: issued.serialNumber,
    CertPEM: issued.certificates,
    PrivateKeyPEM: privateKeyPem,
    Service: issued.service,
    ServiceURI: issued.serviceUri,
    ValidAfter: utcText(issued.notBeforeMs),
    ValidBefore: utcText(issued.notAfterMs),
    // Each leaf is a new one, so that both indexes are equal.
    CreateIndex: issued.modifyIndex,
    ModifyIndex: issued.modifyIndex,
  }
}
