import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Datacenter, type NodeName } from './datacenter.ts'
import { commonLeader, eventually } from './real-agent.ts'

let datacenter: Datacenter
beforeAll(async () => {
  const settings = {
    // A client that lost all servers looks for one of them every 30 s: here a server that starts looks for it.
    s1: { retry_join: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] },
    s2: { leave_on_terminate: true },
    c1: { leave_on_terminate: false },
    c2: { retry_join: [] },
  }
  datacenter = await Datacenter.start(settings, ['s1', 's2', 's3', 'c1'])
})
afterAll(() => datacenter?.stopAll())

async function seenAs(at: NodeName, name: NodeName, status: string): Promise<void> {
  await eventually(`${name} has ${status} for ${at}`, async () =>
    (await datacenter.statuses(at)).get(name) === status ? true : undefined,
  )
}

/** Waits until these servers are the peers. */
async function peersAre(expected: readonly NodeName[], at: NodeName): Promise<void> {
  await eventually(`the peers are ${expected.join()}`, async () => {
    const path = '/v1/operator/raft/configuration'
    const found = await datacenter.agent(at).json<{ Servers: readonly { Node: string }[] }>(path)
    const names = (found?.Servers ?? []).map(({ Node }) => Node).sort()
    return names.join() === expected.join() ? true : undefined
  })
}

/** Each story begins where the one before ended. */
describe('agents come and go', () => {
  it('svc join brings one that was started alone into the pool, through any member', async () => {
    expect([...(await datacenter.statuses('s1')).keys()]).not.toContain('c2')
    expect(await datacenter.command('c2', 'join', `127.0.0.4:${datacenter.ports.serf_lan}`)).toMatchObject({
      code: 0,
      out: 'Successfully joined cluster by contacting 1 nodes.\n',
    })
    await datacenter.settled()
    const nobody = await datacenter.command('c2', 'join', '127.0.0.99')
    expect(nobody.code).toBe(1)
    expect(nobody.error).toContain("Error joining address '127.0.0.99': ")
    expect(nobody.error).toContain('Failed to join any nodes.')
  })

  it('[AGT-003] without servers clients fail cleanly, and serve again when servers are back', async () => {
    const servers: readonly NodeName[] = ['s1', 's2', 's3']
    await Promise.all(servers.map((name) => datacenter.agent(name).stop('SIGKILL')))
    const refused = ['/v1/catalog/nodes', '/v1/kv/a', '/v1/health/service/web'].map(async (path) => {
      const response = await datacenter.agent('c1').request('GET', path)
      expect(response.status, path).toBe(500)
      expect(await response.text(), path).toMatch(/^(No cluster leader|No known Svc servers)$/)
    })
    await Promise.all(refused)
    for (const name of servers) datacenter.startAgent(name)
    await commonLeader(['c1', ...servers].map((name) => datacenter.agent(name as NodeName)))
    expect((await datacenter.agent('c1').request('PUT', '/v1/kv/a', 'x')).status).toBe(200)
    await datacenter.settled()
  })

  it('[AGT-024] an interrupted server stops without leaving, and stays a peer', async () => {
    const finished = await datacenter.agent('s3').stop('SIGINT')
    expect(finished.code).toBe(1)
    expect(finished.out).toContain('Graceful shutdown disabled. Exiting')
    await seenAs('s1', 's3', 'failed')
    await peersAre(['s1', 's2', 's3'], 's1')
    datacenter.startAgent('s3')
    await datacenter.settled()
  })

  it('[AGT-021 AGT-023 AGT-025 MEM-009] each leaves or stops when it is terminated, as its kind and its options say', async () => {
    const [staying, client, server] = await Promise.all([
      datacenter.agent('c1').stop('SIGTERM'),
      datacenter.agent('c2').stop('SIGTERM'),
      datacenter.agent('s2').stop('SIGTERM'),
    ])
    expect([staying.code, client.code, server.code]).toEqual([1, 0, 0])
    await seenAs('s1', 'c1', 'failed')
    await seenAs('s1', 'c2', 'left')
    await seenAs('s1', 's2', 'left')
    await peersAre(['s1', 's3'], 's1')
  })

  it('svc leave lets a server leave and end with code 0; the other goes on without it', async () => {
    expect(await datacenter.command('s3', 'leave')).toMatchObject({ code: 0, out: 'Graceful leave complete\n' })
    expect((await datacenter.agent('s3').exited).code).toBe(0)
    await seenAs('s1', 's3', 'left')
    await peersAre(['s1'], 's1')
    expect(await (await datacenter.agent('s1').request('PUT', '/v1/kv/a', 'y')).text()).toBe('true')
  })
})
