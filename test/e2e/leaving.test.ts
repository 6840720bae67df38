import { afterEach, describe, expect, it } from 'vitest'
import { Datacenter, type NodeName, nodeNames } from './datacenter.ts'
import { commonLeader, eventually } from './real-agent.ts'

let datacenter: Datacenter | undefined
afterEach(async () => {
  await datacenter?.stopAll()
  datacenter = undefined
})

async function start(
  settings: Readonly<Partial<Record<NodeName, object>>> = {},
  together: readonly NodeName[] = nodeNames,
): Promise<Datacenter> {
  const started = await Datacenter.start(settings, together)
  datacenter = started
  return started
}

async function seenAs(cluster: Datacenter, at: NodeName, name: NodeName, status: string): Promise<void> {
  await eventually(`${name} has ${status} for ${at}`, async () =>
    (await cluster.statuses(at)).get(name) === status ? true : undefined,
  )
}

interface Peer {
  readonly Node: string
}

async function peers(cluster: Datacenter, at: NodeName): Promise<readonly string[]> {
  const found = await cluster.agent(at).json<{ Servers: readonly Peer[] }>('/v1/operator/raft/configuration')
  return (found?.Servers ?? []).map(({ Node }) => Node).sort()
}

describe('signals', () => {
  it('[AGT-021 AGT-023 AGT-024 AGT-025] let each agent leave or stop as its kind and its options say', async () => {
    const cluster = await start({
      s2: { leave_on_terminate: true },
      c1: { leave_on_terminate: false },
    })
    const [staying, client, leaving] = await Promise.all([
      cluster.agent('c1').stop('SIGTERM'),
      cluster.agent('c2').stop('SIGTERM'),
      cluster.agent('s2').stop('SIGTERM'),
    ])
    expect([staying.code, client.code, leaving.code]).toEqual([1, 0, 0])
    await seenAs(cluster, 's1', 'c1', 'failed')
    await seenAs(cluster, 's1', 'c2', 'left')
    await seenAs(cluster, 's1', 's2', 'left')
    await eventually('s2 is no peer', async () => ((await peers(cluster, 's1')).includes('s2') ? undefined : true))
    const server = await cluster.agent('s3').stop('SIGINT')
    expect(server.code).toBe(1)
    expect(server.out).toContain('Graceful shutdown disabled. Exiting')
    await seenAs(cluster, 's1', 's3', 'failed')
  })
})

describe('svc leave', () => {
  it('lets a server leave and end with code 0; the others go on without it', async () => {
    const cluster = await start()
    const left = await cluster.command('s3', 'leave')
    expect(left).toMatchObject({ code: 0, out: 'Graceful leave complete\n' })
    const finished = await cluster.agent('s3').exited
    expect(finished.code).toBe(0)
    await seenAs(cluster, 'c1', 's3', 'left')
    await eventually('two peers', async () => ((await peers(cluster, 'c1')).join() === 's1,s2' ? true : undefined))
    expect(await (await cluster.agent('c2').request('PUT', '/v1/kv/a', 'x')).text()).toBe('true')
  })
})

describe('a datacenter without servers', () => {
  it('[AGT-003] fails its clients cleanly, and serves them again when a server is back', async () => {
    // Its client is looked for by a server that starts: it would look for servers that failed every 30 s.
    const cluster = await start({ s1: { retry_join: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] } })
    const servers: readonly NodeName[] = ['s1', 's2', 's3']
    await Promise.all(servers.map((name) => cluster.agent(name).stop('SIGKILL')))
    for (const path of ['/v1/catalog/nodes', '/v1/kv/a', '/v1/health/service/web']) {
      const response = await cluster.agent('c1').request('GET', path)
      expect(response.status, path).toBe(500)
      expect(await response.text(), path).toMatch(/^(No cluster leader|No known Svc servers)$/)
    }
    for (const name of servers) cluster.startAgent(name)
    await commonLeader([cluster.agent('c1'), ...servers.map((name) => cluster.agent(name))])
    expect((await cluster.agent('c1').request('PUT', '/v1/kv/a', 'x')).status).toBe(200)
  })
})

describe('svc join', () => {
  it('brings an agent that was started alone into the pool', async () => {
    const cluster = await start({ c2: { retry_join: [] } }, ['s1', 's2', 's3', 'c1'])
    expect([...(await cluster.statuses('s1')).keys()]).not.toContain('c2')
    const port = cluster.ports.serf_lan
    expect(await cluster.command('c2', 'join', `127.0.0.4:${port}`)).toMatchObject({
      code: 0,
      out: 'Successfully joined cluster by contacting 1 nodes.\n',
    })
    await cluster.settled()
    const nobody = await cluster.command('c2', 'join', '127.0.0.99')
    expect(nobody.code).toBe(1)
    expect(nobody.error).toContain("Error joining address '127.0.0.99': ")
  })
})
