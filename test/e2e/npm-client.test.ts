import { on, once } from 'node:events'
import Consul from 'consul'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devAgent, eventually, freePorts, leads, portFlags, RealAgent } from './real-agent.ts'

/** The field's client for Node, from the registry, unmodified: it knows nothing of this product. */
let agent: RealAgent
/** Its types ask for more than it needs, and for other types than it takes. */
let consul: InstanceType<typeof Consul>

const web = {
  name: 'web',
  id: 'web-1',
  tags: ['v1', 'primary'],
  port: 8080,
  check: { ttl: '60s', status: 'passing' },
} as never

/** Methods that tests have called, and all that the package has, as `Class.method`. */
const called = new Set<string>()
const methods = new Set<string>()

/** Has the methods of an object of the client, and of those within it, say that they were called. */
function listen(client: object): void {
  const prototype = Object.getPrototypeOf(client) as Record<string, unknown>
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const full = `${client.constructor.name}.${name}`
    if (name === 'constructor' || name.startsWith('_') || typeof value !== 'function') continue
    methods.add(full)
    prototype[name] = function (this: unknown, ...given: readonly unknown[]): unknown {
      called.add(full)
      return Reflect.apply(value, this, given)
    }
  }
  for (const [name, part] of Object.entries(client)) {
    if (name !== 'consul' && !name.startsWith('_') && typeof part === 'object') listen(part as object)
  }
}

beforeAll(async () => {
  const ports = await freePorts()
  agent = devAgent(ports, '-node=n1')
  await leads(agent)
  await eventually('the node in the catalog', async () => {
    const nodes = await agent.json<{ Node: string }[]>('/v1/catalog/nodes')
    return nodes?.some(({ Node }) => Node === 'n1') ? true : undefined
  })
  consul = new Consul({ host: '127.0.0.1', port: ports.http })
  listen(consul)
  await consul.agent.service.register(web)
})
afterAll(() => agent.stop('SIGKILL'))

/** What its types leave out, or ask too much of. */
interface Others {
  readonly catalog: {
    nodes(): Promise<unknown>
    services(): Promise<unknown>
    readonly connect: { nodes(service: string): Promise<unknown> }
  }
  readonly agent: {
    services(): Promise<unknown>
    checks(): Promise<unknown>
    reload(): Promise<void>
    forceLeave(node: string): Promise<void>
  }
}

/** What its types leave out. */
interface Unlisted {
  destroy(id: string): Promise<void>
  explain(query: string): Promise<unknown>
}

/**
 * What a watch tells, one after the other, from its beginning: an answer that comes while the test waits for another is
 * kept.
 */
function changesOf<T>(watch: ReturnType<typeof consul.watch>): () => Promise<T> {
  const told = on(watch, 'change')
  return async () => ((await told.next()).value as [T])[0]
}

