import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import { type ExactObject, isObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ownNode = 'node-a'

describe.each(worlds.map((world) => [world.name, world] as const))('the catalog %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  async function register(body: object): Promise<void> {
    const reply = await ask(target, 'PUT /v1/catalog/register', JSON.stringify(body))
    expect([reply.status, reply.text]).toEqual([200, 'true'])
  }

  async function deregister(body: object): Promise<void> {
    const reply = await ask(target, 'PUT /v1/catalog/deregister', JSON.stringify(body))
    expect([reply.status, reply.text]).toEqual([200, 'true'])
  }

  async function list(path: string): Promise<ExactObject[]> {
    const reply = await ask(target, `GET ${path}`)
    const body = reply.json()
    expect(reply.status).toBe(200)
    expect(body).toBeInstanceOf(Array)
    return body as ExactObject[]
  }

  async function node(name: string): Promise<ExactObject> {
    const found = (await list('/v1/catalog/nodes')).find(({ Node }) => Node === name)
    return found ?? {}
  }

  it('[CAT-001] keeps nodes, services and checks', async () => {
    await register({
      Node: 'kept',
      Address: '10.1.0.1',
      Service: { Service: 'kept' },
      Checks: [{ Name: 'of the node' }, { Name: 'of the service', ServiceID: 'kept' }],
    })
    expect(await node('kept')).toMatchObject({ Address: '10.1.0.1' })
    expect(await list('/v1/catalog/service/kept')).toMatchObject([{ Node: 'kept', ServiceID: 'kept' }])
    expect(await list('/v1/health/node/kept')).toMatchObject([
      { CheckID: 'of the node' },
      { CheckID: 'of the service' },
    ])
  })

  it('[CAT-002] [CAT-003] [CAT-004] [CAT-005] a node has its ID, a UUID, its name, its IP address and its datacenter', async () => {
    const own = await node(ownNode)
    expect(own['ID']).toMatch(uuid)
    expect(own).toMatchObject({ Node: ownNode, Address: '127.0.0.1', Datacenter: 'dc1' })
  })

  it('[CAT-006] a node has addresses tagged lan and wan', async () => {
    expect((await node(ownNode))['TaggedAddresses']).toEqual({ lan: '127.0.0.1', wan: '127.0.0.1' })
  })

  it('[CAT-007] a node has metadata, texts by name', async () => {
    await register({ Node: 'described', Address: '10.1.0.2', NodeMeta: { rack: '7', empty: '' } })
    expect((await node('described'))['Meta']).toEqual({ empty: '', rack: '7' })
  })

  it('[CAT-008] the metadata of an agent say its network segment, which may be empty', async () => {
    expect((await node(ownNode))['Meta']).toMatchObject({ 'svc-network-segment': '' })
  })

  it('[CAT-009] ModifyIndex changes when a node does, CreateIndex never, and neither when the same is said again', async () => {
    await register({ Node: 'indexed', Address: '10.1.0.3' })
    const first = await node('indexed')
    expect(Number.isSafeInteger(first['CreateIndex'])).toBe(true)
    expect(first['ModifyIndex']).toBe(first['CreateIndex'])
    await register({ Node: 'indexed', Address: '10.1.0.3' })
    expect(await node('indexed')).toEqual(first)
    await register({ Node: 'indexed', Address: '10.1.0.4' })
    const second = await node('indexed')
    expect(second['CreateIndex']).toBe(first['CreateIndex'])
    expect(second['ModifyIndex']).toBeGreaterThan(first['ModifyIndex'] as number)
  })

  it('[CAT-012] lists all nodes, by name', async () => {
    await register({ Node: 'a-listed', Address: '10.1.0.7' })
    await register({ Node: 'z-listed', Address: '10.1.0.8' })
    const names = (await list('/v1/catalog/nodes')).map(({ Node }) => String(Node))
    expect(names).toEqual(expect.arrayContaining(['a-listed', ownNode, 'z-listed']))
    expect(names).toEqual([...names].sort((a, b) => (a < b ? -1 : 1)))
  })

  it('[CAT-013] the list of nodes takes dc, near, node-meta, index, wait and how consistent it is to be', async () => {
    await register({ Node: 'asked', Address: '10.1.0.5', NodeMeta: { asked: 'yes' } })
    const of = async (query: string) => (await list(`/v1/catalog/nodes?${query}`)).map(({ Node }) => Node)
    expect(await of('node-meta=asked:yes')).toEqual(['asked'])
    expect(await of('node-meta=asked:yes&node-meta=more:no')).toEqual([])
    expect(await of(`dc=dc1&near=${ownNode}&node-meta=asked:yes`)).toEqual(['asked'])
    expect((await ask(target, 'GET /v1/catalog/nodes?dc=elsewhere')).text).toBe('No path to datacenter')
    for (const [query, said] of [
      ['', 'leader'],
      ['stale', 'stale'],
      ['consistent', 'consistent'],
    ]) {
      const reply = await ask(target, `GET /v1/catalog/nodes?${query}`)
      expect(reply.headers.get('x-svc-effective-consistency')).toBe(said)
    }
    const before = await ask(target, 'GET /v1/catalog/nodes')
    const watcher = begin(target, `GET /v1/catalog/nodes?index=${before.index()}&wait=5m`)
    await target.pause(100)
    await register({ Node: 'newcomer', Address: '10.1.0.6' })
    const after = await target.until(watcher)
    expect(after.text).toContain('newcomer')
    expect(after.index()).toBeGreaterThan(before.index())
  })

  it('[CAT-014] [CAT-015] [CAT-016] [CAT-017] [CAT-018] [CAT-019] [CAT-020] lists the instances of a service', async () => {
    await register({
      Node: 'left',
      Address: '10.2.0.1',
      Service: { ID: 'i1', Service: 'many', Tags: ['x', 'y'], Address: '10.2.0.81', Port: 81 },
    })
    await register({ Node: 'right', Address: '10.2.0.2', Service: { ID: 'i2', Service: 'many' } })
    expect(await list('/v1/catalog/service/many')).toMatchObject([
      {
        Node: 'left',
        Address: '10.2.0.1',
        ServiceID: 'i1',
        ServiceName: 'many',
        ServiceTags: ['x', 'y'],
        ServiceAddress: '10.2.0.81',
        ServicePort: 81,
      },
      {
        Node: 'right',
        Address: '10.2.0.2',
        ServiceID: 'i2',
        ServiceName: 'many',
        ServiceTags: [],
        ServiceAddress: '',
        ServicePort: 0,
      },
    ])
    expect(await list('/v1/catalog/service/none')).toEqual([])
  })

  it('[CAT-021] [CAT-022] [UPG-006] leaves out instances that lack a tag asked for, and takes several', async () => {
    await register({ Node: 'left', Address: '10.2.0.1', Service: { ID: 't1', Service: 'tagged', Tags: ['a', 'b'] } })
    await register({ Node: 'right', Address: '10.2.0.2', Service: { ID: 't2', Service: 'tagged', Tags: ['b'] } })
    const ids = async (query: string) =>
      (await list(`/v1/catalog/service/tagged${query}`)).map(({ ServiceID }) => ServiceID)
    expect(await ids('')).toEqual(['t1', 't2'])
    expect(await ids('?tag=b')).toEqual(['t1', 't2'])
    expect(await ids('?tag=a')).toEqual(['t1'])
    expect(await ids('?tag=b&tag=a')).toEqual(['t1'])
    expect(await ids('?tag=c')).toEqual([])
  })

  it.each(['/v1/catalog/service/', '/v1/health/service/'])(
    '[CAT-023] [HLT-009] the index of %s is the one at which that service last changed: others neither move it nor wake its watchers',
    async (path) => {
      await register({ Node: 'one', Address: '10.3.0.1', Service: { Service: 'mine', Port: 1 } })
      await register({ Node: 'two', Address: '10.3.0.2', Service: { Service: 'theirs', Port: 1 } })
      const before = await ask(target, `GET ${path}mine`)
      const watcher = begin(target, `GET ${path}mine?index=${before.index()}&wait=5m`)
      await target.pause(100)
      await register({ Node: 'two', Address: '10.3.0.2', Service: { Service: 'theirs', Port: 2 } })
      await register({ Node: 'two', Address: '10.3.0.2', Check: { Name: 'c', ServiceID: 'theirs' } })
      await deregister({ Node: 'two' })
      expect((await ask(target, `GET ${path}mine`)).index()).toBe(before.index())
      await register({ Node: 'one', Address: '10.3.0.1', Service: { Service: 'mine', Port: 7 } })
      // Woken by any of the others, it would not know the new port.
      const after = await target.until(watcher)
      expect(after.text).toMatch(/"(Service)?Port":7,/)
      expect(after.index()).toBeGreaterThan(before.index())
      expect((await ask(target, `GET ${path}mine`)).index()).toBe(after.index())
      await deregister({ Node: 'one' })
    },
  )

  it('[CAT-023] and it does not fall when the last instance goes, nor when one comes back', async () => {
    let index = 0
    for (const step of ['comes', 'goes', 'comes', 'goes']) {
      if (step === 'comes') await register({ Node: 'gone', Address: '10.3.0.3', Service: { Service: 'brief' } })
      else await deregister({ Node: 'gone', ServiceID: 'brief' })
      const now = (await ask(target, 'GET /v1/catalog/service/brief')).index()
      expect(now).toBeGreaterThan(index)
      index = now
      await register({ Node: 'busy', Address: '10.3.0.4', Service: { Service: 'busy', Port: index } })
    }
  })

  it('[CAT-028] lists the names of datacenters, the own one first', async () => {
    const reply = await ask(target, 'GET /v1/catalog/datacenters')
    expect(reply.text).toBe('["dc1"]')
    expect(reply.headers.has('x-svc-index')).toBe(false)
  })

  it('[CAT-029] lists the names of services with all their tags', async () => {
    await register({ Node: 'left', Address: '10.2.0.1', Service: { ID: 'u1', Service: 'union', Tags: ['a', 'b'] } })
    await register({ Node: 'right', Address: '10.2.0.2', Service: { ID: 'u2', Service: 'union', Tags: ['b', 'c'] } })
    const services = (await ask(target, 'GET /v1/catalog/services')).json()
    expect(services).toMatchObject({ svc: [], union: ['a', 'b', 'c'] })
  })

  it('[CAT-030] tells of a node with its services, by name or ID, and null of one that is not there', async () => {
    await register({ Node: 'told', Address: '10.4.0.1', Service: { ID: 'x', Service: 'told' } })
    const told = (await ask(target, 'GET /v1/catalog/node/told')).json()
    expect(told).toMatchObject({ Node: { Node: 'told' }, Services: { x: { ID: 'x', Service: 'told' } } })
    const own = (await ask(target, `GET /v1/catalog/node/${String((await node(ownNode))['ID'])}`)).json()
    expect(own).toMatchObject({ Node: { Node: ownNode }, Services: { svc: { ID: 'svc' } } })
    const none = await ask(target, 'GET /v1/catalog/node/none')
    expect([none.status, none.text]).toEqual([200, 'null'])
  })

  it('[CAT-031] a registration adds and changes, all or nothing', async () => {
    await register({
      Node: 'changing',
      Address: '10.5.0.1',
      Service: { ID: 's', Service: 'old' },
      Check: { Name: 'c' },
    })
    await register({
      Node: 'changing',
      Address: '10.5.0.2',
      Service: { ID: 's', Service: 'new' },
      Check: { Name: 'c', Status: 'passing' },
    })
    const reply = await ask(target, 'GET /v1/catalog/node/changing')
    expect(reply.json()).toMatchObject({ Node: { Address: '10.5.0.2' }, Services: { s: { Service: 'new' } } })
    expect(await list('/v1/health/node/changing')).toMatchObject([{ CheckID: 'c', Status: 'passing' }])
    const body = { Node: 'changing', Address: '10.5.0.3', Check: { Name: 'd', ServiceID: 'none' } }
    const refused = await ask(target, 'PUT /v1/catalog/register', JSON.stringify(body))
    expect([refused.status, refused.text]).toEqual([
      400,
      'failed inserting check: Missing service registration on node "changing"',
    ])
    expect((await ask(target, 'GET /v1/catalog/node/changing')).text).toBe(reply.text)
  })

  it('[CAT-032] a deregistration takes out an instance, a check, or a node with all that is on it', async () => {
    await register({
      Node: 'going',
      Address: '10.5.0.4',
      Service: { Service: 'going' },
      Checks: [{ Name: 'node' }, { Name: 'service', ServiceID: 'going' }],
    })
    const rest = async () => {
      const found = (await ask(target, 'GET /v1/catalog/node/going')).json()
      const services = isObject(found) && isObject(found['Services']) ? Object.keys(found['Services']) : undefined
      return [services, (await list('/v1/health/node/going')).map(({ CheckID }) => CheckID)]
    }
    expect(await rest()).toEqual([['going'], ['node', 'service']])
    await deregister({ Node: 'going', ServiceID: 'going' })
    expect(await rest()).toEqual([[], ['node']])
    await deregister({ Node: 'going', CheckID: 'node' })
    expect(await rest()).toEqual([[], []])
    await deregister({ Node: 'going' })
    expect(await rest()).toEqual([undefined, []])
    await deregister({ Node: 'going' })
  })
})
