import { z } from 'zod'
import { noChange } from '../../model/log-position.ts'
import {
  badRequest,
  declared,
  failed,
  type NamesOf,
  type Operation,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithQueries, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import { digits, done, emptyAnswer, jsonAnswer, parameter, readParameters, taken } from '../http/declared.ts'
import { callIn, parseReadOptions, parseUint, type ReadName } from '../http/read-options.ts'
import { autopilotBody, autopilotJson, autopilotSettingsFrom, autopilotShape } from './autopilot.ts'
import {
  raftConfigurationEndpoint,
  readAutopilotEndpoint,
  removePeerArgsFrom,
  removePeerEndpoint,
  serverHealthEndpoint,
  setAutopilotEndpoint,
  transferLeaderEndpoint,
} from './endpoint.ts'
import { clusterHealthJson, clusterHealthShape, raftConfigurationJson, raftConfigurationShape } from './model.ts'

/** The part of the route context that these routes use. */
type OperatorContext = WithWrites & WithQueries & WithServerCalls & WithSelf

const cas = parameter('cas', digits, 'Only if the settings have this ModifyIndex.')
const removeParameters = [
  ...readParameters,
  parameter('id', z.string(), 'ID of the server. Either this or `address`.'),
  parameter('address', z.string(), 'Its address, `host:port`.'),
] as const
const transferParameters = [
  ...readParameters,
  parameter('id', z.string(), 'ID of the server that is to lead; any other voter where it is absent.'),
] as const

function transferOperation(): Operation<WithWrites & WithSelf> {
  return declared({
    summary: 'Transfer leadership to another server',
    access: { asks: 'operator:write' },
    query: transferParameters,
    answers: [jsonAnswer('It leads.', z.strictObject({ Success: z.literal(true) }))],
    handle: transferLeader,
  })
}
const noArea = emptyAnswer(404, 'There are no areas.')

/** Reference: operator.md#operator-endpoints. */
export const operatorRoutes: readonly Route<OperatorContext>[] = [
  {
    path: '/v1/operator/raft/configuration',
    operations: {
      GET: declared({
        summary: 'The servers of the consensus group',
        access: { asks: 'operator:read' },
        query: readParameters,
        answers: [jsonAnswer('The configuration.', raftConfigurationShape)],
        handle: readConfiguration,
      }),
    },
  },
  {
    path: '/v1/operator/raft/peer',
    operations: {
      DELETE: declared({
        summary: 'Remove a server from the consensus group',
        access: { asks: 'operator:write' },
        query: removeParameters,
        answers: [done],
        handle: removePeer,
      }),
    },
  },
  {
    path: '/v1/operator/raft/transfer-leader',
    operations: { PUT: transferOperation(), POST: transferOperation() },
  },
  {
    path: '/v1/operator/autopilot/health',
    since: 'autopilot',
    operations: {
      GET: declared({
        summary: 'The health of the servers as the leader sees it',
        access: { asks: 'operator:read' },
        query: readParameters,
        answers: [
          jsonAnswer('All of them are healthy.', clusterHealthShape),
          jsonAnswer('One is not, or too many clients ask (a line of text).', clusterHealthShape, [], 429),
        ],
        handle: readHealth,
      }),
    },
  },
  {
    path: '/v1/operator/autopilot/configuration',
    since: 'autopilot',
    operations: {
      GET: declared({
        summary: 'The settings of autopilot',
        access: { asks: 'operator:read' },
        query: readParameters,
        answers: [jsonAnswer('The settings.', autopilotShape)],
        handle: readAutopilot,
      }),
      PUT: declared({
        summary: 'Change the settings of autopilot',
        access: { asks: 'operator:write' },
        query: [...readParameters, cas],
        body: { about: 'All settings: what is absent becomes zero.', required: true, json: autopilotBody.accepts },
        answers: [taken],
        handle: setAutopilot,
      }),
    },
  },
  // There are no areas, so every ID is unknown: only the methods remain (Spec: HTP-042, HTP-054).
  {
    path: '/v1/operator/area/',
    rest: { name: 'area', about: 'ID of a network area.' },
    below: 'members',
    operations: {
      GET: declared({
        summary: 'Members of a network area',
        access: { open: 'there are no areas' },
        answers: [noArea],
        handle: noSuchArea,
      }),
    },
  },
  {
    path: '/v1/operator/area/',
    rest: { name: 'area', about: 'ID of a network area.' },
    below: 'join',
    operations: {
      PUT: declared({
        summary: 'Join a network area',
        access: { open: 'there are no areas' },
        answers: [noArea],
        handle: noSuchArea,
      }),
    },
  },
]

async function readConfiguration(
  context: WithServerCalls & WithSelf,
  request: RouteRequest<ReadName>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.ask(raftConfigurationEndpoint, {}, options.value, request.call)
  return answer.ok ? { kind: 'json', value: raftConfigurationJson(answer.value) } : failed(answer.error)
}

async function removePeer(
  context: WithWrites & WithSelf,
  request: RouteRequest<NamesOf<typeof removeParameters>>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const args = removePeerArgsFrom(request.query.get('id') ?? '', request.query.get('address') ?? '')
  if (!args.ok) return failed(args.error)
  const removed = await context.write(removePeerEndpoint, args.value, callIn(request, options.value))
  return removed.ok ? { kind: 'empty', status: 200 } : failed(removed.error)
}

/** In the form of later releases of the field. */
async function transferLeader(
  context: WithWrites & WithSelf,
  request: RouteRequest<NamesOf<typeof transferParameters>>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const id = request.query.get('id') ?? ''
  const handed = await context.write(transferLeaderEndpoint, { id }, callIn(request, options.value))
  return handed.ok ? { kind: 'json', value: { Success: true } } : failed(handed.error)
}

async function readAutopilot(context: WithQueries & WithSelf, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const read = { ...options.value, minIndex: noChange, waitMs: 0 }
  const answer = await context.query(readAutopilotEndpoint, {}, read, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer.value
  if (value === null) return failed({ kind: 'refused', message: 'autopilot config not initialized yet' })
  return { kind: 'json', value: autopilotJson(value) }
}

async function setAutopilot(
  context: WithWrites & WithSelf,
  request: RouteRequest<ReadName | 'cas'>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const settings = autopilotSettingsFrom(request.body)
  if (!settings.ok) return failed(settings.error)
  const given = request.query.get('cas') ?? ''
  const at = given === '' ? undefined : parseUint(given)
  if (at?.ok === false) return badRequest(`Error parsing cas value: ${at.error}`)
  const args = { settings: settings.value, ...(at === undefined ? {} : { at: at.value }) }
  const replaced = await context.write(setAutopilotEndpoint, args, callIn(request, options.value))
  return replaced.ok ? { kind: 'json', value: replaced.value } : failed(replaced.error)
}

function noSuchArea(): Promise<RouteResponse> {
  return Promise.resolve({ kind: 'text', text: '', status: 404 })
}

/** Bad health is answered with 429, for callers that look only at the status. */
async function readHealth(
  context: WithServerCalls & WithSelf,
  request: RouteRequest<ReadName>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.ask(serverHealthEndpoint, {}, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer
  return { kind: 'json', value: clusterHealthJson(value), status: value.healthy ? 200 : 429 }
}
