import { gossipKey } from './access-world.ts'
import type { Grant } from './rights-of.ts'

/**
 * What a caller without any rights is told, and one with exactly the required rights. Reference:
 * access-control.md#effect-on-endpoints-without-rights.
 */
export interface Effect {
  readonly request: string
  readonly body?: object | string
  /** 403 `Permission denied` where nothing is said. */
  readonly denied?: Denied
  readonly grants: readonly Grant[]
  /** That of them without which the thing is hidden: then the answer is that of one that is not there, with 400. */
  readonly shows?: Grant
  /** 200 where nothing is said. */
  readonly allowed?: number
}

interface Denied {
  readonly status: number
  readonly body: string | RegExp
}

const nothing = (body: string): Denied => ({ status: 200, body })
const reads: readonly Grant[] = ['node:node-a:read', 'service:web:read']
const ofTheCheck: readonly Grant[] = ['service:web:write']
const keys = { Key: gossipKey }
const denied = (what: string): Denied => ({ status: 500, body: what })
const notChanging = denied('Modifying keyring denied due to ACLs')
const notInTransaction = {
  status: 409,
  body: '{"Results":null,"Errors":[{"OpIndex":0,"What":"Permission denied"}]}',
}

const absent = (status: number, body: string | RegExp): Denied => ({ status, body })
const noQuery = absent(404, 'Query not found')
const noQueryToChange = absent(400, /^Cannot modify non-existent prepared query: '[-0-9a-f]{36}'$/)
const noIntention = absent(400, /^Cannot modify non-existent intention: '[-0-9a-f]{36}'$/)
const noService = absent(500, 'Unknown service "web"')
const noCheck = absent(500, 'Unknown check "web"')

const webTo = (DestinationName: string) => ({ SourceName: 'web', DestinationName, Action: 'deny' })

