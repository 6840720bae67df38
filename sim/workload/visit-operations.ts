import { base64, utf8 } from '../../src/base/bytes.ts'
import type { Need } from '../checkers/access/access-facts.ts'
import { reads } from '../checkers/access/view-parts.ts'
import type { Draws } from '../world/decisions/draws.ts'
import {
  eventsIn,
  executedIn,
  heldServicesIn,
  intentionsIn,
  membersIn,
  queriesIn,
  refusedIn,
  transactionIn,
} from './visit-answers.ts'
import { catalog, health, keyNames, keys, keysLater, sessions } from './visit-lists.ts'
import { sessionTtl } from './visit-memory.ts'
import { deregistering, registering } from './visit-registrations.ts'
import { get, put, send, type VisitDrawn, type VisitRequest, writes } from './visit-request.ts'
import { listing } from './visit-views.ts'

/** The kinds of requests; `read` and `write` are of one key. */
export const visitOperations = [
  'read',
  'write',
  'list',
  'names',
  'wait',
  'delete tree',
  'transaction',
  'session',
  'end session',
  'renew session',
  'sessions',
  'health',
  'catalog',
  'agent',
  'authorize',
  'intentions',
  'intend',
  'change intention',
  'event',
  'events',
  'query',
  'queries',
  'explain',
  'register',
  'deregister',
] as const

export type VisitOperation = (typeof visitOperations)[number]

/** The trust domain of the service does not affect the caller's right to ask. */
const anyMesh = 'spiffe://11111111-2222-3333-4444-555555555555.svc'

const explainedResources = ['key', 'service', 'node', 'session', 'event', 'query', 'intention'] as const

type Maker = (drawn: VisitDrawn, draws: Draws) => VisitRequest

const makers: Readonly<Record<VisitOperation, Maker>> = {
  read: ({ name }) => get(`/v1/kv/${name}`, [reads('key', name)]),
  write: ({ name, mark }) => put(`/v1/kv/${name}`, [writes('key', name)], { body: mark, mark }),
  list: keys,
  names: keyNames,
  wait: keysLater,
  'delete tree': ({ name }) => send('DELETE', `/v1/kv/${name}?recurse`, [{ resource: 'key', name, right: 'tree' }]),
  transaction: transaction,
  session: ({ node, mark, memory }) =>
    put('/v1/session/create', [writes('session', node)], {
      // Without checks, it ends only on request, or with its time to live.
      body: { Name: mark, Node: node, TTL: sessionTtl, Checks: [] },
      mark,
      done: (body) => memory.keep(idIn(body), node),
      // The node may not be in the catalog yet.
      explained: () => true,
    }),
  'end session': ({ memory }, draws) => {
    const session = memory.session(draws)
    const isThere = memory.isSurelyThere(session)
    session.isToEnd = true
    const needs = [writes('session', session.node)]
    return { ...put(`/v1/session/destroy/${session.id}`, needs), hidden: () => (isThere ? needs : undefined) }
  },
  'renew session': ({ memory }, draws) => {
    const session = memory.session(draws)
    const needs = [writes('session', session.node)]
    const hidden = (): readonly Need[] | undefined => (memory.isSurelyThere(session) ? needs : undefined)
    return { ...put(`/v1/session/renew/${session.id}`, needs), hidden }
  },
  sessions,
  health,
  catalog,
  agent: (_drawn, draws) =>
    draws.below(2) === 0
      ? { ...get('/v1/agent/members', []), shown: membersIn }
      : { ...get('/v1/agent/services', []), shown: heldServicesIn },
  authorize: ({ name, other }) => ({
    ...send('POST', '/v1/agent/connect/authorize', [writes('service', name)], {
      body: { Target: name, ClientCertURI: `${anyMesh}/ns/default/dc/dc1/svc/${other}` },
    }),
    // The decision depends on the intentions that the caller may read.
    refusedWithout: [writes('service', name), reads('intention', name)],
  }),
  intentions: ({ name, other }, draws) => {
    const target = draws.below(3)
    if (target === 0) return get(`/v1/connect/intentions/match?by=destination&name=${name}`, [reads('intention', name)])
    if (target === 1)
      return get(`/v1/connect/intentions/check?source=${other}&destination=${name}`, [reads('service', name)])
    return { ...get('/v1/connect/intentions', []), shown: intentionsIn, lists: listing('intentions') }
  },
  intend: ({ name, other, mark, memory }, draws) => ({
    ...send('POST', '/v1/connect/intentions', [writes('intention', name)], {
      body: intentionBody(other, name, mark, draws),
      mark,
      done: (body) => memory.keepIntention({ id: idIn(body), source: other, destination: name }),
      // Between two services there is one intention.
      explained: () => true,
    }),
  }),
  // Its ends stay as they are, so the rights that a change needs are known.
  'change intention': ({ mark, memory }, draws) => {
    const known = memory.intention(draws)
    const { id, source, destination } = known
    const needs = [writes('intention', destination)]
    const target = `/v1/connect/intentions/${id}`
    const explained = (): boolean => known.isToEnd
    if (draws.below(3) > 0)
      return put(target, needs, { body: intentionBody(source, destination, mark, draws), mark, explained })
    known.isToEnd = true
    return send('DELETE', target, needs, { explained })
  },
  event: ({ name }) => put(`/v1/event/fire/${name}`, [writes('event', name)]),
  events: () => ({ ...get('/v1/event/list', []), shown: eventsIn }),
  query: ({ name, other }) => ({
    ...send('POST', '/v1/query', [writes('query', name)], {
      body: { Name: name, Service: { Service: other } },
      explained: () => true,
    }),
  }),
  queries: ({ name }, draws) => {
    const target = draws.below(4)
    if (target < 2) return { ...get('/v1/query', []), shown: queriesIn, lists: listing('queries') }
    const found = { ...get(`/v1/query/${name}/execute${target === 2 ? '' : '?cached'}`, []), shown: executedIn }
    return target === 2 ? { ...found, lists: listing('found by a query', name) } : found
  },
  explain: ({ name }, draws) => {
    const resource = explainedResources[draws.below(explainedResources.length)] ?? 'key'
    const right = draws.below(2) === 0 ? 'read' : 'write'
    const asked: Need = { resource, name, right }
    const isAllowed = (body: string): boolean => (JSON.parse(body) as { readonly Allowed: boolean }).Allowed
    return {
      ...get(`/v1/acl/explain?resource=${resource}&right=${right}&name=${name}`, []),
      shown: (body) => (isAllowed(body) ? [asked] : []),
      denied: (body) => (isAllowed(body) ? [] : [asked]),
    }
  },
  register: registering,
  deregister: deregistering,
}

