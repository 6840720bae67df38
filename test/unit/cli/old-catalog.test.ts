import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from './answered-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('svc catalog', () => {
  const id = '74a5ceea-905c-88e1-fc48-245e88db463a'
  const node = (name: string): object => ({
    ID: id,
    Node: name,
    Address: '10.0.0.1',
    Datacenter: 'dc1',
    TaggedAddresses: { wan: '10.0.0.1', lan: '10.0.0.1' },
  })

  it('datacenters are one in each line', async () => {
    expect(await run(['catalog', 'datacenters'], { 'GET /v1/catalog/datacenters': ['dc1', 'dc2'] })).toMatchObject({
      code: 0,
      out: 'dc1\ndc2\n',
    })
  })

  it('nodes are sorted by name, their IDs cut unless they are shown in detail', async () => {
    const answers = {
      'GET /v1/catalog/nodes': [
        { ...node('b'), Meta: null },
        { ...node('a'), Meta: { k: 'v' } },
      ],
    }
    expect((await run(['catalog', 'nodes'], answers)).out).toBe(
      'Node  ID        Address   DC\na     74a5ceea  10.0.0.1  dc1\nb     74a5ceea  10.0.0.1  dc1\n',
    )
    const detailed = (await run(['catalog', 'nodes', '-detailed'], answers)).out.split('\n')
    expect(detailed[0]?.split(/ {2,}/)).toEqual(['Node', 'ID', 'Address', 'DC', 'TaggedAddresses', 'Meta'])
    expect(detailed[1]?.split(/ {2,}/)).toEqual(['a', id, '10.0.0.1', 'dc1', 'lan=10.0.0.1, wan=10.0.0.1', 'k=v'])
  })

  it('nodes of a service are those of its instances; metadata, nearness and a filter are passed on', async () => {
    const target = 'GET /v1/catalog/service/web?near=n1&filter=ServicePort%20%3D%3D%2080&node-meta=rack%3Ar1&stale='
    const argv = [
      'catalog',
      'nodes',
      '-service=web',
      '-near=n1',
      '-filter=ServicePort == 80',
      '-node-meta=rack=r1',
      '-stale',
    ]
    const { out } = await run(argv, { [target]: [{ ...node('a'), NodeMeta: {} }] })
    expect(out.split('\n')[1]).toContain('74a5ceea')
  })

  it('services are sorted, with tags when asked for', async () => {
    const answers = { 'GET /v1/catalog/services': { web: ['v2', 'v1'], db: [] } }
    expect((await run(['catalog', 'services'], answers)).out).toBe('db\nweb\n')
    expect((await run(['catalog', 'services', '-tags'], answers)).out).toBe('db   \nweb  v1,v2\n')
  })

  it('services of a node are each named once; an unknown node has none', async () => {
    const services = { w1: { Service: 'web', Tags: ['a'] }, w2: { Service: 'web', Tags: ['b', 'a'] } }
    const target = 'GET /v1/catalog/node/n1'
    const answers = { [target]: { Node: {}, Services: services } }
    expect((await run(['catalog', 'services', '-node=n1', '-tags'], answers)).out).toBe('web  a,b\n')
    expect(await run(['catalog', 'services', '-node=n1'], { [target]: null })).toMatchObject({
      code: 0,
      out: 'No services match the given query - try expanding your search.\n',
    })
  })

  it('an answer of another program is reported in one line', async () => {
    for (const argv of [['datacenters'], ['nodes'], ['services'], ['services', '-node=n']]) {
      const targets = ['datacenters', 'nodes', 'services', 'node/n'].map((path) => [`GET /v1/catalog/${path}`, 7])
      const { code, error } = await run(['catalog', ...argv], Object.fromEntries(targets))
      expect({ code, lines: error.split('\n').length }, argv.join(' ')).toEqual({ code: 1, lines: 2 })
    }
  })
})

