import type { Grant } from '../rights-of.ts'
import { absent, denied, type Effect, nothing } from './effect.ts'

const ofTheCheck: readonly Grant[] = ['service:web:write']
const noService = absent(500, 'Unknown service "web"')
const noCheck = absent(500, 'Unknown check "web"')

/** Of operations on one agent. */
export const agentEffects: Readonly<Record<string, readonly Effect[]>> = {
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
