import { base64, utf8 } from '../../src/base/bytes.ts'
import type { Need } from '../checkers/access/access-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'
import {
  eventsIn,
  executedIn,
  heldServicesIn,
  instancesIn,
  intentionsIn,
  keyNamesIn,
  keysIn,
  membersIn,
  nodeWithServicesIn,
  queriesIn,
  reads,
  refusedIn,
  serviceNamesIn,
  sessionsIn,
  transactionIn,
  waysIn,
} from './visit-answers.ts'
import { sessionTtl } from './visit-memory.ts'
import { deregistering, registering } from './visit-registrations.ts'
import type { VisitDrawn, VisitRequest } from './visit-request.ts'

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

const waitMs = 1_500
/** The trust domain of the service does not affect the caller's right to ask. */
const anyMesh = 'spiffe://11111111-2222-3333-4444-555555555555.svc'

const explainedResources = ['key', 'service', 'node', 'session', 'event', 'query', 'intention'] as const

type Maker = (drawn: VisitDrawn, draws: Draws) => VisitRequest

const makers: Readonly<Record<VisitOperation, Maker>> = {
  read: ({ name }) => get(`/v1/kv/${name}`, [reads('key', name)]),
  write: ({ name, mark }) => put(`/v1/kv/${name}`, [writes('key', name)], { body: mark, mark }),
  list: ({ name }) => ({ ...get(`/v1/kv/${name}?recurse`, []), shown: keysIn }),
  names: ({ name }, draws) => {
    const separator = draws.below(2) === 0 ? '' : `&separator=${draws.below(2) === 0 ? '-' : '/'}`
    return { ...get(`/v1/kv/${name}?keys${separator}`, []), shown: keyNamesIn }
  },
  wait: ({ name, memory }) => {
    const index = memory.indexes.get(name) ?? 0
    const indexed = (told: number): void => void memory.indexes.set(name, told)
    return { ...get(`/v1/kv/${name}?recurse&index=${index}&wait=${waitMs}ms`, []), shown: keysIn, indexed }
  },
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
  sessions: ({ memory, node }, draws) => {
    const target = ['list', `node/${node}`, `info/${memory.session(draws).id}`][draws.below(3)]
    return { ...get(`/v1/session/${target}`, []), shown: sessionsIn }
  },
  health: ({ name, node }, draws) => {
    const target = draws.below(6)
    if (target === 5) return { ...get(`/v1/health/connect/${name}`, []), shown: waysIn(name) }
    const plain = [`service/${name}`, `service/${name}?cached`, `checks/${name}`, `node/${node}`, 'state/any'][target]
    return { ...get(`/v1/health/${plain}`, []), shown: instancesIn }
  },
  catalog: ({ name, node }, draws) => {
    const target = draws.below(5)
    if (target === 4) return { ...get(`/v1/catalog/connect/${name}`, []), shown: waysIn(name) }
    if (target === 0) return { ...get('/v1/catalog/services', []), shown: serviceNamesIn }
    if (target === 1) return { ...get(`/v1/catalog/node/${node}`, []), shown: nodeWithServicesIn }
    const rest = target === 2 ? 'nodes' : `service/${name}`
    return { ...get(`/v1/catalog/${rest}`, []), shown: instancesIn }
  },
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
    return { ...get('/v1/connect/intentions', []), shown: intentionsIn }
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
    if (target < 2) return { ...get('/v1/query', []), shown: queriesIn }
    return { ...get(`/v1/query/${name}/execute${target === 2 ? '' : '?cached'}`, []), shown: executedIn }
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

function writes(resource: string, name: string): Need {
  return { resource, name, right: 'write' }
}

function get(target: string, needs: readonly Need[]): VisitRequest {
  return { what: `GET ${target}`, method: 'GET', target, needs }
}

interface Sent {
  readonly body?: string | object
  readonly mark?: string
  readonly done?: (body: string) => void
  readonly explained?: () => boolean
}

function send(method: string, target: string, needs: readonly Need[], { body, ...more }: Sent = {}): VisitRequest {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return { what: `${method} ${target}`, method, target, needs, ...sent, ...more }
}

function put(target: string, needs: readonly Need[], sent: Sent = {}): VisitRequest {
  return send('PUT', target, needs, sent)
}
