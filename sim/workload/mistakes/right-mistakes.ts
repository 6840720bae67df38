import { accepted, get, post, put, refused, remove, type Settled } from './settled.ts'

/**
 * Requests of a caller without any right. Visitors have rights that are drawn, and make a few kinds of requests; here each
 * route is asked once, and what is wrong in form is told before a missing right.
 */

const noPermission = /Permission denied/
const intentions = '/v1/connect/intentions'

/** A UUID that nothing has. */
const unknown = '0b0b0b0b-0b0b-0b0b-0b0b-0b0b0b0b0b0b'

export const rightMistakes: readonly Settled[] = [
  ...denied([
    ['a key to write', ({ mark }) => put(`/v1/kv/${mark}`, 'v')],
    ['a key to read', ({ mark }) => get(`/v1/kv/${mark}`)],
    ['a key to delete', ({ mark }) => remove(`/v1/kv/${mark}`)],
    ['a tree to delete', ({ mark }) => remove(`/v1/kv/${mark}?recurse`)],
    ['a key to lock', ({ mark, other }) => put(`/v1/kv/${mark}?acquire=${other}`, 'v')],
    ['a session to begin', ({ mark }) => put('/v1/session/create', { Name: mark })],
    ['a node to register', ({ mark }) => put('/v1/catalog/register', { Node: mark, Address: '10.9.8.6' })],
    ['a node to deregister', ({ mark }) => put('/v1/catalog/deregister', { Node: mark })],
    ['a service to register at an agent', ({ mark }) => put('/v1/agent/service/register', { Name: mark })],
    ['a check to register at an agent', ({ mark }) => put('/v1/agent/check/register', { Name: mark, TTL: '10s' })],
    ['an event to fire', ({ mark }) => put(`/v1/event/fire/${mark}`)],
    ['a query to define', ({ mark }) => post('/v1/query', { Name: mark, Service: { Service: mark } })],
    ['an intention', ({ mark }) => post(intentions, intention(mark, `to-${mark}`))],
    ['matching intentions', () => get(`${intentions}/match?by=destination&name=web`)],
    ['a decision about a service', () => get(`${intentions}/check?source=web&destination=db`)],
    ['a decision of a proxy', () => post('/v1/agent/connect/authorize', { Target: 'db', ClientCertURI: client })],
    ['the configuration of the authority', () => get('/v1/connect/ca/configuration')],
    ['another authority', () => put('/v1/connect/ca/configuration', { Provider: 'svc', Config: {} })],
    ['the forecast of the authority', () => get('/v1/connect/ca/forecast')],
    ['a leaf', () => get('/v1/agent/connect/ca/leaf/db')],
  ]),
  ...denied([
    ['policies', () => get('/v1/acl/policies')],
    ['a policy', () => get(`/v1/acl/policy/${unknown}`)],
    ['a policy to create', ({ mark }) => put('/v1/acl/policy', { Name: mark })],
    ['a policy to delete', () => remove(`/v1/acl/policy/${unknown}`)],
    ['tokens', () => get('/v1/acl/tokens')],
    ['a token', () => get(`/v1/acl/token/${unknown}`)],
    ['a token to create', ({ mark }) => put('/v1/acl/token', { Description: mark })],
    ['a token to delete', () => remove(`/v1/acl/token/${unknown}`)],
    ['the servers', () => get('/v1/operator/raft/configuration')],
    ['a server to remove', () => remove(`/v1/operator/raft/peer?id=${unknown}`)],
    ['the configuration of autopilot', () => get('/v1/operator/autopilot/configuration')],
    ['another configuration of autopilot', () => put('/v1/operator/autopilot/configuration', {})],
    ['the health of the servers', () => get('/v1/operator/autopilot/health')],
    ['a snapshot', () => get('/v1/snapshot')],
    ['an agent', () => get('/v1/agent/self')],
    ['the metrics of an agent', () => get('/v1/agent/metrics')],
    ['an agent to leave', () => put('/v1/agent/leave')],
    ['an agent to reload', () => put('/v1/agent/reload')],
    ['a member to remove', ({ mark }) => put(`/v1/agent/force-leave/${mark}`)],
    ['an agent to join another', () => put('/v1/agent/join/10.0.0.1')],
    ['maintenance', () => put('/v1/agent/maintenance?enable=true')],
  ]),
  refused('the keyring', () => get('/v1/operator/keyring'), 500, /Reading keyring denied/),
  refused('a key of the keyring', () => put('/v1/operator/keyring', { Key: key }), 500, /Modifying keyring denied/),
  refused(
    'a transaction',
    ({ mark }) => put('/v1/txn', [{ KV: { Verb: 'set', Key: mark, Value: '' } }]),
    409,
    noPermission,
  ),
  refused(
    'an intention without a destination',
    ({ mark }) => post(intentions, intention(mark, '')),
    400,
    /must be set/,
  ),
  refused('an intention that never existed', ({ mark }) => remove(`${intentions}/${mark}`), 400, /non-existent/),
  refused('a query that never existed', ({ mark }) => remove(`/v1/query/${mark}`), 400, /non-existent/),
  refused('a session that never existed', ({ mark }) => put(`/v1/session/destroy/${mark}`), 500, /Unknown session/),
  ...empty(['catalog/nodes', 'agent/members', 'health/state/any', 'session/list', 'query', 'connect/intentions']),
  ...empty(['internal/ui/nodes', 'internal/ui/services', 'event/list']),
  accepted('no services of the catalog', () => get('/v1/catalog/services'), /^\{\}/, { leaves: 'nothing' }),
  accepted('no services of an agent', () => get('/v1/agent/services'), /^\{\}/, { leaves: 'nothing' }),
  accepted('no checks of an agent', () => get('/v1/agent/checks'), /^\{\}/, { leaves: 'nothing' }),
]

const client = 'spiffe://11111111-2222-3333-4444-555555555555.svc/ns/default/dc/dc1/svc/web'
const key = 'MDAwMDAwMDAwMDAwMDAwMA=='

function intention(source: string, destination: string) {
  return { SourceName: source, DestinationName: destination, Action: 'allow' }
}

function denied(requests: readonly (readonly [about: string, request: Settled['request']])[]): readonly Settled[] {
  return requests.map(([about, request]) => refused(`${about}, without a right`, request, 403, noPermission))
}

/** Lists from which everything is left out that the caller may not see. */
function empty(lists: readonly string[]): readonly Settled[] {
  return lists.map((list) =>
    accepted(`nothing of ${list}, without a right`, () => get(`/v1/${list}`), /^\[\]/, { leaves: 'nothing' }),
  )
}
