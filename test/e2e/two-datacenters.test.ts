import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { ask } from './dns-client.ts'
import { commonLeader, eventually, freePorts, portFlags, RealAgent } from './real-agent.ts'
import {
  firstKey,
  hosts,
  isTakenForTcp,
  isTakenForUdp,
  type ListedMember,
  type NodeName,
  secondKey,
  TwoDatacenters,
  wanPort,
} from './two-datacenters.ts'

interface ListedKeys {
  readonly WAN: boolean
  readonly Datacenter: string
  readonly Keys: Readonly<Record<string, number>>
}

interface Executed {
  readonly Datacenter: string
  readonly Failovers: number
  readonly Nodes: readonly object[]
}

const alive = 1
const left = 3
const failed = 4

describe('two datacenters', () => {
  let both: TwoDatacenters

  beforeAll(async () => {
    both = new TwoDatacenters(await freePorts({ dns: true }))
    both.startAll()
    await commonLeader([both.agent('s1'), both.agent('c1')])
    await commonLeader([both.agent('s2'), both.agent('s3')])
    await eventually('every server knows all servers of both', async () => {
      const seen = await Promise.all((['s1', 's2', 's3'] as const).map((name) => both.wanMembers(name)))
      const isWhole = (members: ReadonlyMap<string, ListedMember>): boolean =>
        members.size === 3 && [...members.values()].every(({ Status }) => Status === alive)
      return seen.every(isWhole) ? true : undefined
    })
  }, 60_000)

  afterAll(async () => {
    await both.stopAll()
  })

  it('[MEM-026] meet in a pool of their servers alone, each joined by the others of its datacenter', async () => {
    const members = await both.wanMembers('s3')
    expect([...members.keys()]).toEqual(['s1.dc1', 's2.dc2', 's3.dc2'])
    expect([...members.values()].map(({ Port }) => Port)).toEqual([1, 1, 1].map(() => wanPort))
    expect(members.get('s1.dc1')?.Tags).toMatchObject({ dc: 'dc1', role: 'svc', port: String(both.ports.server) })
    expect(members.get('s1.dc1')?.Tags).not.toHaveProperty('wan_join_port')
    const listed = await both.command('s1', 'members', '-wan')
    expect(listed.code).toBe(0)
    expect(listed.out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4).join(' '))).toEqual([
      'Node Address Status Type',
      ...(['s1.dc1', 's2.dc2', 's3.dc2'] as const).map(
        (name) => `${name} ${hosts[name.slice(0, 2) as NodeName]}:${wanPort} alive server`,
      ),
      '',
    ])
  })

  it('[AGT-020] have it on port 8302, over TCP and UDP, at their servers alone', async () => {
    for (const name of ['s1', 's2', 's3'] as const) {
      expect([await isTakenForTcp(hosts[name]), await isTakenForUdp(hosts[name])]).toEqual([true, true])
    }
    expect([await isTakenForTcp(hosts.c1), await isTakenForUdp(hosts.c1)]).toEqual([false, false])
  })

  it('tell of themselves that they are in two pools; a client is in one', async () => {
    const self = async (name: NodeName) =>
      (await both.agent(name).json<{ Stats: Record<string, Record<string, string>> }>('/v1/agent/self'))?.Stats
    const server = await self('s1')
    expect(server?.['serf_wan']?.['members']).toBe('3')
    expect(server?.['svc']?.['known_datacenters']).toBe('2')
    expect(await self('c1')).not.toHaveProperty('serf_wan')
    expect(await both.agent('c1').text('/v1/agent/members?wan=1')).toBe('null')
    const refused = await both.command('c1', 'join', '-wan', hosts.s2)
    expect(refused.error).toContain('Must be a server to join WAN cluster')
    expect(both.agent('c1').output).toMatch(
      /\[WARN\].*couldn't join: retry_join_wan has no effect on this agent.*Must be a server to join WAN cluster/,
    )
  })

  it('have gossip encrypted in all three pools, and their keys are changed from either, in all at once', async () => {
    const self = await both.agent('s2').json<{ Stats: Record<string, Record<string, string>> }>('/v1/agent/self')
    expect([self?.Stats['serf_lan']?.['encrypted'], self?.Stats['serf_wan']?.['encrypted']]).toEqual(['true', 'true'])
    // With quick gossip an agent has 0.3 s to answer, and a busy machine may take longer.
    const listsAll = (at: NodeName, ...keys: readonly string[]) =>
      eventually(`${at} lists what all hold`, async () => {
        const pools = await both.agent(at).json<readonly ListedKeys[]>('/v1/operator/keyring')
        const held = pools?.map(({ WAN, Datacenter, Keys }) => [WAN ? 'WAN' : Datacenter, Keys])
        return isDeepStrictEqual(held?.toSorted(), heldByAll(...keys)) ? true : undefined
      })
    const heldByAll = (...keys: readonly string[]) =>
      Object.entries({ WAN: 3, dc1: 2, dc2: 2 }).map(([pool, members]) => [
        pool,
        Object.fromEntries(keys.map((key) => [key, members])),
      ])
    await listsAll('c1', firstKey)
    const done = { code: 0, error: '' }
    expect(await both.command('c1', 'keyring', `-install=${secondKey}`)).toMatchObject(done)
    await listsAll('s1', firstKey, secondKey)
    expect(await both.command('s3', 'keyring', `-use=${secondKey}`)).toMatchObject(done)
    expect(await both.command('c1', 'keyring', `-remove=${firstKey}`)).toMatchObject(done)
    await listsAll('s3', secondKey)
    for (const name of ['s1', 's2', 's3'] as const) {
      for (const file of ['local.keyring', 'remote.keyring']) {
        await eventually(`${name} keeps the keys`, async () => {
          const kept = readFileSync(join(both.workplace.path, name, 'serf', file), 'utf8')
          return kept === JSON.stringify([secondKey]) ? true : undefined
        })
      }
    }
  })

  it('[CAT-028] are listed, one’s own first, by servers and clients', async () => {
    expect(await both.agent('s1').json('/v1/catalog/datacenters')).toEqual(['dc1', 'dc2'])
    expect(await both.agent('c1').json('/v1/catalog/datacenters')).toEqual(['dc1', 'dc2'])
    expect(await both.agent('s3').json('/v1/catalog/datacenters')).toEqual(['dc2', 'dc1'])
    const listed = await both.command('c1', 'catalog', 'datacenters')
    expect(listed.out).toBe('dc1\ndc2\n')
  })

  it('know how far their servers are from each other', async () => {
    const known = await both
      .agent('s1')
      .json<readonly { Datacenter: string; Coordinates: readonly { Node: string }[] }[]>('/v1/coordinate/datacenters')
    expect(known?.map(({ Datacenter }) => Datacenter)).toEqual(['dc1', 'dc2'])
    await eventually('the time between servers of both', async () => {
      const told = await both.command('s1', 'rtt', '-wan', 's1.dc1', 's2.dc2')
      return /^Estimated s1\.dc1 <-> s2\.dc2 rtt: [\d.]+ ms \(using WAN coordinates\)/.test(told.out) ? true : undefined
    })
  })

  it('answer for each other: reads, writes and waiting reads, at servers and at clients', async () => {
    const put = await both.agent('c1').request('PUT', '/v1/kv/color?dc=dc2', 'red')
    expect([put.status, await put.text()]).toEqual([200, 'true'])
    expect(await both.agent('s3').text('/v1/kv/color?raw')).toBe('red')
    expect(await both.agent('s1').text('/v1/kv/color?raw&dc=dc2')).toBe('red')
    expect((await both.agent('s1').request('GET', '/v1/kv/color')).status).toBe(404)
    const read = await both.agent('c1').request('GET', '/v1/kv/color?dc=dc2')
    const waiting = both
      .agent('c1')
      .request('GET', `/v1/kv/color?raw&dc=dc2&wait=60s&index=${read.headers.get('x-svc-index')}`)
    await both.agent('s2').request('PUT', '/v1/kv/color', 'blue')
    expect(await (await waiting).text()).toBe('blue')
  })

  it('keep what is registered where it is for, and tell of it by its datacenter', async () => {
    const body = { Datacenter: 'dc2', Node: 'web1', Address: '10.9.9.9', TaggedAddresses: { wan: '192.0.2.9' } }
    const service = { Service: 'web', Port: 80 }
    const done = await both
      .agent('c1')
      .request('PUT', '/v1/catalog/register', JSON.stringify({ ...body, Service: service }))
    expect(await done.text()).toBe('true')
    const there = await both
      .agent('s2')
      .json<readonly { Address: string; Datacenter: string }[]>('/v1/catalog/service/web')
    expect(there).toMatchObject([{ Node: 'web1', Datacenter: 'dc2', Address: '10.9.9.9' }])
    expect(await both.agent('s1').json('/v1/catalog/service/web')).toEqual([])
  })

  it('[HTP-008 HTP-009 CFG-007 CFG-008 CAT-010] with translation show nodes of the other at their WAN addresses, and say so', async () => {
    const read = await both.agent('c1').request('GET', '/v1/catalog/service/web?dc=dc2')
    expect(read.headers.get('x-svc-translate-addresses')).toBe('true')
    expect(await read.json()).toMatchObject([
      { Node: 'web1', Datacenter: 'dc2', Address: '192.0.2.9', TaggedAddresses: { wan: '192.0.2.9' } },
    ])
    const health = await both.agent('s1').json<readonly { Node: object }[]>('/v1/health/service/web?dc=dc2')
    expect(health).toMatchObject([{ Node: { Address: '192.0.2.9', Datacenter: 'dc2' } }])
    const own = await eventually('what the client says of its addresses', async () => {
      const found = await both.agent('s1').json<{ Node: { TaggedAddresses: object | null } }>('/v1/catalog/node/c1')
      return found?.Node.TaggedAddresses === null ? undefined : found
    })
    expect(own).toMatchObject({ Node: { Address: hosts.c1, TaggedAddresses: { lan: hosts.c1, wan: '192.0.2.7' } } })
    const without = await both.agent('s2').request('GET', '/v1/catalog/service/web')
    expect(without.headers.has('x-svc-translate-addresses')).toBe(false)
    expect(await without.json()).toMatchObject([{ Address: '10.9.9.9' }])
  })

  it('execute a prepared query where it finds something, when it finds nothing at home', async () => {
    const query = { Name: 'anywhere', Service: { Service: 'web', Failover: { NearestN: 1 } } }
    const created = await both.agent('c1').request('POST', '/v1/query', JSON.stringify(query))
    expect(created.status).toBe(200)
    const found = await both.agent('c1').json('/v1/query/anywhere/execute')
    expect(found).toMatchObject({
      Datacenter: 'dc2',
      Failovers: 1,
      Nodes: [{ Node: { Node: 'web1', Address: '192.0.2.9' } }],
    })
  })

  it('fire an event in each other', async () => {
    const fired = await both.agent('c1').request('PUT', '/v1/event/fire/deploy?dc=dc2', 'now')
    expect(fired.status).toBe(200)
    const heard = await eventually('the event', async () => {
      const events = await both.agent('s3').json<readonly { Name: string }[]>('/v1/event/list')
      return events !== undefined && events.length > 0 ? events : undefined
    })
    expect(heard).toMatchObject([{ Name: 'deploy' }])
    expect(await both.agent('s1').json('/v1/event/list')).toEqual([])
  })

  it('admit no agent to their pool that is not a server, and say why on both sides', async () => {
    const refused = await both.agent('c1').request('PUT', `/v1/agent/join/${hosts.s1}:${wanPort}`)
    expect(refused.status).toBe(500)
    expect(await refused.text()).toMatch(/it refuses: Member 'c1' is not a server|has conflicting node ID/)
    expect(both.agent('s1').output).toMatch(/push\/pull refused.*(Member 'c1' is not a server|has conflicting node ID)/)
    expect([...(await both.wanMembers('s1')).keys()]).toEqual(['s1.dc1', 's2.dc2', 's3.dc2'])
  })

  it('answer DNS for each other', async () => {
    const at = { host: hosts.c1, port: both.ports.dns }
    expect((await ask(at, 'web.service.dc2.svc', 'A')).answers).toMatchObject([{ type: 'A', data: '192.0.2.9' }])
    const { answers, additionals } = await ask(at, 'web.service.dc2.svc', 'SRV')
    expect(answers).toMatchObject([{ type: 'SRV', data: { port: 80, target: 'web1.node.dc2.svc' } }])
    expect(additionals).toMatchObject([{ type: 'A', name: 'web1.node.dc2.svc', data: '192.0.2.9' }])
    expect((await ask(at, 'web.service.svc', 'A')).answers).toEqual([])
  })

  it('a prepared query finds in the other what its own has not, over HTTP and DNS, and comes back when its own has it', async () => {
    const query = { Name: 'find-web', Service: { Service: 'web', Failover: { NearestN: 3, Datacenters: ['dc9'] } } }
    const made = await both.agent('c1').request('POST', '/v1/query', JSON.stringify(query))
    expect(made.status).toBe(200)
    const executed = (at: NodeName, parameters = '') =>
      both.agent(at).json<Executed>(`/v1/query/find-web/execute${parameters}`)
    const elsewhere = { Datacenter: 'dc2', Failovers: 1, Nodes: [{ Node: { Node: 'web1', Address: '192.0.2.9' } }] }
    expect(await executed('c1')).toMatchObject(elsewhere)
    expect(await executed('s1')).toMatchObject(elsewhere)
    // Of the other datacenter itself it is not known there.
    expect((await both.agent('s2').request('GET', '/v1/query/find-web/execute')).status).toBe(404)
    expect(await executed('s2', '?dc=dc1')).toMatchObject({ Datacenter: 'dc2', Failovers: 1 })
    const at = { host: hosts.c1, port: both.ports.dns }
    expect((await ask(at, 'find-web.query.svc', 'A')).answers).toMatchObject([{ type: 'A', data: '192.0.2.9' }])
    const { answers } = await ask(at, 'find-web.query.svc', 'SRV')
    expect(answers).toMatchObject([{ type: 'SRV', data: { port: 80, target: 'web1.node.dc2.svc' } }])
    const own = { Node: 'web9', Address: '10.1.1.1', Service: { Service: 'web', Port: 81 } }
    await both.agent('s1').request('PUT', '/v1/catalog/register', JSON.stringify(own))
    expect(await executed('c1')).toMatchObject({ Datacenter: 'dc1', Failovers: 0, Nodes: [{ Service: { Port: 81 } }] })
    await both.agent('s1').request('PUT', '/v1/catalog/deregister', JSON.stringify({ Node: 'web9' }))
  })

  it('that are unknown have no path', async () => {
    for (const name of ['s1', 'c1'] as const) {
      const read = await both.agent(name).request('GET', '/v1/kv/color?dc=nowhere')
      expect([read.status, await read.text()]).toEqual([500, 'No path to datacenter'])
      const write = await both.agent(name).request('PUT', '/v1/kv/color?dc=nowhere', 'x')
      expect([write.status, await write.text()]).toEqual([500, 'No path to datacenter'])
    }
  })

  it('rejoin by the stored members of their pool, also with its key, without configured addresses', async () => {
    await both.agent('s1').stop('SIGKILL')
    await eventually('s1 has failed', async () =>
      (await both.statusSeen('s2', 's1.dc1')) === failed ? true : undefined,
    )
    both.startFromSnapshot()
    await eventually('s1 is back', async () => ((await both.statusSeen('s2', 's1.dc1')) === alive ? true : undefined))
    await commonLeader([both.agent('s1'), both.agent('c1')])
    await eventually('s1 knows the others', async () => {
      const seen = await Promise.all(['s2.dc2', 's3.dc2'].map((name) => both.statusSeen('s1', name)))
      return seen.every((status) => status === alive) ? true : undefined
    })
    expect(both.agent('s1').output).toMatch(/Re-joined to previously known node.*s[23]\.dc2/)
    expect(both.agent('s1').output).not.toContain('Joining WAN cluster')
    expect(await both.agent('c1').text('/v1/kv/color?raw&dc=dc2')).toBe('blue')
  })

  it('that cannot be found end a server that is to give up, with one line', async () => {
    const ports = await freePorts()
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, [
      ...portFlags({ ...ports, serf_wan: await freePort() }),
      ...['-server', '-bootstrap-expect=1', '-bind=127.0.0.1', `-data-dir=${join(both.workplace.path, 'lonely')}`],
      ...['-retry-join-wan=127.0.0.1:1', '-retry-max-wan=1', '-retry-interval-wan=50ms'],
    ])
    const { code, error, out } = await agent.exited
    expect(code).toBe(1)
    expect(`${out}${error}`.match(/Join WAN failed, retrying/g)).toHaveLength(1)
    expect(`${out}${error}`).toMatch(/\[ERR\].*max join WAN retry exhausted, exiting/)
  })

  it('see a server of the other leave, and fail, and have no path once all have', async () => {
    expect((await both.command('s3', 'leave')).code).toBe(0)
    await both.agent('s3').exited
    await eventually('s3 has left for all', async () =>
      (await both.statusSeen('s1', 's3.dc2')) === left ? true : undefined,
    )
    await both.agent('s2').stop('SIGKILL')
    await eventually('s2 has failed', async () =>
      (await both.statusSeen('s1', 's2.dc2')) === failed ? true : undefined,
    )
    const read = await both.agent('c1').request('GET', '/v1/kv/color?dc=dc2')
    expect([read.status, await read.text()]).toEqual([500, 'No path to datacenter'])
    expect(await both.agent('s1').json('/v1/catalog/datacenters')).toEqual(['dc1', 'dc2'])
    // A prepared query that would fail over to it says how far it got, and is no failure.
    expect(await both.agent('c1').json('/v1/query/find-web/execute')).toMatchObject({
      Datacenter: 'dc1',
      Failovers: 1,
      Nodes: [],
    })
    expect((await both.command('s1', 'force-leave', 's2.dc2')).code).toBe(0)
    await eventually('s2 counts as left', async () =>
      (await both.statusSeen('s1', 's2.dc2')) === left ? true : undefined,
    )
  })
}, 60_000)
