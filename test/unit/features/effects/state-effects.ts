import type { Grant } from '../rights-of.ts'
import { absent, type Effect, nothing } from './effect.ts'

const reads: readonly Grant[] = ['node:node-a:read', 'service:web:read']
const notInTransaction = {
  status: 409,
  body: '{"Results":null,"Errors":[{"OpIndex":0,"What":"Permission denied"}]}',
}
const noQuery = absent(404, 'Query not found')
const noQueryToChange = absent(400, /^Cannot modify non-existent prepared query: '[-0-9a-f]{36}'$/)

/** Of operations on the catalog, keys, sessions, events, coordinates and queries. */
export const stateEffects: Readonly<Record<string, readonly Effect[]>> = {
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
}
