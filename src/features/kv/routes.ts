import { z } from 'zod'
import { byteString, textOfByteString } from '../../base/bytes.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax } from '../../model/limits.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { ReadOptions } from '../contract/reading.ts'
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
import type { WithQueries, WithSelf, WithWrites } from '../contract/route-context.ts'
import type { WithRelease } from '../contract/surroundings.ts'
import {
  digits,
  emptyAnswer,
  indexHeaders,
  jsonAnswer,
  listOf,
  parameter,
  readParameters,
  taken,
  textList,
} from '../http/declared.ts'
import { parseReadOptions, parseUint, writingCall } from '../http/read-options.ts'
import { sessionIdOf } from '../session/model.ts'
import { getEndpoint, keysEndpoint, listEndpoint } from './endpoint.ts'
import { kvEntryJson, kvEntryShape, valueBytes } from './model.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  lockEndpoint,
  putCasEndpoint,
  putEndpoint,
  unlockEndpoint,
} from './write-endpoints.ts'

/** The part of the route context that these routes use. */
type KvContext = WithRelease & WithWrites & WithQueries & WithSelf

const valueTooLarge = `Value exceeds ${kvValueBytesMax} byte limit`

const recurse = parameter('recurse', 'presence', 'All keys that begin with this one.')
const cas = parameter(
  'cas',
  digits,
  'Only if the key has this ModifyIndex; 0 in a write: only if there is no such key.',
)

const getParameters = [
  ...readParameters,
  recurse,
  parameter('keys', 'presence', 'The names of keys that begin with this one.'),
  parameter('separator', z.string(), 'With `keys`: names up to this, each once.'),
  parameter('seperator', z.string(), 'As `separator`, a spelling that clients have kept.'),
  parameter('raw', 'presence', 'The value itself instead of JSON.'),
] as const

const putParameters = [
  ...readParameters,
  cas,
  parameter('flags', digits, 'A number of 64 bits to keep beside the value.'),
  parameter('acquire', z.string(), 'A session that takes the lock of the key. Not with `cas` or `release`.'),
  parameter('release', z.string(), 'The session that releases the lock of the key.'),
  parameter('fence', 'presence', 'With `acquire`: the answer to a lock that was acquired has its fence.'),
] as const

const deleteParameters = [...readParameters, cas, recurse] as const

type GetRequest = RouteRequest<NamesOf<typeof getParameters>>
type PutRequest = RouteRequest<NamesOf<typeof putParameters>>
type DeleteRequest = RouteRequest<NamesOf<typeof deleteParameters>>

/**
 * One path with three operations, which share parameters and refusals: they are read together, so they are in one file
 * that is a little longer than others. Reference: keys.md#key-calls.
 */
export const kvRoutes: readonly Route<KvContext>[] = [
  {
    path: '/v1/kv/',
    rest: { name: 'key', about: 'May hold slashes; may be empty where a prefix is asked for.' },
    tooLarge: valueTooLarge,
    operations: {
      GET: declared({
        summary: 'Read a key, or all below a prefix',
        access: {
          asks: 'key:read, of a prefix that of each; key:list of the prefix, where the policy of listing is on',
        },
        query: getParameters,
        answers: [
          {
            status: 200,
            about: 'Entries; with `keys` their names; with `raw` a value, of the type that its bytes look like.',
            content: { 'application/json': z.union([listOf(kvEntryShape), textList]), '*/*': z.unknown() },
            headers: indexHeaders,
          },
          emptyAnswer(404, 'There is no such key.', indexHeaders),
        ],
        handle: read,
      }),
      PUT: declared({
        summary: 'Write a key',
        access: { asks: 'key:write' },
        query: putParameters,
        body: { about: `The value: up to ${kvValueBytesMax} bytes of any kind.`, required: false },
        answers: [
          jsonAnswer('Whether it took effect; with `fence` a lock that was acquired has its fence.', z.boolean(), [
            'fence?',
          ]),
        ],
        handle: put,
      }),
      DELETE: declared({
        summary: 'Delete a key, or all below a prefix',
        access: { asks: 'key:write, of a prefix that of all that may be below it' },
        query: deleteParameters,
        answers: [taken],
        handle: remove,
      }),
    },
  },
]

function read(context: KvContext, request: GetRequest): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return Promise.resolve(failed(options.error))
  if (request.query.has('keys')) return readKeys(context, request, options.value)
  if (request.query.has('recurse')) return readTree(context, request, options.value)
  return readOne(context, request, options.value)
}

async function readOne(
  context: WithRelease & WithQueries,
  request: GetRequest,
  options: ReadOptions,
): Promise<RouteResponse> {
  if (request.rest === '') return missingKey
  const answer = await context.query(getEndpoint, { key: request.rest }, options, request.call)
  if (!answer.ok) return unread(context, answer.error)
  const { value: entry, meta } = answer.value
  if (entry === null) return { kind: 'empty', status: 404, meta }
  if (request.query.has('raw')) return { kind: 'bytes', bytes: valueBytes(entry.value), meta }
  return answered(answer.value, 'entry', (shown) => (shown === null ? [] : [kvEntryJson(shown)]))
}