describe('svc services', () => {
  const register = { 'PUT /v1/agent/service/register': '' }
  const file = (content: object | string, name = 'web.json'): string => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  it('register takes flags', async () => {
    const flags = ['-name=web', '-port=80', '-tag=a', '-tag=b', '-meta=k=v=w', '-address=10.0.0.9']
    const { code, out, asked } = await run(['services', 'register', ...flags], register)
    expect({ code, out }).toEqual({ code: 0, out: 'Registered service: web\n' })
    expect(JSON.parse(asked[0]?.split('register ')[1] ?? '')).toEqual({
      ID: '',
      Name: 'web',
      Tags: ['a', 'b'],
      Address: '10.0.0.9',
      Port: 80,
      Meta: { k: 'v=w' },
    })
  })

  it('register takes definition files, and names the checks within as the API does', async () => {
    const check = { id: 'up', http: 'http://127.0.0.1/', interval: '10s', tls_skip_verify: true }
    const path = file({ Service: { name: 'web', check, checks: [{ id: 'alive', ttl: '5s' }] } })
    const { out, asked } = await run(['services', 'register', path], register)
    expect(out).toBe('Registered service: web\n')
    expect(JSON.parse(asked[0]?.split('register ')[1] ?? '')).toEqual({
      name: 'web',
      check: { CheckID: 'up', http: 'http://127.0.0.1/', interval: '10s', tls_skip_verify: true },
      checks: [{ CheckID: 'alive', ttl: '5s' }],
    })
  })

  it('register takes definition files of HCL, as an agent does', async () => {
    const hcl = `service {
      name = "web"
      port = 80
      check { id = "up", ttl = "5s" }
      connect { sidecar_service { proxy { upstreams { destination_name = "db", local_bind_port = 9191 } } } }
    }`
    const { out, asked } = await run(['services', 'register', file(hcl, 'web.hcl')], register)
    expect(out).toBe('Registered service: web\n')
    const upstreams = [{ destination_name: 'db', local_bind_port: 9191 }]
    expect(JSON.parse(asked[0]?.split('register ')[1] ?? '')).toEqual({
      name: 'web',
      port: 80,
      check: { CheckID: 'up', ttl: '5s' },
      connect: { sidecar_service: { proxy: { upstreams } } },
    })
    const { error } = await run(['services', 'register', file('service {', 'bad.hcl')], register)
    expect(error).toMatch(/bad\.hcl:1:\d+: not HCL/)
  })

  it.each([
    ['{"service": {"name": "web", "port": "80"}}', /web\.json:1:\d+: service "web": .*'port' expected type 'int'/],
    ['{"service": {"port": 80}}', /Missing service name/],
    ['{"check": {"name": "x"}}', /web\.json:1:2: "check" is not a service: write "service" or "services"/],
    ['{}', /there is no service/],
    ['{', /web\.json:1:2: not JSON/],
  ])('register refuses %s with its place, and asks nobody', async (content, expected) => {
    const { code, error, asked } = await run(['services', 'register', file(content)], register)
    expect({ code, asked }).toEqual({ code: 1, asked: [] })
    expect(error).toMatch(expected)
  })

  it('register refuses flags that make no service', async () => {
    expect((await run(['services', 'register', '-port=80'])).error).toBe(
      'The service has no name: give it with -name\n',
    )
    expect((await run(['services', 'register', '-name=a', '-port=x'])).error).toContain(
      'invalid value "x" for flag -port',
    )
    expect((await run(['services', 'register', '-name=a', '-meta=x'])).error).toBe('-meta "x" is not key=value\n')
    expect((await run(['services', 'register', '-name=a', 'f.json'])).error).toContain('by flags or by files')
  })

  it('deregister takes an ID or the files', async () => {
    const answers = { 'PUT /v1/agent/service/deregister/web-1': '' }
    const byId = await run(['services', 'deregister', '-id=web-1'], answers)
    expect(byId).toMatchObject({ code: 0, out: 'Deregistered service: web-1\n' })
    const byFile = await run(['services', 'deregister', file({ service: { id: 'web-1', name: 'web' } })], answers)
    expect(byFile).toMatchObject({ code: 0, asked: byId.asked })
  })
})

describe('svc maint', () => {
  const check = { Node: 'n1', Notes: 'why', ServiceID: '' }

  it('asks for the node or for one service', async () => {
    const node = 'PUT /v1/agent/maintenance?enable=true&reason=new%20disk'
    expect(await run(['maint', '-enable', '-reason=new disk'], { [node]: '' })).toMatchObject({
      code: 0,
      out: 'Node maintenance is now enabled\n',
    })
    const service = 'PUT /v1/agent/service/maintenance/web1?enable=false'
    expect(await run(['maint', '-disable', '-service=web1'], { [service]: '' })).toMatchObject({
      code: 0,
      out: 'Service maintenance is now disabled for "web1"\n',
    })
  })

  it('shows what is under it', async () => {
    const checks = {
      a: { ...check, CheckID: '_service_maintenance:web1', ServiceID: 'web1' },
      b: { ...check, CheckID: '_node_maintenance' },
      c: { ...check, CheckID: 'other' },
    }
    expect((await run(['maint'], { 'GET /v1/agent/checks': checks })).out).toBe(
      'Node:\n  Name:   n1\n  Reason: why\n\nService:\n  ID:     web1\n  Reason: why\n\n',
    )
    expect((await run(['maint'], { 'GET /v1/agent/checks': {} })).out).toBe('')
  })

  it('refuses to do both, and reasons for nothing', async () => {
    expect((await run(['maint', '-enable', '-disable'])).error).toBe(
      'Only one of -enable or -disable may be provided\n',
    )
    expect((await run(['maint', '-reason=x'])).error).toBe('-reason requires either -enable or -disable\n')
  })
})
