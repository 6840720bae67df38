import type { Json } from '../../base/json.ts'
import { noChange } from '../../model/log-position.ts'
import { providerAskedFor } from '../../model/naming/names.ts'
import {
  answered,
  badRequest,
  declared,
  failed,
  failedRead,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithAliases, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import type { WithNaming } from '../contract/surroundings.ts'
import {
  digits,
  done,
  indexHeaders,
  jsonAnswer,
  parameter,
  readParameters,
  taken,
  textAnswer,
} from '../http/declared.ts'
import { decodeBody, decoder, flag, members, object, text } from '../http/json-body.ts'
import { callIn, parseReadOptions, parseUint, type ReadName } from '../http/read-options.ts'
import { forecastJson, forecastShape } from './forecast.ts'
import { configurationJson, configurationShape, rootsJson, rootsShape } from './model.ts'
import { readOptions } from './options.ts'
import { configurationGetEndpoint, rootsEndpoint } from './read-endpoints.ts'
import { configurationSetEndpoint, forecastEndpoint } from './write-endpoints.ts'

/** The part of the route context that these routes use. */
type ConnectContext = WithNaming & WithAliases & WithWrites & WithQueries & WithServerCalls & WithSelf

const cas = parameter(
  'cas',
  digits,
  'Only where the configuration has this ModifyIndex; the answer says whether it had.',
)

/** Any JSON: options are checked when all are known. */
const anything = decoder<unknown>({}, (value) => value)

const configurationBody = object({ Provider: text, Config: members(anything), ForceWithoutCrossSigning: flag })

const off = textAnswer(
  500,
  'The mesh is not enabled on the servers, or the authority cannot do it now; the line says why.',
)

/** Reference: mesh.md#endpoints, mesh.md#roots-list, mesh.md#ca-configuration. */
export const connectRoutes: readonly Route<ConnectContext>[] = [
  {
    path: '/v1/connect/ca/roots',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'Root certificates that the mesh trusts',
        access: { open: 'certificates of authorities are public, and every proxy needs them' },
        query: readParameters,
        answers: [jsonAnswer('Exactly one of them is active, once there is any.', rootsShape, indexHeaders), off],
        handle: roots,
      }),
    },
  },
  {
    path: '/v1/connect/ca/configuration',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'How the certificate authority is configured',
        access: { asks: 'operator:read' },
        query: readParameters,
        answers: [jsonAnswer('The configuration; secrets read `hidden`.', configurationShape), off],
        handle: readConfiguration,
      }),
      PUT: declared({
        summary: 'Configure the certificate authority',
        access: { asks: 'operator:write' },
        query: [...readParameters, cas],
        body: {
          about:
            'Options that are absent take their defaults; a secret that reads `hidden` keeps its value. Another root key or provider begins a rotation, and the answer comes when it has ended. `ForceWithoutCrossSigning`: it does without the signature of a root whose key is gone for good.',
          required: true,
          json: configurationBody.accepts,
        },
        answers: [done, taken, off],
        handle: setConfiguration,
      }),
    },
  },
  {
    path: '/v1/connect/ca/forecast',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'What of the mesh’s certificates expires when, and what a rotation now would do',
        access: { asks: 'operator:read' },
        query: readParameters,
        answers: [jsonAnswer('The leader computes it.', forecastShape), off],
        handle: forecast,
      }),
    },
  },
]

async function roots(context: WithQueries & WithSelf, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.query(rootsEndpoint, {}, options.value, request.call)
  return answer.ok ? answered(answer.value, 'mesh-roots', rootsJson) : failedRead(answer.error)
}

const notBegun = { kind: 'refused', message: 'the certificate authority of the mesh has not begun yet' } as const

async function readConfiguration(
  context: WithQueries & WithSelf,
  request: RouteRequest<ReadName>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  // These answers have no index to wait for.
  const read = { ...options.value, minIndex: noChange, waitMs: 0 }
  const answer = await context.query(configurationGetEndpoint, {}, read, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer.value
  return value === null ? failed(notBegun) : { kind: 'json', value: configurationJson(value) }
}

async function setConfiguration(
  context: WithNaming & WithAliases & WithWrites & WithSelf,
  request: RouteRequest<NamesOf<readonly [...typeof readParameters, typeof cas]>>,
): Promise<RouteResponse> {
  const read = parseReadOptions(context, request.query)
  if (!read.ok) return failed(read.error)
  const body = decodeBody(request.body, configurationBody)
  if (!body.ok) return failed(body.error)
  const { Provider } = body.value
  const provider = providerAskedFor(Provider, context)
  if (provider === undefined)
    return badRequest(`could not initialize provider: unknown CA provider ${JSON.stringify(Provider)}`)
  const options = readOptions(Object.fromEntries(body.value.Config))
  if (!options.ok) return badRequest(`error configuring provider: ${options.error}`)
  const given = request.query.get('cas') ?? ''
  const index = given === '' ? undefined : parseUint(given)
  if (index !== undefined && !index.ok) return badRequest(`Error parsing cas value: ${index.error}`)
  const onlyAt = index === undefined ? {} : { onlyAt: Math.min(Number(index.value), Number.MAX_SAFE_INTEGER) }
  const forced = body.value.ForceWithoutCrossSigning ? { uncrossed: true } : {}
  const args = { provider, options: options.value, ...onlyAt, ...forced }
  const set = await context.write(configurationSetEndpoint, args, callIn(request, read.value))
  if (!set.ok) return failed(set.error)
  return index === undefined ? { kind: 'empty', status: 200 } : { kind: 'json', value: set.value }
}

async function forecast(context: WithServerCalls & WithSelf, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.ask(forecastEndpoint, {}, options.value, request.call)
  return answer.ok ? { kind: 'json', value: forecastJson(answer.value) as Json } : failed(answer.error)
}