describe('the npm client of the field, unmodified', () => {
  it('agent: services and checks come, are reported, put into maintenance, and go', async () => {
    await consul.agent.service.register(web)
    const services = (await consul.agent.service.list()) as Record<string, { Service: string; Tags: string[] }>
    expect(services['web-1']).toMatchObject({ ID: 'web-1', Service: 'web', Tags: ['v1', 'primary'], Port: 8080 })

    await consul.agent.check.fail({ id: 'service:web-1', note: 'broken' })
    const checks = (await consul.agent.check.list()) as Record<string, { Status: string; Output: string }>
    expect(checks['service:web-1']).toMatchObject({ Status: 'critical', Output: 'broken', ServiceName: 'web' })
    await consul.agent.check.warn('service:web-1')
    await consul.agent.check.pass('service:web-1')

    await consul.agent.service.maintenance({ id: 'web-1', enable: true, reason: 'work' })
    expect(await consul.health.service({ service: 'web', passing: true })).toEqual([])
    await consul.agent.service.maintenance({ id: 'web-1', enable: false })

    await consul.agent.check.register({ name: 'disk', ttl: '30s', notes: 'of the node' } as never)
    expect(Object.keys((await consul.agent.check.list()) as object)).toContain('disk')
    await consul.agent.check.deregister('disk')
    expect(Object.keys((await consul.agent.check.list()) as object)).not.toContain('disk')

    expect((await consul.agent.self()) as object).toMatchObject({ Config: { NodeName: 'n1', Datacenter: 'dc1' } })
    expect((await consul.agent.members()) as object[]).toMatchObject([{ Name: 'n1', Status: 1 }])
    await consul.agent.maintenance({ enable: true, reason: 'all of it' })
    await consul.agent.maintenance({ enable: false })
  })

  it('catalog and health: nodes, services and their instances, and what does not pass left out', async () => {
    await consul.catalog.register({
      node: 'outside',
      address: '10.9.8.7',
      service: { service: 'db', tags: ['main'], port: 5432 },
      check: { name: 'db', serviceid: 'db', status: 'critical' },
    })
    expect(await consul.catalog.datacenters()).toEqual(['dc1'])
    expect(((await consul.catalog.node.list()) as { Node: string }[]).map(({ Node }) => Node)).toEqual([
      'n1',
      'outside',
    ])
    expect(await consul.catalog.service.list()).toMatchObject({ db: ['main'], web: ['v1', 'primary'] })
    expect(await consul.catalog.service.nodes({ service: 'db', tag: 'main' })).toMatchObject([
      { Node: 'outside', Address: '10.9.8.7', ServiceName: 'db', ServicePort: 5432 },
    ])
    expect(await consul.catalog.node.services('outside')).toMatchObject({ Services: { db: { Service: 'db' } } })

    expect(await consul.health.service('db')).toMatchObject([{ Node: { Node: 'outside' }, Service: { Port: 5432 } }])
    expect(await consul.health.service({ service: 'db', passing: true })).toEqual([])
    expect(await consul.health.checks('db')).toMatchObject([{ Name: 'db', Status: 'critical' }])
    expect(await consul.health.state('critical')).toMatchObject([{ Node: 'outside' }])
    expect(await consul.health.node('n1')).toEqual(
      expect.arrayContaining([expect.objectContaining({ CheckID: 'serfHealth', Status: 'passing' })]),
    )
    await consul.catalog.deregister({ node: 'outside' })
    expect(((await consul.catalog.node.list()) as unknown[]).length).toBe(1)
  })

  it('kv: values, flags, check-and-set, prefixes, and a missing key', async () => {
    expect(await consul.kv.set('app/name', 'hello wörld')).toBe(true)
    const got = (await consul.kv.get('app/name')) as { Value: string; ModifyIndex: number }
    expect(got).toMatchObject({ Key: 'app/name', Value: 'hello wörld', Flags: 0 })
    // The client makes nothing of the answer `false`.
    expect(await consul.kv.set({ key: 'app/name', value: 'late', cas: '1' } as never)).toBe(undefined)
    expect(await consul.kv.get('app/name')).toMatchObject({ Value: 'hello wörld' })
    expect(
      await consul.kv.set({ key: 'app/name', value: 'new', cas: String(got.ModifyIndex), flags: 42 } as never),
    ).toBe(true)
    expect(await consul.kv.get('app/name')).toMatchObject({ Value: 'new', Flags: 42 })
    await consul.kv.set('app/port', '80')
    expect(await consul.kv.keys('app/')).toEqual(['app/name', 'app/port'])
    expect(await consul.kv.get({ key: 'app/', recurse: true })).toHaveLength(2)
    const { kv } = consul as unknown as { kv: { delete(key: string): Promise<unknown> } }
    expect(await kv.delete('app/port')).toBe(true)
    expect(await consul.kv.del({ key: 'app/', recurse: true })).toBe(true)
    expect(await consul.kv.get('app/name')).toBe(undefined)
  })

  it('query: one is created, changed, executed by name, explained and destroyed; a template answers other names', async () => {
    const service = { service: 'web', tags: ['v1', '!v2'], onlypassing: true, failover: { nearestn: 1 } }
    const { ID } = (await consul.query.create({ name: 'find', service, dns: { ttl: '10s' } } as never)) as {
      ID: string
    }
    expect(await consul.query.get(ID)).toMatchObject({
      ID,
      Name: 'find',
      Service: { Service: 'web', Failover: { NearestN: 1 } },
    })
    expect(await consul.query.execute('find')).toMatchObject({
      Service: 'web',
      Nodes: [{ Node: { Node: 'n1' }, Service: { Port: 8080 } }],
      DNS: { TTL: '10s' },
      Datacenter: 'dc1',
    })
    const { query } = consul as unknown as { query: Unlisted }
    // The answer is an object; this client takes the first item of a list from it.
    expect(await query.explain('find')).toBe(undefined)
    await consul.query.update({ query: ID, name: 'found', service: { service: 'nope' } } as never)
    expect(await consul.query.execute({ query: 'found', near: '_agent', limit: 1 } as never)).toMatchObject({
      Nodes: [],
    })
    const template = { type: 'name_prefix_match', regexp: '^geo-(.*)$' }
    const made = (await consul.query.create({
      name: 'geo-',
      template,
      service: { service: '${match(1)}' },
    } as never)) as {
      ID: string
    }

    expect(await consul.query.execute('geo-web')).toMatchObject({ Nodes: [{ Service: { ID: 'web-1' } }] })
    expect(await consul.query.list()).toHaveLength(2)
    for (const id of [ID, made.ID]) await query.destroy(id)
    expect(await consul.query.list()).toEqual([])
    await expect(consul.query.get(ID)).rejects.toThrow(/not found/i)
  })

  it('session: a lock is taken, refused to another, given back, and gone with its session', async () => {
    const { ID: one } = (await consul.session.create({ name: 'one', ttl: '10s', lockdelay: '0s' })) as { ID: string }
    const { ID: two } = (await consul.session.create({ name: 'two' })) as { ID: string }
    expect(await consul.kv.set({ key: 'lock', value: '1', acquire: one })).toBe(true)
    expect(await consul.kv.set({ key: 'lock', value: '2', acquire: two })).toBe(undefined)
    expect(await consul.kv.get('lock')).toMatchObject({ Session: one, LockIndex: 1, Value: '1' })
    expect(await consul.kv.set({ key: 'lock', value: '', release: one })).toBe(true)
    expect(await consul.kv.set({ key: 'lock', value: '2', acquire: two })).toBe(true)
    expect(await consul.session.renew(one)).toMatchObject([{ ID: one, TTL: '10s' }])
    expect(((await consul.session.list()) as { ID: string }[]).map(({ ID }) => ID).sort()).toEqual([one, two].sort())
    expect(await consul.session.node('n1')).toHaveLength(2)
    await consul.session.destroy(two)
    expect((await consul.kv.get('lock')) as object).not.toHaveProperty('Session')
    expect(await consul.session.get(two)).toBe(undefined)
    await consul.session.destroy(one)
  })

  it('transaction: all of it or nothing', async () => {
    const set = (Key: string, Value: string) => ({
      KV: { Verb: 'set', Key, Value: Buffer.from(Value).toString('base64') },
    })
    expect(await consul.transaction.create([set('t/a', '1'), set('t/b', '2')] as never)).toMatchObject({
      Results: [{ KV: { Key: 't/a' } }, { KV: { Key: 't/b' } }],
    })
    const refused = consul.transaction.create([
      set('t/a', 'late'),
      { KV: { Verb: 'check-not-exists', Key: 't/b' } },
    ] as never)
    await expect(refused).rejects.toThrow(/conflict/i)
    expect(await consul.kv.get('t/a')).toMatchObject({ Value: '1' })
  })

  it('transaction: every verb, with what it returns', async () => {
    type Kv = {
      readonly Key: string
      readonly Value: string | null
      readonly Session?: string
      readonly LockIndex: number
    }
    const run = async (...operations: readonly object[]): Promise<readonly Kv[]> => {
      const given = operations.map((one) => ({ KV: one }))
      const { Results } = (await consul.transaction.create(given as never)) as { Results: readonly { KV: Kv }[] }
      return Results.map(({ KV }) => KV)
    }
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const { ID: Session } = (await consul.session.create({ name: 'of transactions' })) as { ID: string }
    await run({ Verb: 'check-not-exists', Key: 'v/a' }, { Verb: 'set', Key: 'v/a', Value: base64('1'), Flags: 7 })
    const { ModifyIndex } = (await consul.kv.get('v/a')) as { ModifyIndex: number }
    expect(
      await run({ Verb: 'get', Key: 'v/a' }, { Verb: 'check-index', Key: 'v/a', Index: ModifyIndex }),
    ).toMatchObject([
      { Value: base64('1'), Flags: 7 },
      { Key: 'v/a', Value: null },
    ])
    await run({ Verb: 'cas', Key: 'v/a', Value: base64('2'), Index: ModifyIndex })
    const locked = await run(
      { Verb: 'lock', Key: 'v/b', Value: base64('x'), Session },
      { Verb: 'check-session', Key: 'v/b', Session },
    )
    expect(locked).toMatchObject([{ Key: 'v/b', Session }, { Key: 'v/b' }])
    await run({ Verb: 'unlock', Key: 'v/b', Value: base64('y'), Session })
    const tree = await run({ Verb: 'get-tree', Key: 'v/' })
    expect(tree.map(({ Key, Value }) => `${Key} ${Value}`)).toEqual([`v/a ${base64('2')}`, `v/b ${base64('y')}`])
    const stale = consul.transaction.create([{ KV: { Verb: 'delete-cas', Key: 'v/a', Index: ModifyIndex } }] as never)
    await expect(stale).rejects.toThrow(/conflict/i)
    expect(await run({ Verb: 'delete', Key: 'v/a' }, { Verb: 'delete-tree', Key: 'v/' })).toEqual([])
    expect(await consul.kv.get({ key: 'v/', recurse: true })).toBe(undefined)
    await consul.session.destroy(Session)
  })

  it('status: the leader, and the peers', async () => {
    const leader = await consul.status.leader()
    expect(leader).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(await consul.status.peers()).toEqual([leader])
  })

  it('[HTP-012] watch: each change is told once, by blocking reads, whose index has the name that the client knows', async () => {
    const watch = consul.watch({
      method: consul.kv.get,
      options: { key: 'watched', wait: '10s' } as never,
      backoffFactor: 100,
    })
    const next = changesOf<{ Value: string } | undefined>(watch)
    try {
      await consul.kv.set('watched', 'one')
      expect(((await next()) ?? (await next()))?.Value).toBe('one')
      await consul.kv.set('unwatched', 'x')
      await consul.kv.set('watched', 'two')
      expect((await next())?.Value).toBe('two')
    } finally {
      watch.end()
    }
  })

  it('watch: nodes and services come and go; an end is told, and no change after it', async () => {
    const nodes = consul.watch({ method: consul.catalog.node.list, options: { wait: '10s' } as never })
    const services = consul.watch({ method: consul.catalog.service.list, options: { wait: '10s' } as never })
    const nextNodes = changesOf<readonly { Node: string }[]>(nodes)
    const nextServices = changesOf<Readonly<Record<string, readonly string[]>>>(services)
    expect((await nextNodes()).map(({ Node }) => Node)).toEqual(['n1'])
    expect(Object.keys(await nextServices())).toContain('web')
    await consul.catalog.register({ node: 'watched', address: '10.1.1.1', service: { service: 'late', tags: ['x'] } })
    expect((await nextNodes()).map(({ Node }) => Node)).toEqual(['n1', 'watched'])
    expect((await nextServices())['late']).toEqual(['x'])
    await consul.catalog.deregister({ node: 'watched' })
    expect((await nextNodes()).map(({ Node }) => Node)).toEqual(['n1'])
    const ended = once(nodes, 'end')
    nodes.end()
    services.end()
    await ended
    expect(nodes.isRunning()).toBe(false)
  })

  it('watch: a refusal is told as an error, by its status, and ends it', async () => {
    const watch = consul.watch({ method: consul.kv.get, options: { key: 'a', dc: 'nowhere' } as never, maxAttempts: 1 })
    const [error] = (await once(watch, 'error')) as [Error & { statusCode?: number }]
    expect([error.message, error.statusCode]).toEqual(['consul: kv.get: No path to datacenter', 500])
    watch.end()
  })

  it('watch: the health of a service', async () => {
    const options = { service: 'web', passing: true, wait: '10s' } as never
    const watch = consul.watch({ method: consul.health.service, options })
    const next = changesOf<readonly { Service: { ID: string } }[]>(watch)
    const instances = async (): Promise<readonly string[]> => (await next()).map(({ Service }) => Service.ID)
    try {
      expect(await instances()).toEqual(['web-1'])
      await consul.agent.check.fail('service:web-1')
      expect(await instances()).toEqual([])
    } finally {
      watch.end()
    }
  })

  it('events, the mesh, other names of lists, and what an agent is told to do', async () => {
    const { ID } = (await consul.event.fire('deploy', 'v2')) as { ID: string }
    const heard = await eventually('the event', async () => {
      const events = (await consul.event.list('deploy')) as unknown as readonly object[]
      return events.length > 0 ? events : undefined
    })
    expect(heard).toMatchObject([{ ID, Name: 'deploy', Payload: 'v2' }])
    const destination = { DestinationServiceName: 'web' }
    const proxy = { Service: 'web-proxy', Kind: 'connect-proxy', Port: 21_000, Proxy: destination }
    const body = JSON.stringify({ Node: 'm', Address: '10.1.1.2', Service: proxy })
    expect((await agent.request('PUT', '/v1/catalog/register', body)).status).toBe(200)
    const { catalog, agent: own } = consul as unknown as Others
    expect(await catalog.connect.nodes('web')).toMatchObject([
      { Node: 'm', ServiceName: 'web-proxy', ServicePort: 21_000 },
    ])
    await consul.catalog.deregister({ node: 'm' })
    expect(await catalog.nodes()).toEqual(await consul.catalog.node.list())
    expect(await catalog.services()).toEqual(await consul.catalog.service.list())
    expect(await own.services()).toEqual(await consul.agent.service.list())
    expect(await own.checks()).toEqual(await consul.agent.check.list())
    await own.reload()
    await own.forceLeave('nobody')
    await consul.agent.join('127.0.0.1')
    await consul.agent.service.deregister('web-1')
    expect(await consul.agent.service.list()).not.toHaveProperty('web-1')
  })

  it('access: the first token, and tokens of old', async () => {
    const ports = await freePorts()
    const access = '-hcl=acl { enabled = true default_policy = "deny" }'
    const guarded = new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', '-node=n2', access, ...portFlags(ports)])
    try {
      await eventually('a leader', async () => ((await guarded.leader()) === '' ? undefined : true))
      const nobody = new Consul({ host: '127.0.0.1', port: ports.http })
      const { ID: token } = await eventually('the first token', async () => {
        return (nobody.acl.bootstrap() as unknown as Promise<{ ID: string }>).catch(() => undefined)
      })
      await expect(nobody.acl.bootstrap()).rejects.toThrow(/no longer allowed/i)
      const { acl } = new Consul({ host: '127.0.0.1', port: ports.http, defaults: { token } })
      expect(await acl.replication()).toMatchObject({ Enabled: false, Running: false })
      const rules = 'key "open/" { policy = "write" }'
      const { ID } = (await acl.legacy.create({ name: 'one', type: 'client', rules } as never)) as { ID: string }
      expect(await acl.legacy.info(ID)).toMatchObject({ ID, Name: 'one', Rules: rules })
      await acl.legacy.update({ id: ID, name: 'two', rules } as never)
      const { ID: copy } = (await acl.legacy.clone(ID)) as { ID: string }
      const named = (await acl.legacy.list()) as unknown as readonly { ID: string; Name: string }[]
      expect(named.filter(({ Name }) => Name === 'two').map((each) => each.ID)).toEqual(expect.arrayContaining([ID]))
      expect(named.map((each) => each.ID)).toContain(copy)
      const { legacy } = acl as unknown as { legacy: { get(id: string): Promise<unknown> } }
      expect(await legacy.get(copy)).toMatchObject({ Name: 'two' })
      await acl.legacy.destroy(copy)
      expect(await acl.legacy.info(copy)).toBe(undefined)
    } finally {
      await guarded.stop('SIGKILL')
    }
  })

  it('has no method that none of these calls', () => {
    expect(methods.size).toBeGreaterThan(50)
    consul.destroy()
    expect([...methods].filter((each) => !called.has(each))).toEqual([])
  })
})
