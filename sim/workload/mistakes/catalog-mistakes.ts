import { accepted, get, put, refused, type Settled } from './settled.ts'

/** Requests about nodes, services and checks, at the catalog and at agents. */

const taken = /^true/
const address = '10.9.8.7'

export const catalogMistakes: readonly Settled[] = [
  refused('no node', register({ Node: '' }), 400, /Must provide node/),
  refused('no address', register({ Address: '' }), 400, /Must provide address/),
  refused('an ID of 36 characters that is no UUID', register({ ID: 'x'.repeat(36) }), 400, /improperly formatted/),
  refused('an ID that is too short', register({ ID: 'abc' }), 400, /wrong length/),
  accepted('a UUID', ({ mark, other }) => register({ ID: other })({ mark, other, made: '' }), taken),
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
  refused('a filter that ends too early', () => get('/v1/health/service/a?filter=Node%20=='), 400, /./),
]

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
