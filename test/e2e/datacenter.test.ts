import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Datacenter, type NodeName, nodeNames } from './datacenter.ts'
import { addresses, serviceRecords } from './dns-client.ts'
import { eventually } from './real-agent.ts'
import { startWebServer, type WebServer } from './web-server.ts'

interface Entry {
  readonly Node: { readonly Node: string; readonly Address: string }
  readonly Service: { readonly ID: string; readonly Tags: readonly string[]; readonly Port: number }
  readonly Checks: readonly Check[]
}

interface Check {
  readonly CheckID: string
  readonly Status: string
  readonly Output: string
}

let web: WebServer
let datacenter: Datacenter
beforeAll(async () => {
  web = await startWebServer('127.0.0.4')
  const http = `http://127.0.0.4:${web.port}/health`
  const service = { name: 'web', port: web.port, tags: ['v1'], check: { id: 'web-up', http, interval: '1s' } }
  const elsewhere = { id: 'db-1', name: 'db', port: 5432, address: '10.9.9.9' }
  datacenter = await Datacenter.start({
    c1: { services: [service, elsewhere] },
    c2: { limits: { rpc_rate: 50, rpc_max_burst: 100 } },
  })
})
afterAll(async () => {
  await datacenter?.stopAll()
  await web?.stop()
})

async function instances(at: NodeName, name: string, more = ''): Promise<readonly Entry[]> {
  return (await datacenter.agent(at).json<readonly Entry[]>(`/v1/health/service/${name}?${more}`)) ?? []
}

async function nodeChecks(at: NodeName, node: string): Promise<readonly Check[]> {
  return (await datacenter.agent(at).json<readonly Check[]>(`/v1/health/node/${node}`)) ?? []
}

async function nodesInCatalog(at: NodeName): Promise<readonly string[]> {
  const nodes = await datacenter.agent(at).json<readonly { Node: string }[]>('/v1/catalog/nodes')
  return (nodes ?? []).map(({ Node }) => Node)
}

/** Waits until the DNS of every agent answers so: any server may answer it, also one that is a moment behind. */
async function inDns(name: string, expected: readonly string[], asked: readonly NodeName[] = nodeNames): Promise<void> {
  for (const node of asked) {
    await eventually(`${name} is ${expected.join()} in the DNS of ${node}`, async () =>
      (await addresses(datacenter.dns(node), name)).join() === expected.join() ? true : undefined,
    )
  }
}

/** Rows of `svc members`, by node name; each cell by its column. */
async function memberRows(at: NodeName): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { out } = await datacenter.command(at, 'members')
  const [header = [], ...rows] = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  return new Map(
    rows.map((cells) => [cells[0] ?? '', Object.fromEntries(header.map((name, n) => [name, cells[n] ?? '']))]),
  )
}

