import { accepted, get, type Making, put, refused, type Settled } from './settled.ts'

/** Requests about nodes, services and checks, at the catalog and at agents. */

const taken = /^true/
const address = '10.9.8.7'

/** What the catalog shows after these registrations of one node, in an answer to this question. */
function shown(
  about: string,
  members: readonly ((id: string) => object)[],
  question: (id: string) => string,
  says: RegExp,
): Settled {
  const first = members.map(
    (each): Making =>
      ({ other, mark }) => {
        const node = { Node: `n-${other}`, Address: address, NodeMeta: { of: mark } }
        return put('/v1/catalog/register', { ...node, ...each(other) })
      },
  )
  return accepted(about, ({ other }) => get(question(other)), says, { first, leaves: 'nothing' })
}

const checks = (id: string) => `/v1/health/node/n-${id}`
const services = (id: string) => `/v1/catalog/node/n-${id}`
const failing = (id: string) => ({
  Service: { Service: `s-${id}` },
  Check: { CheckID: 'a', ServiceID: `s-${id}`, Status: 'critical' },
})
const failingAt = (passing: string) => (id: string) => `/v1/health/service/s-${id}?passing=${passing}`

/** Unchanged since it was created, and changed since then. */
const unchanged = /"CreateIndex":(\d+),"ModifyIndex":\1\D/
const changed = /"CreateIndex":(\d+),"ModifyIndex":(?!\1\D)\d/
const is = (text: string) => () => ({ NodeMeta: { is: text } })
const passing = (id: string) => ({ ...failing(id), Check: { ...failing(id).Check, Status: 'passing' } })
const instances = (id: string) => `/v1/catalog/service/s-${id}`
const tagged = (id: string) => ({ Service: { Service: `s-${id}`, Tags: ['one'] } })

