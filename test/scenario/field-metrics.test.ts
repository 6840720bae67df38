import { createCluster } from 'svc/sim'
import { describe, expect, it } from 'vitest'

/** What dashboards of the field show of a cluster that has been used, as Prometheus reads it. */
const counted = [
  'client_api_catalog_connect_service_nodes client_api_catalog_datacenters client_api_catalog_deregister',
  'client_api_catalog_node_services client_api_catalog_nodes client_api_catalog_register',
  'client_api_catalog_service_nodes client_api_catalog_services client_api_success_catalog_nodes',
  'client_rpc_error_catalog_nodes raft_apply raft_barrier rpc_accept_conn rpc_query rpc_request',
  'acl_token_cache_hit acl_token_cache_miss memberlist_udp_sent memberlist_udp_received',
]
  .join(' ')
  .split(' ')
const sampled = [
  'acl_ResolveToken catalog_register catalog_deregister kvs_apply leader_barrier leader_reconcile',
  'memberlist_gossip rpc_consistentRead raft_commitTime raft_fsm_apply raft_rpc_appendEntries raft_rpc_processHeartbeat raft_rpc_requestVote',
]
  .join(' ')
  .split(' ')

/** Series that the field tells apart by labels; `$node` is the agent that was asked. */
const labelled = [
  'client_api_catalog_nodes{node="$node"}',
  'client_api_success_catalog_nodes{node="$node"}',
  'client_rpc_error_catalog_nodes{node="$node"}',
  'catalog_service_query{service="web"}',
  'catalog_service_query_tags{service="web",tag="b"}',
  'catalog_service_not_found{service="web"}',
  'catalog_connect_query{service="web"}',
  'fsm_kvs_count{op="set"}',
  'fsm_kvs_count{op="delete"}',
]

const node = { Node: 'outside', Address: '10.9.9.9' }
const requests: readonly (readonly [path: string, body?: unknown])[] = [
  ['/v1/kv/a', 'x'],
  ['/v1/catalog/register', { ...node, Service: { Service: 'web' } }],
  ['/v1/catalog/deregister', { Node: node.Node }],
  ['/v1/catalog/datacenters'],
  ['/v1/catalog/nodes'],
  ['/v1/catalog/services'],
  ['/v1/catalog/service/web'],
  ['/v1/catalog/service/web?tag=a&tag=b'],
  ['/v1/catalog/connect/web'],
  ['/v1/catalog/node/outside'],
]

describe.each(['svc', 'consul'])('the metrics of a cluster under names = "%s"', (names) => {
  it('have the names of the field, below that name', async () => {
    const telemetry = { prometheus_retention_time: '1h', disable_hostname: true }
    const cluster = await createCluster({ seed: 5, clients: 1, acl: 'allow', config: { names, telemetry } })
    const leader = cluster.leader ?? ''
    const [follower = ''] = cluster.nodes.filter((each) => each.startsWith('s') && each !== leader)
    for (const [path, body] of requests) {
      const init = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) }
      expect([path, (await cluster.fetch(follower, path, init)).status]).toEqual([path, 200])
    }
    const errors = async (): Promise<number> => {
      const text = await (await cluster.fetch(follower, '/v1/agent/metrics?format=prometheus')).text()
      return Number(/^\w+_client_rpc_error_catalog_nodes\S* (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const before = await errors()
    expect((await cluster.fetch(follower, '/v1/catalog/nodes?index=x')).status).toBe(400)
    expect(await errors()).toBe(before)
    expect((await cluster.fetch(follower, '/v1/catalog/nodes?dc=none')).status).toBe(500)
    expect(await errors()).toBe(before + 1)
    expect((await cluster.fetch(follower, '/v1/kv/a', { method: 'DELETE' })).status).toBe(200)
    expect((await cluster.fetch(follower, '/v1/kv/a?consistent')).status).toBe(404)
    // A client asks servers for the rights of a token, and keeps them.
    for (const _ of ['asked', 'kept']) {
      expect((await cluster.fetch('c1', `/v1/agent/self?token=${cluster.managementToken}`)).status).toBe(200)
    }
    const texts = await Promise.all(
      [leader, follower, 'c1'].map(async (each) =>
        (await cluster.fetch(each, '/v1/agent/metrics?format=prometheus')).text(),
      ),
    )
    await cluster.close()
    const families = new Set(texts.flatMap((text) => text.match(/(?<=^# TYPE )\S+ \S+/gm) ?? []))
    const wanted = [
      ...counted.map((name) => `${names}_${name} counter`),
      ...sampled.map((name) => `${names}_${name} summary`),
    ]
    expect(wanted.filter((family) => !families.has(family))).toEqual([])
    const series = new Set(texts.flatMap((text) => text.match(/^[^#\s]\S*/gm) ?? []))
    const missing = labelled.filter((each) => !series.has(`${names}_${each.replace('$node', follower)}`))
    expect(missing).toEqual([])
    const other = names === 'svc' ? 'consul' : 'svc'
    expect([...families].filter((family) => family.includes(other))).toEqual([])
  })
})