/** Each story begins where the one before ended. */
describe('three servers and two clients', () => {
  it('[AGT-002 MEM-001] are five members and five nodes, whichever agent is asked', async () => {
    for (const name of nodeNames) {
      expect([...(await datacenter.statuses(name)).keys()].sort(), name).toEqual(['c1', 'c2', 's1', 's2', 's3'])
      await eventually(`five nodes in the catalog at ${name}`, async () =>
        (await nodesInCatalog(name)).length === nodeNames.length ? true : undefined,
      )
    }
    const named = ({ Name, Tags }: { readonly Name: string; readonly Tags: { readonly id: string } }) => [Name, Tags.id]
    const members =
      (await datacenter.agent('s1').json<readonly Parameters<typeof named>[0][]>('/v1/agent/members')) ?? []
    const idOf = new Map(members.map((member) => named(member) as [string, string]))
    expect(new Set(idOf.values()).size).toBe(nodeNames.length)
    const nodes = await datacenter.agent('c1').json<readonly { Node: string; ID: string }[]>('/v1/catalog/nodes')
    expect(new Map((nodes ?? []).map(({ Node, ID }) => [Node, ID]))).toEqual(idOf)
    for (const name of nodeNames) {
      const self = await datacenter.agent(name).json<object>('/v1/agent/self')
      expect(self).toMatchObject({ Config: { NodeName: name, NodeID: idOf.get(name) } })
    }
  })

  it('[CLI-010] say of themselves whether they lead, follow or are clients', async () => {
    const leader = await datacenter.agent('s1').leader()
    for (const name of nodeNames) {
      const { out } = await datacenter.command(name, 'info')
      const isServer = name.startsWith('s')
      const leads = leader.startsWith(`${datacenter.hostOf(name)}:`)
      expect(out, name).toContain(`\tserver = ${isServer}\n`)
      expect(/^\tleader = (.*)$/m.exec(out)?.[1], name).toBe(isServer ? String(leads) : undefined)
      expect(/^\tstate = (.*)$/m.exec(out)?.[1], name).toBe(isServer ? (leads ? 'Leader' : 'Follower') : undefined)
    }
  })

  it('[AGT-006 AGT-007 AGT-008 REG-001 REG-003 REG-017] find a service of one client, healthy, over HTTP and DNS at every agent', async () => {
    const names = ['web.service.svc', 'web.service.dc1.svc', 'v1.web.service.svc', 'web.service.consul', 'c1.node.svc']
    for (const name of nodeNames) {
      const [found] = await eventually(`web is passing at ${name}`, async () => {
        const entries = await instances(name, 'web', 'passing')
        return entries.length === 1 ? entries : undefined
      })
      expect(found, name).toMatchObject({
        Node: { Node: 'c1', Address: '127.0.0.4' },
        Service: { ID: 'web', Tags: ['v1'], Port: web.port },
      })
      for (const asked of names) await inDns(asked, ['127.0.0.4'], [name])
      const [record] = await serviceRecords(datacenter.dns(name), 'web.service.svc', 'tcp')
      expect(record, name).toEqual({ target: 'c1.node.dc1.svc', port: web.port, addresses: ['127.0.0.4'] })
    }
    expect(web.asked).toBeGreaterThan(0)
  })

  it('[REG-011] find an instance at the address of its own, where it has one', async () => {
    await inDns('db.service.svc', ['10.9.9.9'])
    const [record] = await serviceRecords(datacenter.dns('c2'), 'db.service.svc')
    expect(record).toMatchObject({ port: 5432, addresses: ['10.9.9.9'] })
    const agent = datacenter.agent('c2')
    const node = { Node: 'c1', Address: '127.0.0.4' }
    const listed = { ...node, ServiceID: 'db-1', ServiceAddress: '10.9.9.9', ServicePort: 5432 }
    expect(await agent.json('/v1/catalog/service/db')).toMatchObject([listed])
    expect(await agent.json('/v1/health/service/db')).toMatchObject([
      { Node: node, Address: '10.9.9.9', Service: { ID: 'db-1', Address: '10.9.9.9' } },
    ])
    expect(await agent.json('/v1/catalog/node/c1')).toMatchObject({ Services: { 'db-1': { Address: '10.9.9.9' } } })
  })

  it('[AGT-008] answer the same through a client as at a server, with the same index', async () => {
    for (const path of ['/v1/health/service/web', '/v1/catalog/nodes', '/v1/catalog/services', '/v1/kv/none']) {
      const [server, client] = await Promise.all([
        datacenter.agent('s1').request('GET', path),
        datacenter.agent('c2').request('GET', path),
      ])
      expect(client.status, path).toBe(server.status)
      expect(client.headers.get('x-svc-index'), path).toBe(server.headers.get('x-svc-index'))
      expect(await client.text(), path).toBe(await server.text())
    }
  })

  it('[AGT-008] wait through a client as at a server, until what they ask for changes', async () => {
    const written = await datacenter.agent('s1').request('PUT', '/v1/kv/watched', 'before')
    expect(written.status).toBe(200)
    const index = (await datacenter.agent('s2').request('GET', '/v1/kv/watched')).headers.get('x-svc-index')
    expect(Number(index)).toBeGreaterThan(0)
    const answered: string[] = []
    const asked = (['s2', 'c2'] as const).map(async (name) => {
      const answer = await datacenter.agent(name).request('GET', `/v1/kv/watched?raw&index=${index}&wait=30s`)
      answered.push(name)
      return [await answer.text(), Number(answer.headers.get('x-svc-index')) > Number(index)]
    })
    // Requests that came later are answered, these are not.
    for (let time = 0; time < 5; time++) {
      for (const name of ['s2', 'c2'] as const) {
        expect(await datacenter.agent(name).text('/v1/kv/watched?raw')).toBe('before')
      }
    }
    expect(answered).toEqual([])
    expect((await datacenter.agent('c2').request('PUT', '/v1/kv/watched', 'after')).status).toBe(200)
    expect(await Promise.all(asked)).toEqual([
      ['after', true],
      ['after', true],
    ])
  })

  it('[REG-002 REG-018 AGT-030] find what is registered over HTTP, and the agent logs that it was synced', async () => {
    const agent = datacenter.agent('c2')
    const body = { Name: 'api', Port: 8080, Check: { CheckID: 'api-ttl', TTL: '1h', Status: 'passing' } }
    expect((await agent.request('PUT', '/v1/agent/service/register', JSON.stringify(body))).status).toBe(200)
    expect(await instances('s1', 'api', 'passing')).toHaveLength(1)
    expect(agent.output).toMatch(/Synced service.*api/)
    await inDns('api.service.svc', ['127.0.0.5'])
    expect((await agent.request('PUT', '/v1/agent/check/fail/api-ttl')).status).toBe(200)
    expect(await instances('c1', 'api', 'passing')).toEqual([])
    await inDns('api.service.svc', [])
    expect((await agent.request('PUT', '/v1/agent/check/pass/api-ttl')).status).toBe(200)
    await inDns('api.service.svc', ['127.0.0.5'])
  })

  it('[AGT-001 CLI-004 CLI-005 MEM-004 MEM-007 MEM-008 MEM-018 MEM-019 MEM-021 MEM-022] are listed with role, address, release and segment', async () => {
    const { out } = await datacenter.command('c1', 'members')
    expect(out.split('\n')[0]?.split(/ {2,}/)).toEqual([
      'Node',
      'Address',
      'Status',
      'Type',
      'Build',
      'Protocol',
      'DC',
      'Segment',
    ])
    const rows = await memberRows('c1')
    expect([...rows.keys()]).toEqual(['s1', 's2', 's3', 'c1', 'c2'])
    const port = datacenter.ports.serf_lan
    const shared = { Status: 'alive', Build: '1.4.0', Protocol: '2', DC: 'dc1' }
    expect(rows.get('s2')).toEqual({
      ...shared,
      Node: 's2',
      Address: `127.0.0.2:${port}`,
      Type: 'server',
      Segment: '<all>',
    })
    expect(rows.get('c2')).toEqual({
      ...shared,
      Node: 'c2',
      Address: `127.0.0.5:${port}`,
      Type: 'client',
      Segment: '<default>',
    })
    const detailed = (await datacenter.command('c1', 'members', '-detailed')).out
    expect(detailed).toMatch(/^s1 .*role=\w+.*$/m)
    expect(detailed.length).toBeGreaterThan(out.length)
    const self = await datacenter.agent('c1').json<{ Config: { Server: boolean } }>('/v1/agent/self')
    expect(self?.Config.Server).toBe(false)
  })

  it('[RFT-003] have a Raft protocol apart from that of the pool', async () => {
    const members = await memberRows('s1')
    expect(members.get('s1')?.['Protocol']).toBe('2')
    const { out } = await datacenter.command('c2', 'operator', 'raft', 'list-peers')
    const [titles = '', ...peers] = out.trimEnd().split('\n')
    expect(titles.split(/ {2,}/).at(-1)).toBe('RaftProtocol')
    expect(peers.map((line) => line.split(/ +/).at(-1))).toEqual(['3', '3', '3'])
    expect((await datacenter.command('c2', 'version')).out).toMatch(/^Svc v1\.4\.0\nProtocol 2 spoken by default/)
  })

  it('list datacenters, nodes and services on the command line', async () => {
    expect((await datacenter.command('c2', 'catalog', 'datacenters')).out).toBe('dc1\n')
    const nodes = (await datacenter.command('c2', 'catalog', 'nodes')).out.trimEnd().split('\n')
    expect(nodes.map((line) => line.split(/ +/)[0])).toEqual(['Node', 'c1', 'c2', 's1', 's2', 's3'])
    const services = (await datacenter.command('c2', 'catalog', 'services')).out.trimEnd().split('\n')
    expect(services).toEqual(expect.arrayContaining(['api', 'db', 'web']))
  })

  it('[AGT-022 HLT-013 MEM-006 MEM-012 MEM-013 MEM-014] notice a client that was killed: its node turns critical, and nothing is removed', async () => {
    await datacenter.agent('c1').stop('SIGKILL')
    // Five members are probed one after the other, 100 ms each; then it is suspected for at most 6 × 3 × 100 ms. The
    // rest is for a machine that is busy with five agents.
    const boundMs = 500 + 1_800 + 15_000
    for (const name of ['s1', 's2', 's3', 'c2'] as const) {
      await eventually(
        `c1 has failed for ${name}`,
        async () => ((await datacenter.statuses(name)).get('c1') === 'failed' ? true : undefined),
        boundMs,
      )
    }
    const serfHealth = await eventually('serfHealth of c1 is critical', async () =>
      (await nodeChecks('c2', 'c1')).find(({ CheckID, Status }) => CheckID === 'serfHealth' && Status === 'critical'),
    )
    expect(serfHealth.Output).toBe('Agent not live or unreachable')
    expect((await memberRows('s1')).get('c1')).toMatchObject({ Status: 'failed' })
    expect(await nodesInCatalog('s1')).toContain('c1')
    const [kept] = await instances('s2', 'web')
    const statuses = new Map(kept?.Checks.map(({ CheckID, Status }) => [CheckID, Status]))
    expect([...statuses].sort()).toEqual([
      ['serfHealth', 'critical'],
      ['web-up', 'passing'],
    ])
    expect(await instances('s2', 'web', 'passing')).toEqual([])
    await inDns('web.service.svc', [], ['s1', 's2', 's3', 'c2'])
  })

  it('[MEM-016] take it back when it starts again', async () => {
    datacenter.startAgent('c1')
    await eventually('web passes again', async () =>
      (await instances('s3', 'web', 'passing')).length === 1 ? true : undefined,
    )
    expect((await datacenter.statuses('s3')).get('c1')).toBe('alive')
    await inDns('web.service.svc', ['127.0.0.4'])
  })

  it('[LIM-011] hold back a client that asks more than its limit: 429 without a word, until time has passed', async () => {
    const { http } = datacenter.ports
    const many = Array.from({ length: 600 }, async () => {
      const answer = await fetch(`http://${datacenter.hostOf('c2')}:${http}/v1/status/leader`)
      return { status: answer.status, text: await answer.text() }
    })
    const answers = await Promise.all(many)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.map(({ text }) => text))).toEqual(new Set(['']))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(50)
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
    await eventually('c2 may ask again', async () => {
      const answer = await fetch(`http://${datacenter.hostOf('c2')}:${http}/v1/status/leader`)
      return answer.status === 200 ? true : undefined
    })
  })

  it('[CLI-013 MEM-006] take one that is killed out when they are told to', async () => {
    await datacenter.agent('c1').stop('SIGKILL')
    await eventually('c1 has failed', async () =>
      (await datacenter.statuses('s1')).get('c1') === 'failed' ? true : undefined,
    )
    expect((await memberRows('s1')).get('c1')).toMatchObject({ Status: 'failed' })
    expect(await datacenter.command('s1', 'force-leave', 'c1')).toMatchObject({ code: 0, out: '' })
    await eventually('c1 has left', async () =>
      (await datacenter.statuses('s2')).get('c1') === 'left' ? true : undefined,
    )
    await eventually('c1 is gone from the catalog', async () =>
      (await nodesInCatalog('s2')).includes('c1') ? undefined : true,
    )
  })

  it('[AGT-021 AGT-024 MEM-005 MEM-009 MEM-010] see a client leave on an interrupt: it exits with 0 and is gone from the catalog with all it had', async () => {
    const finished = await datacenter.agent('c2').stop('SIGINT')
    expect(finished.code).toBe(0)
    expect(finished.out).toContain('Gracefully shutting down agent...')
    expect(finished.out).toContain('Graceful exit completed')
    await eventually('c2 has left', async () =>
      (await datacenter.statuses('s1')).get('c2') === 'left' ? true : undefined,
    )
    expect((await memberRows('s1')).get('c2')).toMatchObject({ Status: 'left' })
    await eventually('c2 is gone from the catalog', async () =>
      (await nodesInCatalog('s1')).includes('c2') ? undefined : true,
    )
    expect(await instances('s1', 'api')).toEqual([])
    await inDns('api.service.svc', [], ['s1', 's2', 's3'])
  })
})
