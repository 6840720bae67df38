import { gossipKey } from '../access-world.ts'
import { absent, denied, type Effect, nothing } from './effect.ts'

const keys = { Key: gossipKey }
const notChanging = denied('Modifying keyring denied due to ACLs')
const noIntention = absent(400, /^Cannot modify non-existent intention: '[-0-9a-f]{36}'$/)
const webTo = (DestinationName: string) => ({ SourceName: 'web', DestinationName, Action: 'deny' })

/** Of operations on the mesh, the operator and snapshots. */
export const clusterEffects: Readonly<Record<string, readonly Effect[]>> = {
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
      request: 'GET /v1/connect/intentions/match?by=destination&name=DB',
      grants: ['intention:DB:read', 'intention:db:read'],
    },
    {
      request: 'GET /v1/connect/intentions/match?by=source&name=web&name=default/api',
      grants: ['intention:web:read', 'intention:api:read'],
    },
  ],
  'GET /v1/connect/intentions/check': [
    { request: 'GET /v1/connect/intentions/check?source=web&destination=db', grants: ['service:db:read'] },
    {
      request: 'GET /v1/connect/intentions/check?source=web&destination=DB',
      grants: ['service:DB:read', 'service:db:read'],
    },
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
    {
      request: 'POST /v1/agent/connect/authorize',
      body: { Target: 'DB', ClientCertURI: 'spiffe://1.svc/ns/default/dc/dc1/svc/web' },
      grants: ['service:DB:write', 'service:db:write', 'intention:DB:read', 'intention:db:read'],
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
}
