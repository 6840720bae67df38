import { byteString, textOfByteString } from '../../base/bytes.ts'
import { kvValueBytesMax } from '../../model/limits.ts'
import type { AgentContext, ReadOptions, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseUint } from '../parse-uint.ts'
import { callIn, parseReadOptions } from '../read-options.ts'
import { answered, badRequest, failed } from '../responses.ts'
import { sessionIdOf } from '../session-id.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  getEndpoint,
  keysEndpoint,
  listEndpoint,
  lockEndpoint,
  putCasEndpoint,
  putEndpoint,
  unlockEndpoint,
} from './endpoint.ts'
import { kvEntryJson } from './model.ts'
import { valueBytes } from './value.ts'

const valueTooLarge = `Value exceeds ${kvValueBytesMax} byte limit`

/** Reference: HTTP API 5. */
export const kvRoutes: readonly Route[] = [
  {
    methods: ['GET', 'PUT', 'DELETE'],
    path: '/v1/kv/',
    tooLarge: valueTooLarge,
    handle: async (agent, request) => {
      const options = parseReadOptions(agent, request.query)
      if (!options.ok) return failed(options.error)
      if (request.method === 'GET') return read(agent, request, options.value)
      const placed = { ...request, call: callIn(request, options.value) }
      return request.method === 'PUT' ? put(agent, placed) : remove(agent, placed)
    },
  },
]

function read(agent: AgentContext, request: RouteRequest, options: ReadOptions): Promise<RouteResponse> {
  if (request.query.has('keys')) return readKeys(agent, request, options)
  if (request.query.has('recurse')) return readTree(agent, request, options)
  return readOne(agent, request, options)
}

async function readOne(agent: AgentContext, request: RouteRequest, options: ReadOptions): Promise<RouteResponse> {
  if (request.rest === '') return missingKey
  const answer = await agent.query(getEndpoint, { key: request.rest }, options, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: entry, meta } = answer.value
  if (entry === null) return { kind: 'empty', status: 404, meta }
  if (request.query.has('raw')) return { kind: 'bytes', bytes: valueBytes(entry.value), meta }
  return { kind: 'json', value: [kvEntryJson(entry)], meta }
}

async function readTree(agent: AgentContext, request: RouteRequest, options: ReadOptions): Promise<RouteResponse> {
  const answer = await agent.query(listEndpoint, { prefix: request.rest }, options, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: entries, meta } = answer.value
  if (entries.length === 0) return { kind: 'empty', status: 404, meta }
  return answered(answer.value, 'entries', (shown) => shown.map(kvEntryJson))
}

async function readKeys(agent: AgentContext, request: RouteRequest, options: ReadOptions): Promise<RouteResponse> {
  // The second spelling is the field's own old mistake, which clients have kept.
  const separator = byteString(request.query.get('separator') ?? request.query.get('seperator') ?? '')
  const answer = await agent.query(keysEndpoint, { prefix: request.rest, separator }, options, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: keys, meta } = answer.value
  if (keys.length === 0 && request.rest !== '') return { kind: 'empty', status: 404, meta }
  return answered(answer.value, 'keys', (shown) => shown.map(textOfByteString))
}

async function put(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
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
  if (acquire !== undefined) return lock(agent, request, entry, acquire)
  const release = query.get('release')
  if (release !== undefined) return unlock(agent, request, entry, release)
  const done =
    index === undefined
      ? await agent.write(putEndpoint, entry, call)
      : await agent.write(putCasEndpoint, { ...entry, index: index.value }, call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
}

async function lock(agent: AgentContext, request: RouteRequest, entry: Entry, acquire: string): Promise<RouteResponse> {
  if (acquire === '') return missingSession
  const session = sessionIdOf(acquire)
  if (!session.ok) return badRequest(session.error)
  const done = await agent.write(lockEndpoint, { ...entry, session: session.value }, request.call)
  if (!done.ok) return failed(done.error)
  // Not the caller's own mistake: the session may have ended a moment ago. Clients know this answer by its text and status.
  if (done.value.kind === 'no-session') return failed({ kind: 'refused', message: `invalid session "${acquire}"` })
  return done.value.kind === 'held'
    ? { kind: 'json', value: true, fence: done.value.fence }
    : { kind: 'json', value: false }
}

async function unlock(
  agent: AgentContext,
  request: RouteRequest,
  entry: Entry,
  release: string,
): Promise<RouteResponse> {
  if (release === '') return missingSession
  // Whatever is not an ID is nobody's who holds the key.
  const session = sessionIdOf(release)
  if (!session.ok) return { kind: 'json', value: false }
  const done = await agent.write(unlockEndpoint, { ...entry, session: session.value }, request.call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

async function remove(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const { rest: key, query, call } = request
  if (conflicting(request, ['recurse', 'cas'])) return conflict(request)
  if (query.has('recurse')) {
    const done = await agent.write(deleteTreeEndpoint, { prefix: key }, call)
    return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
  }
  if (key === '') return missingKey
  const cas = query.get('cas')
  const index = cas === undefined ? undefined : parseUint(cas)
  if (index?.ok === false) return badRequest(index.error)
  const done =
    index === undefined
      ? await agent.write(deleteEndpoint, { key }, call)
      : await agent.write(deleteCasEndpoint, { key, index: index.value }, call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

const missingKey = badRequest('Missing key name')
const missingSession = badRequest('missing session')

function conflicting(request: RouteRequest, names: readonly string[]): boolean {
  return names.filter((name) => request.query.has(name)).length > 1
}

function conflict(request: RouteRequest): RouteResponse {
  return badRequest(`Conflicting flags: ${request.query.encoded()}`)
}