/** Of each operation that asks something; of some several. By the operation as the document of the API names it. */
export const effects: Readonly<Record<string, readonly Effect[]>> = {
  'PUT /v1/catalog/register': [
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', Address: '10.0.0.1', Service: { Service: 'web', Port: 81 } },
      grants: ['service:web:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: {
        Node: 'node-a',
        SkipNodeUpdate: true,
        Service: { Service: 'api', Kind: 'connect-proxy', Port: 9, Proxy: { DestinationServiceName: 'db' } },
      },
      grants: ['service:api:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: {
        Node: 'node-a',
        SkipNodeUpdate: true,
        Service: { Service: 'api', Kind: 'connect-proxy', Port: 9, Proxy: { DestinationServiceName: 'DB' } },
      },
      grants: ['service:api:write', 'service:DB:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', SkipNodeUpdate: true, Service: { Service: 'DB', Connect: { Native: true } } },
      grants: ['service:DB:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', SkipNodeUpdate: true },
      grants: ['node:node-a:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', Address: '10.0.0.9' },
      grants: ['node:node-a:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'NODE-A', Address: '10.0.0.9' },
      grants: ['node:NODE-A:write', 'node:node-a:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', SkipNodeUpdate: true, Service: { ID: 'web', Service: 'api' } },
      grants: ['service:api:write', 'service:web:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', SkipNodeUpdate: true, Check: { CheckID: 'mine', Name: 'mine' } },
      grants: ['node:node-a:write'],
    },
    {
      request: 'PUT /v1/catalog/register',
      body: { Node: 'node-a', SkipNodeUpdate: true, Check: { CheckID: 'disk', Name: 'disk', ServiceID: 'web' } },
      grants: ['node:node-a:write', 'service:web:write'],
    },
  ],
  'PUT /v1/catalog/deregister': [
    { request: 'PUT /v1/catalog/deregister', body: { Node: 'node-a' }, grants: ['node:node-a:write'] },
    {
      request: 'PUT /v1/catalog/deregister',
      body: { Node: 'node-a', ServiceID: 'web' },
      grants: ['service:web:write'],
    },
    { request: 'PUT /v1/catalog/deregister', body: { Node: 'node-a', CheckID: 'web' }, grants: ['service:web:write'] },
    { request: 'PUT /v1/catalog/deregister', body: { Node: 'node-a', CheckID: 'disk' }, grants: ['node:node-a:write'] },
    { request: 'PUT /v1/catalog/deregister', body: { Node: 'node-a', ServiceID: 'x' }, grants: ['node:node-a:write'] },
  ],
  'GET /v1/catalog/nodes': [{ request: 'GET /v1/catalog/nodes', denied: nothing('[]'), grants: ['node:node-a:read'] }],
  'GET /v1/catalog/services': [
    { request: 'GET /v1/catalog/services', denied: nothing('{}'), grants: ['service:web:read'] },
    { request: 'GET /v1/catalog/services?filter=Node!=x', denied: nothing('{}'), grants: reads },
  ],
  'GET /v1/catalog/service/{service}': [
    { request: 'GET /v1/catalog/service/web', denied: nothing('[]'), grants: reads },
    { request: 'GET /v1/catalog/service/web?cached', denied: nothing('[]'), grants: reads },
  ],
  'GET /v1/catalog/connect/{service}': [{ request: 'GET /v1/catalog/connect/web', denied: nothing('[]'), grants: [] }],
  'GET /v1/catalog/node/{node}': [
    { request: 'GET /v1/catalog/node/node-a', denied: nothing('null'), grants: ['node:node-a:read'] },
  ],
  'GET /v1/health/node/{node}': [
    { request: 'GET /v1/health/node/node-a', denied: nothing('[]'), grants: ['node:node-a:read'] },
  ],
  'GET /v1/health/checks/{service}': [{ request: 'GET /v1/health/checks/web', denied: nothing('[]'), grants: reads }],
  'GET /v1/health/service/{service}': [{ request: 'GET /v1/health/service/web', denied: nothing('[]'), grants: reads }],
  'GET /v1/health/connect/{service}': [{ request: 'GET /v1/health/connect/web', denied: nothing('[]'), grants: [] }],
  'GET /v1/health/state/{state}': [
    { request: 'GET /v1/health/state/any', denied: nothing('[]'), grants: ['node:node-a:read'] },
  ],
  'GET /v1/internal/ui/nodes': [
    { request: 'GET /v1/internal/ui/nodes', denied: nothing('[]'), grants: ['node:node-a:read'] },
  ],
  'GET /v1/internal/ui/node/{node}': [
    { request: 'GET /v1/internal/ui/node/node-a', denied: { status: 404, body: '' }, grants: ['node:node-a:read'] },
  ],
  'GET /v1/internal/ui/services': [{ request: 'GET /v1/internal/ui/services', denied: nothing('[]'), grants: reads }],
  'GET /v1/kv/{key}': [
    { request: 'GET /v1/kv/a/1', grants: ['key:a/1:read'] },
    { request: 'GET /v1/kv/a/2', grants: ['key:a/2:read'], allowed: 404 },
    { request: 'GET /v1/kv/a/?recurse', grants: ['key:a/:list', 'key:a/1:read'] },
    { request: 'GET /v1/kv/a/?keys', grants: ['key:a/:list', 'key:a/1:read'] },
    // The text of what is whole of a prefix that ends within a letter.
    { request: 'GET /v1/kv/?keys', grants: ['key::list', 'key:a/1:read'] },
  ],
  'PUT /v1/kv/{key}': [
    { request: 'PUT /v1/kv/a/1', body: 'x', grants: ['key:a/1:write'] },
    { request: 'PUT /v1/kv/a/1?cas=1', body: 'x', grants: ['key:a/1:write'] },
    { request: 'PUT /v1/kv/a/1?acquire=SESSION', body: 'x', grants: ['key:a/1:write'] },
    { request: 'PUT /v1/kv/a/1?release=SESSION', body: 'x', grants: ['key:a/1:write'] },
  ],
  'DELETE /v1/kv/{key}': [
    { request: 'DELETE /v1/kv/a/1', grants: ['key:a/1:write'] },
    { request: 'DELETE /v1/kv/a/1?cas=1', grants: ['key:a/1:write'] },
    { request: 'DELETE /v1/kv/a?recurse', grants: ['key:a:write'] },
  ],
  'PUT /v1/txn': [
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'set', Key: 'k', Value: '' } }],
      denied: notInTransaction,
      grants: ['key:k:write'],
    },
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'check-not-exists', Key: 'k' } }],
      denied: { status: 409, body: /^{"Results":null,"Errors":\[{"OpIndex":0,"What":"Permission denied"}\],/ },
      grants: ['key:k:write'],
    },
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'delete-tree', Key: 'a' } }],
      denied: notInTransaction,
      grants: ['key:a:write'],
    },
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'get', Key: 'a/1' } }],
      denied: { status: 200, body: /^{"Results":\[\],"Errors":null,/ },
      grants: ['key:a/1:read'],
    },
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'get-tree', Key: 'a/' } }],
      denied: { status: 200, body: /^{"Results":\[\],"Errors":null,/ },
      grants: ['key:a/1:read'],
    },
    {
      request: 'PUT /v1/txn',
      body: [{ KV: { Verb: 'check-index', Key: 'a/1', Index: 1 } }],
      denied: { status: 409, body: /"What":"Permission denied"/ },
      grants: ['key:a/1:read'],
      allowed: 409,
    },
  ],
  'PUT /v1/session/create': [
    { request: 'PUT /v1/session/create', body: { Checks: [] }, grants: ['session:node-a:write'] },
  ],
  'PUT /v1/session/destroy/{session}': [
    {
      request: 'PUT /v1/session/destroy/SESSION',
      denied: absent(500, /^Unknown session "[-0-9a-f]{36}"$/),
      grants: ['session:node-a:write'],
    },
  ],
  'PUT /v1/session/renew/{session}': [
    {
      request: 'PUT /v1/session/renew/SESSION',
      denied: absent(404, /^Session id '[-0-9a-f]{36}' not found$/),
      grants: ['session:node-a:write'],
    },
  ],
  'GET /v1/session/info/{session}': [
    { request: 'GET /v1/session/info/SESSION', denied: nothing('[]'), grants: ['session:node-a:read'] },
  ],
  'GET /v1/session/node/{node}': [
    { request: 'GET /v1/session/node/node-a', denied: nothing('[]'), grants: ['session:node-a:read'] },
  ],
  'GET /v1/session/list': [{ request: 'GET /v1/session/list', denied: nothing('[]'), grants: ['session:node-a:read'] }],
  'PUT /v1/event/fire/{name}': [{ request: 'PUT /v1/event/fire/deploy', grants: ['event:deploy:write'] }],
  'GET /v1/event/list': [{ request: 'GET /v1/event/list', denied: nothing('[]'), grants: ['event:deploy:read'] }],
  'GET /v1/coordinate/nodes': [
    { request: 'GET /v1/coordinate/nodes', denied: nothing('[]'), grants: ['node:node-a:read'] },
  ],
  'GET /v1/coordinate/node/{node}': [{ request: 'GET /v1/coordinate/node/node-a', grants: ['node:node-a:read'] }],
  'PUT /v1/coordinate/update': [
    {
      request: 'PUT /v1/coordinate/update',
      body: { Node: 'node-a', Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0.01 } },
      grants: ['node:node-a:write'],
    },
  ],
  'GET /v1/query': [{ request: 'GET /v1/query', denied: nothing('[]'), grants: ['query:q:read'] }],
  'POST /v1/query': [
    { request: 'POST /v1/query', body: { Name: 'p', Service: { Service: 'web' } }, grants: ['query:p:write'] },
    {
      request: 'POST /v1/query',
      body: { Template: { Type: 'name_prefix_match' }, Service: { Service: 'web' } },
      grants: ['query::write'],
    },
  ],
  'GET /v1/query/{query}': [{ request: 'GET /v1/query/QUERY', denied: noQuery, grants: ['query:q:read'] }],
  'PUT /v1/query/{query}': [
    {
      request: 'PUT /v1/query/QUERY',
      body: { Name: 'p', Service: { Service: 'web' } },
      grants: ['query:p:write', 'query:q:write'],
      shows: 'query:q:write',
    },
    {
      request: 'PUT /v1/query/QUERY',
      body: { Session: 'SESSION', Service: { Service: 'web' } },
      denied: noQueryToChange,
      grants: ['query:q:write'],
    },
  ],
  'DELETE /v1/query/{query}': [
    { request: 'DELETE /v1/query/QUERY', denied: noQueryToChange, grants: ['query:q:write'] },
  ],
  'GET /v1/query/{query}/execute': [
    { request: 'GET /v1/query/UNNAMED/execute', denied: { status: 200, body: /"Nodes":\[\]/ }, grants: reads },
  ],
  'GET /v1/query/{query}/explain': [
    { request: 'GET /v1/query/q/explain', denied: noQuery, grants: ['query:q:read'] },
    { request: 'GET /v1/query/UNNAMED/explain', denied: noQuery, grants: ['acl::write'] },
  ],
  'GET /v1/connect/intentions': [
    { request: 'GET /v1/connect/intentions', denied: nothing('[]'), grants: ['intention:db:read'] },
  ],
  'POST /v1/connect/intentions': [
    { request: 'POST /v1/connect/intentions', body: webTo('cache'), grants: ['intention:cache:write'] },
    {
      request: 'POST /v1/connect/intentions',
      body: webTo('Cache'),
      grants: ['intention:Cache:write', 'intention:cache:write'],
    },
    { request: 'POST /v1/connect/intentions', body: webTo('*'), grants: ['intention:*:write'] },
  ],
  'GET /v1/connect/intentions/{intention}': [
    {
      request: 'GET /v1/connect/intentions/INTENTION',
      denied: absent(404, 'Intention not found'),
      grants: ['intention:db:read'],
    },
  ],
  'PUT /v1/connect/intentions/{intention}': [
    {
      request: 'PUT /v1/connect/intentions/INTENTION',
      body: webTo('cache'),
      grants: ['intention:db:write', 'intention:cache:write'],
      shows: 'intention:db:write',
    },
  ],
  'DELETE /v1/connect/intentions/{intention}': [
    { request: 'DELETE /v1/connect/intentions/INTENTION', denied: noIntention, grants: ['intention:db:write'] },
  ],
  'GET /v1/connect/intentions/match': [
    { request: 'GET /v1/connect/intentions/match?by=destination&name=db', grants: ['intention:db:read'] },
    {
      request: 'GET /v1/connect/intentions/match?by=source&name=web&name=default/api',
      grants: ['intention:web:read', 'intention:api:read'],
    },
  ],
  'GET /v1/connect/intentions/check': [
    { request: 'GET /v1/connect/intentions/check?source=web&destination=db', grants: ['service:db:read'] },
  ],
  'GET /v1/connect/ca/configuration': [
    { request: 'GET /v1/connect/ca/configuration', grants: ['operator::read'], allowed: 500 },
  ],
  'PUT /v1/connect/ca/configuration': [
    {
      request: 'PUT /v1/connect/ca/configuration',
      body: { Provider: 'svc', Config: {} },
      grants: ['operator::write'],
      allowed: 500,
    },
  ],
  'GET /v1/connect/ca/forecast': [{ request: 'GET /v1/connect/ca/forecast', grants: ['operator::read'], allowed: 500 }],
  'GET /v1/agent/connect/ca/leaf/{service}': [
    { request: 'GET /v1/agent/connect/ca/leaf/web', grants: ['service:web:write'] },
    { request: 'GET /v1/agent/connect/ca/leaf/not-registered', grants: ['service:not-registered:write'] },
  ],
  'POST /v1/agent/connect/authorize': [
    {
      request: 'POST /v1/agent/connect/authorize',
      body: { Target: 'db', ClientCertURI: 'spiffe://1.svc/ns/default/dc/dc1/svc/web' },
      grants: ['service:db:write', 'intention:db:read'],
    },
  ],
  'GET /v1/operator/raft/configuration': [
    { request: 'GET /v1/operator/raft/configuration', grants: ['operator::read'] },
  ],
  'DELETE /v1/operator/raft/peer': [{ request: 'DELETE /v1/operator/raft/peer?id=id-a', grants: ['operator::write'] }],
  'PUT /v1/operator/raft/transfer-leader': [
    { request: 'PUT /v1/operator/raft/transfer-leader', grants: ['operator::write'] },
  ],
  'POST /v1/operator/raft/transfer-leader': [
    { request: 'POST /v1/operator/raft/transfer-leader', grants: ['operator::write'] },
  ],
  'GET /v1/operator/autopilot/health': [
    { request: 'GET /v1/operator/autopilot/health', grants: ['operator::read'], allowed: 429 },
  ],
  'GET /v1/operator/autopilot/configuration': [
    { request: 'GET /v1/operator/autopilot/configuration', grants: ['operator::read'], allowed: 500 },
  ],
  'PUT /v1/operator/autopilot/configuration': [
    { request: 'PUT /v1/operator/autopilot/configuration', body: {}, grants: ['operator::write'] },
  ],
  'GET /v1/operator/keyring': [
    {
      request: 'GET /v1/operator/keyring',
      denied: denied('Reading keyring denied by ACLs'),
      grants: ['keyring::read'],
    },
  ],
  'POST /v1/operator/keyring': [
    { request: 'POST /v1/operator/keyring', body: keys, denied: notChanging, grants: ['keyring::write'] },
  ],
  'PUT /v1/operator/keyring': [
    { request: 'PUT /v1/operator/keyring', body: keys, denied: notChanging, grants: ['keyring::write'] },
  ],
  'DELETE /v1/operator/keyring': [
    { request: 'DELETE /v1/operator/keyring', body: keys, denied: notChanging, grants: ['keyring::write'] },
  ],
  'GET /v1/snapshot': [{ request: 'GET /v1/snapshot', grants: ['acl::write'] }],
  'PUT /v1/snapshot': [{ request: 'PUT /v1/snapshot', body: 'ARCHIVE', grants: ['acl::write'] }],
  'GET /v1/agent/self': [{ request: 'GET /v1/agent/self', grants: ['agent:node-a:read'] }],
  'GET /v1/agent/host': [{ request: 'GET /v1/agent/host', grants: ['operator::read'] }],
  ...Object.fromEntries(
    ['profile', 'heap', 'allocs', 'goroutine', 'trace', 'cmdline'].map((name): [string, readonly Effect[]] => {
      const request = `GET /debug/pprof/${name}?seconds=0`
      return [
        `GET /debug/pprof/${name}`,
        [
          {
            ...{ request, denied: { status: 403, body: '' }, grants: ['operator::read'] },
            // Only the main thread of a process can trace itself, and tests run in others.
            ...(name === 'trace' ? { allowed: 500 } : {}),
          },
        ],
      ]
    }),
  ),
  'GET /v1/agent/metrics': [{ request: 'GET /v1/agent/metrics', grants: ['agent:node-a:read'] }],
  'GET /v1/agent/monitor': [{ request: 'GET /v1/agent/monitor', grants: ['agent:node-a:read'] }],
  'GET /v1/agent/members': [
    { request: 'GET /v1/agent/members', denied: nothing('[]'), grants: ['node:node-a:read'] },
    { request: 'GET /v1/agent/members?wan=1', denied: nothing('[]'), grants: ['node:node-a:read'] },
  ],
  'PUT /v1/agent/join/{address}': [{ request: 'PUT /v1/agent/join/10.0.0.2', grants: ['agent:node-a:write'] }],
  'PUT /v1/agent/force-leave/{node}': [{ request: 'PUT /v1/agent/force-leave/n', grants: ['agent:node-a:write'] }],
  'PUT /v1/agent/leave': [{ request: 'PUT /v1/agent/leave', grants: ['agent:node-a:write'] }],
  'PUT /v1/agent/reload': [{ request: 'PUT /v1/agent/reload', grants: ['agent:node-a:write'] }],
  'PUT /v1/agent/maintenance': [{ request: 'PUT /v1/agent/maintenance?enable=true', grants: ['node:node-a:write'] }],
  'GET /v1/agent/services': [
    { request: 'GET /v1/agent/services', denied: nothing('{}'), grants: ['service:web:read'] },
  ],
  'GET /v1/agent/service/{service}': [
    {
      request: 'GET /v1/agent/service/web',
      denied: absent(404, 'unknown proxy service ID: web'),
      grants: ['service:web:read'],
    },
  ],
  'GET /v1/agent/connect/proxy/{proxy}': [
    {
      request: 'GET /v1/agent/connect/proxy/web-proxy',
      denied: absent(404, 'unknown proxy service ID: web-proxy'),
      grants: ['service:web:write'],
    },
  ],
  'PUT /v1/agent/service/register': [
    { request: 'PUT /v1/agent/service/register', body: { Name: 'api' }, grants: ['service:api:write'] },
    {
      request: 'PUT /v1/agent/service/register',
      body: { ID: 'web', Name: 'api' },
      grants: ['service:api:write', 'service:web:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Kind: 'connect-proxy', Port: 9, Proxy: { DestinationServiceName: 'db' } },
      grants: ['service:api:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Kind: 'connect-proxy', Port: 9, Proxy: { DestinationServiceName: 'DB' } },
      grants: ['service:api:write', 'service:DB:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'DB', Connect: { Native: true } },
      grants: ['service:DB:write', 'service:db:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Port: 9, Connect: { SidecarService: {} } },
      grants: ['service:api:write', 'service:api-sidecar-proxy:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Port: 9, Connect: { Proxy: {} } },
      grants: ['service:api:write', 'service:api-proxy:write'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Check: { AliasService: 'web' } },
      grants: ['service:api:write', 'service:web:read'],
    },
    {
      request: 'PUT /v1/agent/service/register',
      body: { Name: 'api', Check: { CheckID: 'disk', TTL: '10s' } },
      grants: ['service:api:write', 'node:node-a:write'],
    },
  ],
  'PUT /v1/agent/service/deregister/{service}': [
    { request: 'PUT /v1/agent/service/deregister/web', denied: noService, grants: ['service:web:write'] },
    {
      request: 'PUT /v1/agent/service/deregister/none',
      denied: denied('Unknown service "none"'),
      grants: [],
      allowed: 500,
    },
  ],
  'PUT /v1/agent/service/maintenance/{service}': [
    { request: 'PUT /v1/agent/service/maintenance/web?enable=true', denied: noService, grants: ['service:web:write'] },
  ],
  'GET /v1/agent/checks': [
    { request: 'GET /v1/agent/checks', denied: nothing('{}'), grants: ['service:web:read'] },
    { request: 'GET /v1/agent/checks', denied: nothing('{}'), grants: ['node:node-a:read'] },
  ],
  'PUT /v1/agent/check/register': [
    { request: 'PUT /v1/agent/check/register', body: { Name: 'c', TTL: '10s' }, grants: ['node:node-a:write'] },
    {
      request: 'PUT /v1/agent/check/register',
      body: { Name: 'c', TTL: '10s', ServiceID: 'web' },
      grants: ['service:web:write'],
    },
    {
      request: 'PUT /v1/agent/check/register',
      body: { Name: 'c', AliasService: 'web' },
      grants: ['node:node-a:write', 'service:web:read'],
    },
    {
      request: 'PUT /v1/agent/check/register',
      body: { Name: 'c', AliasService: 'not-here' },
      grants: ['node:node-a:write', 'service:not-here:read'],
    },
    {
      request: 'PUT /v1/agent/check/register',
      body: { Name: 'c', AliasNode: 'node-b', AliasService: 'db' },
      grants: ['node:node-a:write', 'node:node-b:read', 'service:db:read'],
    },
    {
      request: 'PUT /v1/agent/check/register',
      body: { ID: 'disk', Name: 'c', TTL: '10s', ServiceID: 'web' },
      grants: ['service:web:write', 'node:node-a:write'],
    },
  ],
  'PUT /v1/agent/check/deregister/{check}': [
    { request: 'PUT /v1/agent/check/deregister/web', denied: noCheck, grants: ofTheCheck },
    {
      request: 'PUT /v1/agent/check/deregister/disk',
      denied: absent(500, 'Unknown check "disk"'),
      grants: ['node:node-a:write'],
    },
    {
      request: 'PUT /v1/agent/check/deregister/none',
      denied: denied('Unknown check "none"'),
      grants: [],
      allowed: 500,
    },
  ],
  'PUT /v1/agent/check/pass/{check}': [
    { request: 'PUT /v1/agent/check/pass/web', denied: noCheck, grants: ofTheCheck },
  ],
  'PUT /v1/agent/check/warn/{check}': [
    { request: 'PUT /v1/agent/check/warn/web', denied: noCheck, grants: ofTheCheck },
  ],
  'PUT /v1/agent/check/fail/{check}': [
    { request: 'PUT /v1/agent/check/fail/web', denied: noCheck, grants: ofTheCheck },
  ],
  'PUT /v1/agent/check/update/{check}': [
    { request: 'PUT /v1/agent/check/update/web', body: { Status: 'passing' }, denied: noCheck, grants: ofTheCheck },
  ],
}

/** Operations that require no rights, each with the arguments to call it. A new one needs a reason in its route. */
export const openOperations: Readonly<Record<string, string>> = {
  'GET /v1/status/leader': 'GET /v1/status/leader',
  'GET /v1/status/peers': 'GET /v1/status/peers',
  'GET /v1/catalog/datacenters': 'GET /v1/catalog/datacenters',
  'GET /v1/coordinate/datacenters': 'GET /v1/coordinate/datacenters',
  'GET /v1/operator/area/{area}/members': 'GET /v1/operator/area/x/members',
  'PUT /v1/operator/area/{area}/join': 'PUT /v1/operator/area/x/join',
  'GET /v1/connect/ca/roots': 'GET /v1/connect/ca/roots',
  'GET /v1/agent/connect/ca/roots': 'GET /v1/agent/connect/ca/roots',
  'GET /v1/agent/live': 'GET /v1/agent/live',
  'GET /v1/agent/ready': 'GET /v1/agent/ready',
}