const registered: readonly Settled[] = [
  shown('a node that is registered again as it was', [is('first'), is('first')], services, unchanged),
  shown('a node whose metadata has changed', [is('first'), is('second')], services, changed),
  shown('a check that is registered again as it was', [failing, failing], checks, unchanged),
  shown('a check whose status has changed', [failing, passing], checks, changed),
  shown('an instance that is registered again as it was', [failing, passing], instances, unchanged),
  shown('an instance whose tags have changed', [failing, tagged], instances, changed),
  shown(
    'of two checks with one ID the last',
    [
      () => ({
        Checks: [
          { CheckID: 'a', Output: 'one' },
          { CheckID: 'a', Output: 'two' },
        ],
      }),
    ],
    checks,
    /^\[\{[^[{]*"Output":"two"/,
  ),
  shown(
    'weights of an instance',
    [() => ({ Service: { Service: 'w', Weights: { Passing: 65_535, Warning: 0 } } })],
    services,
    /"Weights":\{"Passing":65535,"Warning":0\}/,
  ),
  shown(
    'a weight that no answer over DNS could hold',
    [() => ({ Service: { Service: 'w', Weights: { Passing: 65_536, Warning: 2 } } })],
    services,
    /"Weights":\{"Passing":1,"Warning":1\}/,
  ),
  shown(
    'a definition without headers',
    [() => ({ Check: { CheckID: 'a', Definition: { HTTP: 'http://a', Interval: '5s' } } })],
    checks,
    /"Definition":\{"HTTP":"http:\/\/a","Interval":"5s"\}/,
  ),
  shown(
    'a definition with headers',
    [() => ({ Check: { CheckID: 'a', Definition: { HTTP: 'http://a', Header: { x: ['1', '2'] } } } })],
    checks,
    /"Header":\{"x":\["1","2"\]\}/,
  ),
  shown(
    'an upstream that is a prepared query',
    [
      () => ({
        Service: {
          Service: 'p',
          Kind: 'connect-proxy',
          Port: 1,
          Proxy: {
            DestinationServiceName: 'a',
            Upstreams: [{ DestinationType: 'prepared_query', DestinationName: 'q', LocalBindPort: 2 }],
          },
        },
      }),
    ],
    services,
    /"DestinationType":"prepared_query"/,
  ),
  shown(
    'a node that is written only if it is new',
    [
      () => ({ SkipNodeUpdate: true, NodeMeta: { is: 'first' } }),
      () => ({ SkipNodeUpdate: true, NodeMeta: { is: 'second' } }),
    ],
    services,
    /"Meta":\{"is":"first"\}/,
  ),
  shown(
    'a node by the beginning of its ID',
    [(id) => ({ ID: id })],
    (id) => `/v1/catalog/node/${id.slice(0, 8)}`,
    /"Node":"n-[0-9a-f-]{36}"/,
  ),
  shown(
    'a node that goes by another name now',
    [(id) => ({ ID: id }), (id) => ({ ID: id, Node: `m-${id}` })],
    services,
    /^null/,
  ),
  shown('an instance that fails, if not only what passes', [failing], failingAt('false'), /^\[\{/),
  shown('an instance that fails, if only what passes', [failing], failingAt('1'), /^\[\]/),
  shown(
    'the tags of two instances that a filter finds',
    [
      (id) => ({ Service: { ID: 'a', Service: `s-${id}`, Tags: ['one'] } }),
      (id) => ({ Service: { ID: 'b', Service: `s-${id}`, Tags: ['two'] } }),
    ],
    (id) => `/v1/catalog/services?filter=${encodeURIComponent(`ServiceName == "s-${id}"`)}`,
    /:\["one","two"\]\}/,
  ),
]

export const catalogMistakes: readonly Settled[] = [
  refused('no node', register({ Node: '' }), 400, /Must provide node/),
  refused('no address', register({ Address: '' }), 400, /Must provide address/),
  refused('an ID of 36 characters that is no UUID', register({ ID: 'x'.repeat(36) }), 400, /improperly formatted/),
  refused('an ID that is too short', register({ ID: 'abc' }), 400, /wrong length/),
  accepted('a UUID', (parts) => register({ ID: parts.other })(parts), taken),
  refused('a service without a name', register({ Service: { ID: 'a' } }), 400, /Must provide service name/),
  refused(
    'a service at every address',
    register({ Service: { Service: 'a', Address: '0.0.0.0' } }),
    400,
    /Invalid service address/,
  ),
  refused(
    'a proxy without a destination',
    register({ Service: { Service: 'a', Kind: 'connect-proxy', Port: 1 } }),
    400,
    /./,
  ),
  refused('a proxy whose settings are a text', register(proxyWith({ Config: 'x' })), 400, /expected a map/),
  refused(
    'an upstream whose settings are a list',
    register(proxyWith({ Upstreams: [{ DestinationName: 'q', LocalBindPort: 2, Config: [] }] })),
    400,
    /expected a map/,
  ),
  refused(
    'a check without ID and name',
    register({ Check: { Status: 'passing' } }),
    400,
    /Must provide check ID or name/,
  ),
  accepted('a check with an ID and no name', register({ Check: { CheckID: 'a' } }), taken),
  accepted('a check with a name and no ID', register({ Check: { Name: 'a' } }), taken),
  refused(
    'a check of a service that is not there',
    register({ Check: { Name: 'a', ServiceID: 'nobody' } }),
    400,
    /Missing service registration/,
    {
      leaves: 'refusal',
    },
  ),
  refused(
    'the ID of a node that is alive, for a new node',
    (parts) => register({ ID: parts.other, SkipNodeUpdate: true })(parts),
    400,
    /whose agent is alive/,
    {
      first: (parts) => register({ ID: parts.other, Check: { CheckID: 'serfHealth', Status: 'passing' } })(parts),
      leaves: 'refusal',
    },
  ),
  refused('an unknown datacenter', register({ Datacenter: 'nowhere' }), 500, /No path to datacenter/),
  refused('no node to deregister', () => put('/v1/catalog/deregister', {}), 400, /Must provide node/),
  refused('an unknown state', () => get('/v1/health/state/'), 400, /Missing check state/),
  refused(
    'neither true nor false',
    () => get('/v1/health/service/a?passing=maybe'),
    400,
    /Invalid value for \?passing/,
  ),
  accepted('not only what passes', () => get('/v1/health/service/nobody?passing=false'), /^\[\]/, {
    leaves: 'nothing',
  }),
  accepted('only what passes', () => get('/v1/health/service/nobody?passing=1'), /^\[\]/, { leaves: 'nothing' }),
  ...registered,
  refused('a filter that ends too early', () => get('/v1/health/service/a?filter=Node%20=='), 400, /./),
]

function proxyWith(members: object): object {
  return {
    Service: { Service: 'p', Kind: 'connect-proxy', Port: 1, Proxy: { DestinationServiceName: 'a', ...members } },
  }
}

/** A node whose name has the mark, with these members instead of its own. */
function register(members: object): Settled['request'] {
  return ({ mark }) => {
    const node = { Node: `n-${mark}`, Address: address, NodeMeta: { of: mark } }
    return put('/v1/catalog/register', { ...node, ...members })
  }
}

export const agentMistakes: readonly Settled[] = [
  refused(
    'a service without a name',
    ({ mark }) => put('/v1/agent/service/register', { ID: mark }),
    400,
    /Missing service name/,
  ),
  refused(
    'a proxy that the agent would have to start',
    ({ mark }) => put('/v1/agent/service/register', { Name: mark, Port: 80, Connect: { Proxy: {} } }),
    400,
    /Managed proxy registration via the API is disallowed/,
  ),
  refused(
    'a check that neither runs nor has a time to live',
    ({ mark }) => put('/v1/agent/check/register', { Name: mark }),
    400,
    /./,
  ),
  refused(
    'a check of a service that is not there',
    ({ mark }) => put('/v1/agent/check/register', { Name: mark, TTL: '10s', ServiceID: 'nobody' }),
    400,
    /does not exist/,
  ),
  refused('no service to deregister', () => put('/v1/agent/service/deregister/'), 400, /ServiceID missing/),
  refused(
    'a service that is not there',
    ({ mark }) => put(`/v1/agent/service/deregister/${mark}`),
    500,
    /Unknown service/,
  ),
  refused('no check to deregister', () => put('/v1/agent/check/deregister/'), 400, /CheckID missing/),
  refused('a report for a check that is not there', ({ mark }) => put(`/v1/agent/check/pass/${mark}`), 500, /./),
  refused(
    'an unknown status',
    ({ mark }) => put(`/v1/agent/check/update/${mark}`, { Status: 'fine' }),
    400,
    /Invalid check status/,
  ),
  refused('maintenance neither on nor off', () => put('/v1/agent/maintenance'), 400, /Missing value for enable/),
  refused(
    'maintenance of no service',
    () => put('/v1/agent/service/maintenance/?enable=true'),
    400,
    /Missing service ID/,
  ),
  refused('an event without a name', () => put('/v1/event/fire/'), 400, /Missing name/),
  refused('an event for a malformed filter', ({ mark }) => put(`/v1/event/fire/e?node=(${mark}`), 400, /./),
  refused(
    'a coordinate of no node',
    () => put('/v1/coordinate/update', { Coord: null }),
    400,
    /Must provide Node and Coord/,
  ),
]