/** Release: `denied-key-is-told`. */
function unread({ release }: WithRelease, failure: Failure): RouteResponse {
  const isTold = hasBehaviour(release, 'denied-key-is-told') || hasBehaviour(release, 'denied-key-is-told-once')
  return failure.kind === 'permission-denied' && !isTold ? { kind: 'empty', status: 404 } : failed(failure)
}

async function readTree(context: WithQueries, request: GetRequest, options: ReadOptions): Promise<RouteResponse> {
  const answer = await context.query(listEndpoint, { prefix: request.rest }, options, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: entries, meta } = answer.value
  if (entries.length === 0) return { kind: 'empty', status: 404, meta }
  return answered(answer.value, 'entries', (shown) => shown.map(kvEntryJson))
}

async function readKeys(context: WithQueries, request: GetRequest, options: ReadOptions): Promise<RouteResponse> {
  // The second spelling is an old mistake of the field that clients rely on.
  const separator = byteString(request.query.get('separator') ?? request.query.get('seperator') ?? '')
  const answer = await context.query(keysEndpoint, { prefix: request.rest, separator }, options, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: keys, meta } = answer.value
  if (keys.length === 0 && request.rest !== '') return { kind: 'empty', status: 404, meta }
  return answered(answer.value, 'keys', (shown) => shown.map(textOfByteString))
}

async function put(context: WithWrites & WithSelf, given: PutRequest): Promise<RouteResponse> {
  const placed = writingCall(context, given)
  if (!placed.ok) return failed(placed.error)
  const request = { ...given, call: placed.value }
  const { rest: key, query, body, call } = request
  if (key === '') return missingKey
  if (conflicting(request, ['cas', 'acquire', 'release'])) return conflict(request)
  const flags = parseUint(query.get('flags') ?? '0')
  if (!flags.ok) return badRequest(flags.error)
  const cas = query.get('cas')
  const index = cas === undefined ? undefined : parseUint(cas)
  if (index?.ok === false) return badRequest(index.error)
  if (body.length > kvValueBytesMax) {
    return failed({ kind: 'too-large', message: valueTooLarge })
  }
  const entry = { key, value: body, flags: flags.value }
  const acquire = query.get('acquire')
  if (acquire !== undefined) return lock(context, request, entry, acquire)
  const release = query.get('release')
  if (release !== undefined) return unlock(context, request, entry, release)
  const done =
    index === undefined
      ? await context.write(putEndpoint, entry, call)
      : await context.write(putCasEndpoint, { ...entry, index: index.value }, call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
}

async function lock(context: WithWrites, request: PutRequest, entry: Entry, acquire: string): Promise<RouteResponse> {
  // The field does not have this header, so only a caller that asks for it gets it.
  const fenced = request.query.has('fence')
  if (acquire === '') return missingSession
  const session = sessionIdOf(acquire)
  if (!session.ok) return badRequest(session.error)
  const done = await context.write(lockEndpoint, { ...entry, session: session.value }, request.call)
  if (!done.ok) return failed(done.error)
  // Not the caller's mistake: the session may have ended a moment ago. Clients recognize this answer by its text and
  // status.
  if (done.value.kind === 'no-session') return failed({ kind: 'refused', message: `invalid session "${acquire}"` })
  if (done.value.kind !== 'held') return { kind: 'json', value: false }
  return { kind: 'json', value: true, ...(fenced ? { fence: done.value.fence } : {}) }
}

async function unlock(context: WithWrites, request: PutRequest, entry: Entry, release: string): Promise<RouteResponse> {
  if (release === '') return missingSession
  // A malformed session ID cannot name the holder of the key.
  const session = sessionIdOf(release)
  if (!session.ok) return { kind: 'json', value: false }
  const done = await context.write(unlockEndpoint, { ...entry, session: session.value }, request.call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

async function remove(context: WithWrites & WithSelf, request: DeleteRequest): Promise<RouteResponse> {
  const placed = writingCall(context, request)
  if (!placed.ok) return failed(placed.error)
  const { rest: key, query } = request
  const call = placed.value
  if (conflicting(request, ['recurse', 'cas'])) return conflict(request)
  if (query.has('recurse')) {
    const done = await context.write(deleteTreeEndpoint, { prefix: key }, call)
    return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
  }
  if (key === '') return missingKey
  const cas = query.get('cas')
  const index = cas === undefined ? undefined : parseUint(cas)
  if (index?.ok === false) return badRequest(index.error)
  const done =
    index === undefined
      ? await context.write(deleteEndpoint, { key }, call)
      : await context.write(deleteCasEndpoint, { key, index: index.value }, call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

const missingKey = badRequest('Missing key name')
const missingSession = badRequest('missing session')

function conflicting<Name extends string>(request: RouteRequest<Name>, names: readonly Name[]): boolean {
  return names.filter((name) => request.query.has(name)).length > 1
}

function conflict(request: RouteRequest): RouteResponse {
  return badRequest(`Conflicting flags: ${request.query.encoded()}`)
}