export function visitRequest(operation: VisitOperation, drawn: VisitDrawn, draws: Draws): VisitRequest {
  return makers[operation](drawn, draws)
}

/** A request for one key. `value`: the value to write. */
export function keyRequest(draws: Draws, key: string, value: string): VisitRequest {
  const isRead = draws.below(2) === 0
  const need = isRead ? reads('key', key) : writes('key', key)
  const target = `/v1/kv/${key}`
  const what = `${need.right} ${key}`
  return isRead
    ? { what, method: 'GET', target, needs: [need] }
    : { what, method: 'PUT', target, needs: [need], body: value }
}

/** Some operations; the last one may write. */
function transaction({ name, other, mark }: VisitDrawn, draws: Draws): VisitRequest {
  const read = ['get', 'get-tree', 'check-not-exists', 'check-index'][draws.below(4)] as string
  const isWritten = draws.below(2) === 0
  const operations = [
    { Verb: read, Key: other, Index: 1 },
    ...(isWritten ? [{ Verb: 'set', Key: name, Value: base64(utf8(mark)) }] : []),
  ]
  // Only a caller that may write the key learns that it does not exist.
  const ofRead =
    read === 'check-index' ? [reads('key', other)] : read === 'check-not-exists' ? [writes('key', other)] : []
  const ofEach = [ofRead, ...(isWritten ? [[writes('key', name)]] : [])]
  return {
    what: `${operations.map(({ Verb, Key }) => `${Verb} ${Key}`).join(', ')} in a transaction`,
    method: 'PUT',
    target: '/v1/txn',
    body: JSON.stringify(operations.map((KV) => ({ KV }))),
    needs: ofEach.flat(),
    ...(isWritten ? { mark } : {}),
    shown: transactionIn,
    refused: (body) => refusedIn(body, ofEach),
  }
}

function idIn(body: string): string {
  return (JSON.parse(body) as { readonly ID: string }).ID
}

function intentionBody(source: string, destination: string, mark: string, draws: Draws): object {
  const action = draws.below(2) === 0 ? 'allow' : 'deny'
  return { SourceName: source, DestinationName: destination, Action: action, Description: mark }
}
