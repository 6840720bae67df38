import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { textOfByteString } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { err, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import { userEventPrefix } from '../../model/naming/names.ts'
import type { UserEvent } from '../../model/remote-exec.ts'
import { allowedHere } from '../contract/asking.ts'
import type { ReadOptions } from '../contract/reading.ts'
import {
  badRequest,
  declared,
  failed,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithPools, WithRights, WithSelf, WithServerCalls, WithUserEvents } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { digits, durationText, jsonAnswer, listOf, parameter, readParameters } from '../http/declared.ts'
import { parseReadOptions, parseUint } from '../http/read-options.ts'
import { fireEndpoint } from './endpoint.ts'
import { checkFilters, encodeUserEvent, eventIndex, userEventJson, userEventShape } from './model.ts'

/** The part of the route context that these routes use. */
type EventContext = WithEnv & WithServerCalls & WithRights & WithSelf & WithPools & WithUserEvents

const fireParameters = [
  ...readParameters,
  parameter('node', z.string(), 'Only agents whose name this regular expression matches.'),
  parameter('service', z.string(), 'Only agents with a service whose name it matches.'),
  parameter('tag', z.string(), 'Only agents where such a service has a tag that it matches.'),
] as const

const listParameters = [
  parameter('name', z.string(), 'Only events of this name.'),
  parameter('index', digits, 'Wait until the list ends with another event than it did at this index.'),
  parameter('wait', durationText, 'Maximum wait: 10 minutes if absent.'),
] as const

/** Reference: events.md#firing-an-event, events.md#listing-events. */
export const eventRoutes: readonly Route<EventContext>[] = [
  {
    path: '/v1/event/fire/',
    rest: { name: 'name', about: 'Name of the event.' },
    operations: {
      PUT: declared({
        summary: 'Send an event to all agents',
        access: { asks: 'event:write' },
        query: fireParameters,
        body: { about: 'The payload of the event: a few hundred bytes of any kind.', required: false },
        answers: [jsonAnswer('The event.', userEventShape)],
        handle: fire,
      }),
    },
  },
  {
    path: '/v1/event/list',
    operations: {
      GET: declared({
        summary: 'Events that this agent has heard of',
        access: { asks: 'event:read of each' },
        query: listParameters,
        answers: [jsonAnswer('The oldest first.', listOf(userEventShape), ['index'])],
        handle: list,
      }),
    },
  },
]

/** Longest wait for an event, and the one used when the caller gives none. */
const waitMaxMs = 600_000

async function fire(
  context: EventContext,
  request: RouteRequest<NamesOf<typeof fireParameters>>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const name = textOfByteString(request.rest)
  if (name === '') return badRequest('Missing name')
  const filter = (key: 'node' | 'service' | 'tag'): string => request.query.get(key) ?? ''
  const event: UserEvent = {
    id: uuidOf(context.env.crypto.randomBytes(16, 'event', name)),
    name,
    payload: request.body,
    nodeFilter: filter('node'),
    serviceFilter: filter('service'),
    tagFilter: filter('tag'),
    lamport: 0,
  }
  const checked = checkFilters(event)
  if (!checked.ok) return badRequest(checked.error)
  const fired = await fireIn(context, request, options.value, event)
  return fired.ok ? { kind: 'json', value: userEventJson(event) } : failed(fired.error)
}

/** Fires in this datacenter by this agent itself, in another by one of its servers. */
async function fireIn(
  context: EventContext,
  request: RouteRequest,
  options: ReadOptions,
  event: UserEvent,
): Promise<Result<unknown, Failure>> {
  const payload = encodeUserEvent(event)
  if (options.datacenter !== '') return context.ask(fireEndpoint, { name: event.name, payload }, options, request.call)
  const allowed = await allowedHere(context, request, () => [{ resource: 'event', name: event.name, right: 'write' }])
  if (!allowed.ok) return allowed
  const fired = context.lan.fireEvent(userEventPrefix + event.name, payload)
  return fired.ok ? fired : err({ kind: 'bad-request', message: fired.error })
}

/**
 * The events that this agent has received. The index has no order; it only differs when the list ends differently: a
 * caller waits while the list still has the index that it passes.
 */
async function list(
  context: EventContext,
  request: RouteRequest<NamesOf<typeof listParameters>>,
): Promise<RouteResponse> {
  const { query } = request
  const waitText = query.get('wait') ?? ''
  const wait = waitText === '' ? undefined : parseDuration(waitText)
  if (wait !== undefined && !wait.ok) return badRequest('Invalid wait time')
  const indexText = query.get('index') ?? ''
  const known = indexText === '' ? undefined : parseUint(indexText)
  if (known !== undefined && !known.ok) return badRequest('Invalid index')
  const name = query.get('name') ?? ''
  const found = (reader: Authorizer): readonly UserEvent[] =>
    context.events
      .list()
      .filter((event) => (name === '' || event.name === name) && reader.allows('event', event.name, 'read'))
  let reader = await context.authorizer(request.call)
  if (reader.ok && known !== undefined) {
    const before = reader.value
    const waitMs = Math.min(Math.max(0, wait?.value ?? 0) || waitMaxMs, waitMaxMs)
    await changed(context, request, () => eventIndex(found(before)) !== known.value, waitMs)
    if (context.events.isStopped) return failed({ kind: 'shutting-down' })
    // The token may have lost its rights while the caller waited.
    reader = await context.authorizer(request.call)
  }
  if (!reader.ok) return failed(reader.error)
  const events = found(reader.value)
  return { kind: 'json', value: events.map(userEventJson), ownIndex: eventIndex(events) }
}

/** Settles when the index differs, when the time is up, when the caller has gone, or when the agent stops. */
async function changed(
  { env, events }: WithEnv & WithUserEvents,
  { call }: RouteRequest,
  hasOther: () => boolean,
  waitMs: number,
): Promise<void> {
  const isSo = (): boolean => events.isStopped || hasOther()
  if (isSo()) return
  const deferred = env.deferred<void>()
  const watching = events.onChange(() => {
    if (isSo()) deferred.resolve()
  })
  const timer = env.timers.after(waitMs, () => deferred.resolve())
  call.onAbort?.(() => deferred.resolve())
  await deferred.promise
  timer.close()
  watching.close()
}
