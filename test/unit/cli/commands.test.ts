import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Answers = Readonly<Record<string, unknown>>

interface Run {
  readonly code: number
  readonly out: string
  readonly error: string
  /** `PUT /v1/… body`. */
  readonly asked: readonly string[]
}

/** Runs one command line against an agent that answers by method and target; anything else gets 404. */
async function run(argv: readonly string[], answers: Answers = {}): Promise<Run> {
  const asked: string[] = []
  const request = async (_to: unknown, { method, target, body }: HttpClientRequest) => {
    asked.push([method, target, ...(body === undefined ? [] : [textOf(body)])].join(' '))
    const answer = answers[`${method} ${target}`]
    if (answer === undefined) return ok({ status: 404, headers: new Map(), body: utf8('no such thing') })
    if (answer instanceof Error) return ok({ status: 500, headers: new Map(), body: utf8(answer.message) })
    return ok({ status: 200, headers: new Map(), body: utf8(answer === '' ? '' : JSON.stringify(answer)) })
  }
  const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as Env
  const terminal = new FakeTerminal()
  const code = await runCli(argv, env, terminal)
  return { code, out: terminal.written, error: terminal.complained, asked }
}

function member(name: string, status: number, tags: object): object {
  return { Name: name, Addr: '10.0.0.1', Port: 8301, Tags: tags, Status: status }
}

const server = { role: 'svc', build: '1.4.0:abc', vsn: '2', dc: 'dc1', id: 'x', raft_vsn: '3' }
const members = [
  member('c1', 4, { role: 'node', build: '1.4.0:', vsn: '2', dc: 'dc1' }),
  member('s2', 3, server),
  member('s1', 1, { ...server, segment: '<all>' }),
]

describe('svc members', () => {
  const answers = { 'GET /v1/agent/members': members }

  it('[CLI-004 MEM-018 MEM-019 MEM-021] has the columns of the reference, servers first', async () => {
    const { code, out, asked } = await run(['members'], answers)
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'Node  Address        Status  Type    Build  Protocol  DC   Segment',
        's1    10.0.0.1:8301  alive   server  1.4.0  2         dc1  <all>',
        's2    10.0.0.1:8301  left    server  1.4.0  2         dc1  <all>',
        'c1    10.0.0.1:8301  failed  client  1.4.0  2         dc1  <default>',
        '',
      ].join('\n'),
    )
    expect(asked).toEqual(['GET /v1/agent/members'])
  })

  it('[MEM-020] shows the release of each agent, and the protocol of the pool, not Raft’s', async () => {
    const mixed = [
      member('s1', 1, { ...server, build: '0.7.0:', raft_vsn: '1' }),
      member('s2', 1, { ...server, build: '1.0.0:', raft_vsn: '3' }),
      member('c1', 1, { role: 'node', build: '1.4.0:', vsn: '2', dc: 'dc1' }),
    ]
    const { out } = await run(['members'], { 'GET /v1/agent/members': mixed })
    const columns = out.split('\n').map((line) => line.split(/ {2,}/))
    expect(columns[0]?.slice(4, 6)).toEqual(['Build', 'Protocol'])
    expect(columns.slice(1, 4).map(([name, , , , build, protocol]) => [name, build, protocol])).toEqual([
      ['s1', '0.7.0', '2'],
      ['s2', '1.0.0', '2'],
      ['c1', '1.4.0', '2'],
    ])
  })

  it('[CLI-005 MEM-022] -detailed has the tags, sorted', async () => {
    const { out } = await run(['members', '-detailed', '-status=alive'], answers)
    expect(out).toBe(
      'Node  Address        Status  Tags\ns1    10.0.0.1:8301  alive   build=1.4.0:abc,dc=dc1,id=x,raft_vsn=3,role=svc,segment=<all>,vsn=2\n',
    )
  })

  it('-status picks by a pattern; when none matches nothing is printed and the code is 2', async () => {
    expect((await run(['members', '-status=^(left|failed)$'], answers)).out.split('\n')).toHaveLength(4)
    expect(await run(['members', '-status=leaving'], answers)).toMatchObject({ code: 2, out: '', error: '' })
    expect(await run(['members', '-status=('], answers)).toMatchObject({
      code: 1,
      error: '-status "(" is not a regular expression\n',
    })
  })

  it.each([
    [['kv', 'get', 'a', 'b'], 'Error! Too many arguments (expected 1, got 2)\n'],
    [['kv', 'delete', 'a', 'b'], 'Error! Too many arguments (expected 1, got 2)\n'],
    [['kv', 'put', 'a', 'b', 'c'], 'Error! Too many arguments (expected 2, got 3)\n'],
  ])('%j has an operand too many, and nobody is asked', async (argv, error) => {
    expect(await run(argv)).toMatchObject({ code: 1, asked: [], error })
  })

  it('-segment asks for one segment, and what the agent says of segments is shown', async () => {
    const all = { 'GET /v1/agent/members?segment=_all': members }
    expect((await run(['members', '-segment=_all'], all)).out).toBe((await run(['members'], answers)).out)
    const none = { 'GET /v1/agent/members?segment=a': new Error('Network segments are not supported') }
    expect(await run(['members', '-segment=a'], none)).toMatchObject({
      code: 1,
      error: 'Error retrieving members: Unexpected response code: 500 (Network segments are not supported)\n',
    })
  })

  it('-wan asks for the other pool', async () => {
    const { code, asked } = await run(['members', '-wan'], { 'GET /v1/agent/members?wan=1': null })
    expect({ code, asked: asked[0] }).toEqual({ code: 2, asked: 'GET /v1/agent/members?wan=1' })
  })
})

describe('svc join, leave, force-leave and reload', () => {
  it('join counts the addresses that answered and names those that did not', async () => {
    const answers = {
      'PUT /v1/agent/join/10.0.0.1': '',
      'PUT /v1/agent/join/10.0.0.2%3A9': new Error('Failed to join 10.0.0.2'),
    }
    expect(await run(['join', '10.0.0.1', '10.0.0.2:9'], answers)).toMatchObject({
      code: 0,
      out: 'Successfully joined cluster by contacting 1 nodes.\n',
      error: "Error joining address '10.0.0.2:9': Unexpected response code: 500 (Failed to join 10.0.0.2)\n",
    })
    const listed = { 'PUT /v1/agent/join/nope': new Error('1 error(s) occurred:\n\n* Failed to join nope') }
    expect((await run(['join', 'nope'], listed)).error.split('\n')[0]).toBe(
      "Error joining address 'nope': Unexpected response code: 500 (1 error(s) occurred: * Failed to join nope)",
    )
    const none = await run(['join', '10.0.0.2:9'], answers)
    expect(none.code).toBe(1)
    expect(none.error.split('\n')[1]).toBe('Failed to join any nodes.')
  })

  it('ask each its own endpoint', async () => {
    expect(await run(['leave'], { 'PUT /v1/agent/leave': '' })).toMatchObject({
      code: 0,
      out: 'Graceful leave complete\n',
    })
    expect(await run(['force-leave', 'a b'], { 'PUT /v1/agent/force-leave/a%20b': '' })).toMatchObject({
      code: 0,
      out: '',
    })
    expect(await run(['reload'], { 'PUT /v1/agent/reload': '' })).toMatchObject({
      code: 0,
      out: 'Configuration reload triggered\n',
    })
    expect(await run(['reload'], { 'PUT /v1/agent/reload': new Error('a.json:1:1: bad') })).toMatchObject({
      code: 1,
      error: 'Error reloading: Unexpected response code: 500 (a.json:1:1: bad)\n',
    })
  })

  it.each([
    [['join'], 'At least one address to join must be specified.'],
    [['leave', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['force-leave'], 'A single node name must be specified to force leave.'],
    [['force-leave', 'a', 'b'], 'A single node name must be specified to force leave.'],
    [['reload', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['catalog', 'nodes', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['catalog', 'services', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['members', 'x', 'y'], 'Too many arguments (expected 0, got 2)'],
    [['info', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['keygen', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['keyring', '-list', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['version', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['maint', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['operator', 'raft', 'list-peers', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['operator', 'raft', 'remove-peer', '-id=a', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['services', 'register'], 'Service registration requires at least one argument or flags.'],
    [['services', 'deregister'], 'Service deregistration requires at least one argument or -id.'],
    [['validate'], 'Must specify at least one config file or directory'],
    [['lock', '-timeout=soon', 'a', 'true'], '-timeout soon: not a duration such as 10s or 1m30s'],
    [['lock', '-try=-1s', 'a', 'true'], '-try -1s: not a duration such as 10s or 1m30s'],
    [['lock', '-monitor-retry=-1', 'a', 'true'], '-monitor-retry -1: not a whole number of 0 or more'],
    [['lock', '-monitor-retry=x', 'a', 'true'], '-monitor-retry x: not a whole number of 0 or more'],
  ])('a mistake in %j is named first, the help follows, and nobody is asked', async (argv, line) => {
    const { code, error, asked } = await run(argv)
    expect({ code, asked }).toEqual({ code: 1, asked: [] })
    expect(error.split('\n')[0]).toBe(line)
    expect(error).toContain('Usage: svc ')
  })
})

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

  it('services of a node are each named once; of nobody there are none', async () => {
    const services = { w1: { Service: 'web', Tags: ['a'] }, w2: { Service: 'web', Tags: ['b', 'a'] } }
    const target = 'GET /v1/catalog/node/n1'
    const answers = { [target]: { Node: {}, Services: services } }
    expect((await run(['catalog', 'services', '-node=n1', '-tags'], answers)).out).toBe('web  a,b\n')
    expect(await run(['catalog', 'services', '-node=n1'], { [target]: null })).toMatchObject({
      code: 0,
      out: 'No services match the given query - try expanding your search.\n',
    })
  })

  it('an answer of somebody else is one line', async () => {
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

describe('svc validate', () => {
  it("[CLI-006] says whether files and directories hold an agent's configuration", async () => {
    const path = join(folder, 'a.json')
    writeFileSync(path, '{"data_dir": "/x", "bind_addr": "10.0.0.1", "service": {"name": "web"}}')
    for (const named of [path, folder]) {
      expect(await run(['validate', named])).toMatchObject({ code: 0, out: 'Configuration is valid!\n' })
    }
    expect(await run(['validate', '-quiet', path])).toMatchObject({ code: 0, out: '' })
    writeFileSync(path, '{"data_dir": "/x", "bind_addr": "10.0.0.1", "service": {"name": ""}}')
    const bad = await run(['validate', path])
    expect(bad.code).toBe(1)
    expect(bad.error).toMatch(/^Config validation failed: .*a\.json:1:\d+: service: Missing service name\n$/)
  })

  it('says in one line what is wrong, whatever the file holds, and what is not there at all', async () => {
    const path = join(folder, 'a.hcl')
    for (const text of [
      'a = <<E\nx\n',
      'a = [<<E\nx\nE\n{',
      '<<E\nx\nE\n = 1',
      '"a\\nb" <<E\nx\nE\n',
      'a = 1 <<E\nx\nE\n',
    ]) {
      writeFileSync(path, text)
      expect((await run(['validate', path])).error, text).toMatch(/^Config validation failed: [^\n]*not HCL[^\n]*\n$/)
    }
    for (const missing of ['none', 'none.hcl']) {
      const { code, error } = await run(['validate', join(folder, missing)])
      expect(code).toBe(1)
      expect(error).toBe(
        `Config validation failed: config: Open failed on ${join(folder, missing)}: no such file or directory\n`,
      )
    }
  })

  it.each([
    [{ acl: { default_policy: 'maybe' } }, 'Unsupported default ACL policy: maybe'],
    [{ tls_min_version: 'tls13' }, 'TLSMinVersion: value tls13 not supported'],
    [{ raft_protocol: 9 }, 'Protocol version 9 must be >= 1 and <= 3'],
    [{ protocol: 9 }, "Protocol version '9' too high"],
    [{ log_level: 'ZZZ' }, 'Invalid log level: ZZZ'],
    [{ node_id: 'x' }, 'node_id "x" is not a UUID'],
    [{ check: { name: 'c', ttl: '1s', service_id: 'nope' } }, 'ServiceID "nope" does not exist'],
    [{ watches: [{ type: 'foo', args: ['x'] }] }, 'Unsupported watch type: foo'],
    [{ encrypt: 'abcd' }, 'key size must be 16, 24 or 32 bytes'],
    [{ ca_file: 'FILE' }, 'ca_file'],
  ])('[CLI-006] finds what the field finds only at the start: %j', async (config, line) => {
    const path = join(folder, 'a.json')
    const text = JSON.stringify({ data_dir: '/x/y/z', bind_addr: '10.0.0.1', ...config })
    writeFileSync(path, text.replace('FILE', path))
    const { code, error } = await run(['validate', path])
    expect([code, error]).toEqual([1, expect.stringContaining(line)])
    expect(error).toMatch(/^Config validation failed: /)
  })

  it('tells where a mistake of TLS stands, in the configuration and in the files that it names', async () => {
    const path = join(folder, 'a.json')
    const validate = async (config: object): Promise<string> => {
      writeFileSync(path, JSON.stringify({ data_dir: '/x/y/z', bind_addr: '10.0.0.1', ...config }))
      return (await run(['validate', path])).error.replaceAll(folder, '')
    }
    expect(await validate({ server: true, verify_incoming: true, ca_file: path })).toBe(
      'Config validation failed: /a.json:1:59: VerifyIncoming set, and no Cert/Key pair provided!: name cert_file and key_file\n',
    )
    expect(await validate({ ca_file: path })).toBe(
      `Config validation failed: /a.json:1:45: ca_file /a.json holds no certificate: name a PEM file with a BEGIN CERTIFICATE line\n`,
    )
    const pem = join(folder, 'a.pem')
    writeFileSync(
      pem,
      '-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n',
    )
    expect(await validate({ cert_file: pem, key_file: pem })).toMatch(
      /^Config validation failed: \/a\.json:1:45: TLS cannot be used: .*: correct cert_file, key_file and ca_file/,
    )
    expect(await validate({ ca_file: pem })).toMatch(/^Config validation failed: \/a\.json:1:45: TLS cannot be used: /)
    expect(await validate({ tls_cipher_suites: 'x' })).toMatch(/^Config validation failed: \/a\.json:1:45: tls_cipher/)
  })

  it('says of keys whose part is not there yet that they have no effect, unless it is to be quiet', async () => {
    const path = join(folder, 'a.hcl')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr = "10.0.0.1"\nports { grpc = 8502 }\n')
    const said = `${path}:3:9: 'ports.grpc' has no effect yet: it waits for gRPC\n`
    expect(await run(['validate', path])).toMatchObject({ code: 0, out: 'Configuration is valid!\n', error: said })
    expect(await run(['validate', '-quiet', path])).toMatchObject({ code: 0, out: '', error: '' })
  })

  it('says which keys of access control say otherwise than those that hold', async () => {
    const path = join(folder, 'a.hcl')
    const acl = 'acl {\n  default_policy = "deny"\n}\nacl_default_policy = "allow"\n'
    writeFileSync(path, `data_dir = "/x"\nbind_addr = "10.0.0.1"\n${acl}`)
    const said = `${path}:6:1: 'acl_default_policy' says "allow", but 'acl.default_policy' says "deny", which counts\n`
    expect(await run(['validate', path])).toMatchObject({ code: 0, out: 'Configuration is valid!\n', error: said })
  })

  it('refuses HCL that ends before a value, with its place', async () => {
    const path = join(folder, 'a.hcl')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr =')
    expect((await run(['validate', path])).error).toBe(
      `Config validation failed: ${path}:2:11: not HCL: no value stands after 'bind_addr =': correct the file\n`,
    )
  })

  it('prints the JSON Schema of what it reads', async () => {
    const { code, out } = await run(['validate', '-schema'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: { log_level: { type: 'string' } } })
  })

  it('reads files of any name as what -config-format says', async () => {
    const path = join(folder, 'a.conf')
    writeFileSync(path, 'data_dir = "/x"\nbind_addr = "10.0.0.1"\n')
    expect(await run(['validate', '-config-format=hcl', path])).toMatchObject({ code: 0, error: '' })
    expect((await run(['validate', '-config-format', 'json', path])).error).toMatch(/a\.conf:1:1: not JSON/)
    expect(await run(['validate', '-config-format=yaml', path])).toMatchObject({
      code: 1,
      error: "Config validation failed: -config-format: -config-format must be either 'hcl' or 'json'\n",
    })
  })

  it('[CLI-007] no longer takes the flags of the agent', async () => {
    for (const flag of ['-config-file=x', '-config-dir=x']) {
      const { code, error } = await run(['validate', flag])
      expect({ code, line: error.split('\n')[0] }).toEqual({
        code: 1,
        line: `flag provided but not defined: ${flag.slice(0, -2)}`,
      })
    }
  })
})

describe('flags of old', () => {
  const provider = "removed in 1.0, use -retry-join 'provider=…'"
  it.each<readonly [row: string, flag: string, remedy: string]>([
    ['[CFG-027]', 'dc', 'removed in 1.0, use -datacenter'],
    ['[CFG-028]', 'retry-join-azure-tag-name', provider],
    ['[CFG-028]', 'retry-join-azure-tag-value', provider],
    ['[CFG-029]', 'retry-join-ec2-region', provider],
    ['[CFG-029]', 'retry-join-ec2-tag-key', provider],
    ['[CFG-029]', 'retry-join-ec2-tag-value', provider],
    ['[CFG-030]', 'retry-join-gce-credentials-file', provider],
    ['[CFG-030]', 'retry-join-gce-project-name', provider],
    ['[CFG-030]', 'retry-join-gce-tag-name', provider],
    ['[CFG-030]', 'retry-join-gce-zone-pattern', provider],
  ])('%s -%s of the agent is refused, and the one to write is named', async (_row, flag, remedy) => {
    const { code, error } = await run(['agent', `-${flag}=x`])
    expect({ code, line: error.split('\n')[0] }).toEqual({
      code: 1,
      line: `flag provided but not defined: -${flag} (${remedy})`,
    })
  })

  const keys = [
    ...['reap', 'recursor', 'advertise_addrs', 'http_api_response_headers', 'addresses.rpc', 'ports.rpc'],
    ...['retry_join_ec2', 'retry_join_gce', 'retry_join_azure', 'statsd_addr', 'statsite_addr', 'statsite_prefix'],
    ...['dogstatsd_addr', 'dogstatsd_tags', 'telemetry.statsite_prefix', 'telemetry.enable_deprecated_names'],
    ...['atlas_infrastructure', 'atlas_token', 'atlas_acl_token', 'atlas_join', 'atlas_endpoint'],
  ]
  const flags = [
    ...['dc', 'atlas', 'atlas-token', 'atlas-join', 'atlas-endpoint', 'retry-join-azure-tag-name'],
    ...['retry-join-azure-tag-value', 'retry-join-ec2-region', 'retry-join-ec2-tag-key', 'retry-join-ec2-tag-value'],
    ...['retry-join-gce-credentials-file', 'retry-join-gce-project-name', 'retry-join-gce-tag-name'],
    'retry-join-gce-zone-pattern',
  ]

  it('[CFG-042] each key and flag that was removed is an error that says since when, and what to write or do instead', async () => {
    const since = String.raw`removed in \d+\.\d+(\.\d+)?, (use |remove it: |commands talk HTTP: use )\S+`
    for (const key of keys) {
      const [first = '', second] = key.split('.')
      const path = join(folder, 'old.json')
      writeFileSync(path, JSON.stringify({ data_dir: '/x', [first]: second === undefined ? 'x' : { [second]: 'x' } }))
      const { code, error } = await run(['validate', path])
      expect(code, key).toBe(1)
      expect(error, key).toMatch(
        new RegExp(String.raw`^Config validation failed: \S+/old\.json:1:\d+: invalid config key ${key}: ${since}`),
      )
    }
    for (const flag of flags) {
      const { code, error } = await run(['agent', `-${flag}=x`])
      expect(code, flag).toBe(1)
      expect(error, flag).toMatch(new RegExp(`^flag provided but not defined: -${flag} \\(${since}`))
    }
  })

  it('-rpc-addr is refused by every command that had it, in favour of -http-addr', async () => {
    for (const command of ['force-leave', 'info', 'join', 'keyring', 'leave', 'members', 'monitor', 'reload']) {
      const { code, error } = await run([command, '-rpc-addr=127.0.0.1:8400'])
      expect(code, command).toBe(1)
      expect(error.split('\n')[0], command).toContain('-rpc-addr (removed in 0.8.0, commands talk HTTP: use -http-addr')
    }
  })
})

describe('commands that ask an agent', () => {
  it('say so when nobody answers', async () => {
    const terminal = new FakeTerminal()
    const to = { host: '127.0.0.1', port: 8500 }
    const http = { ...host.http, request: async () => err({ kind: 'refused' as const, to }) }
    const env = { ...host, disk: host.disk, machine: host.machine, http } as Env
    expect(await runCli(['members'], env, terminal)).toBe(1)
    expect(terminal.complained).toBe(
      'Error retrieving members: Get "http://127.0.0.1:8500/v1/agent/members": dial tcp 127.0.0.1:8500: connect: connection refused\n',
    )
  })
})

describe('svc monitor', () => {
  /** Runs it while the agent does as told; gives what it printed by the time it ended. */
  async function monitor(
    argv: readonly string[],
    serve: (to: HttpClientRequest, terminal: FakeTerminal) => Promise<unknown>,
  ): Promise<{ code: number; out: string; error: string; target: string }> {
    const terminal = new FakeTerminal()
    let target = ''
    const request = (_to: unknown, asked: HttpClientRequest) => {
      target = asked.target
      return serve(asked, terminal)
    }
    const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as unknown as Env
    const code = await runCli(['monitor', ...argv], env, terminal)
    return { code, out: terminal.written, error: terminal.complained, target }
  }

  it('prints whole lines as they come, until it is interrupted', async () => {
    const bytes = utf8('one ü\ntwo\nthr')
    const ran = await monitor(['-log-level=debug'], async ({ onBody }, terminal) => {
      // In the middle of a character.
      onBody?.(bytes.slice(0, 5))
      expect(terminal.written).toBe('')
      onBody?.(bytes.slice(5))
      expect(terminal.written).toBe('one ü\ntwo\n')
      terminal.signal('SIGINT')
      return new Promise(() => undefined)
    })
    expect(ran).toEqual({ code: 0, out: 'one ü\ntwo\n', error: '', target: '/v1/agent/monitor?loglevel=debug' })
  })

  it('says when it cannot begin, and when the agent ends it', async () => {
    const bad = ok({ status: 400, headers: new Map(), body: utf8('Unknown log level: ZZZ') })
    expect(await monitor(['-log-level=zzz'], async () => bad)).toMatchObject({
      code: 1,
      error: 'Error starting monitor: Unexpected response code: 400 (Unknown log level: ZZZ)\n',
    })
    const to = { host: '127.0.0.1', port: 8500 }
    expect((await monitor([], async () => err({ kind: 'refused', to }))).error).toMatch(/^Error starting monitor: Get /)
    const broken = err({ kind: 'broken', to, message: 'reset' })
    const crashed = await monitor([], async ({ onBody }) => {
      onBody?.(utf8('a\n'))
      return broken
    })
    const error = 'The agent ended the monitor: it has stopped or crashed\n'
    expect(crashed).toMatchObject({ code: 1, out: 'a\n', error })
  })
})

describe('operator raft list-peers', () => {
  it('shows <=1 for servers that do not say which Raft protocol they speak', async () => {
    const server = { ID: '10.0.0.1:8300', Node: 'a', Address: '10.0.0.1:8300', Leader: true, Voter: true }
    const said = { ...server, ID: 'id-b', Node: 'b', Leader: false, ProtocolVersion: '2' }
    const { out } = await run(['operator', 'raft', 'list-peers'], {
      'GET /v1/operator/raft/configuration': { Servers: [server, said], Index: 1 },
    })
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(rows.map((row) => [row[0], row[5]])).toEqual([
      ['Node', 'RaftProtocol'],
      ['a', '<=1'],
      ['b', '2'],
    ])
  })
})

describe('svc operator raft remove-peer', () => {
  const path = ['operator', 'raft', 'remove-peer']
  const answers = {
    'DELETE /v1/operator/raft/peer?id=s-1': '',
    'DELETE /v1/operator/raft/peer?address=10.0.0.1%3A8300': '',
    'DELETE /v1/operator/raft/peer?id=foo': new Error('id "foo" was not found in the Raft configuration'),
  }

  it('says which server it removed, by ID or by address', async () => {
    expect(await run([...path, '-id=s-1'], answers)).toMatchObject({ code: 0, out: 'Removed peer with id "s-1"\n' })
    const byAddress = await run([...path, '-address=10.0.0.1:8300'], answers)
    expect(byAddress).toMatchObject({ code: 0, out: 'Removed peer with address "10.0.0.1:8300"\n' })
  })

  it('asks for one of the two, and for no more', async () => {
    const none = await run(path, answers)
    expect(none).toMatchObject({
      code: 1,
      error: 'Error removing peer: an address or id is required for the peer to remove\n',
      asked: [],
    })
    const both = await run([...path, '-id=s-1', '-address=10.0.0.1:8300'], answers)
    expect(both).toMatchObject({
      code: 1,
      error: 'Error removing peer: cannot give both an address and id\n',
      asked: [],
    })
  })

  it('passes on why nobody was removed', async () => {
    expect(await run([...path, '-id=foo'], answers)).toMatchObject({
      code: 1,
      error: 'Error removing peer: Unexpected response code: 500 (id "foo" was not found in the Raft configuration)\n',
    })
  })
})

describe('keys of the pool', () => {
  const key = 'cg8StVXbQJ0gPvMd9o7yrg=='

  it('keygen prints a key of 16 bytes, another one each time', async () => {
    const [one, other] = [await run(['keygen']), await run(['keygen'])]
    expect(Buffer.from(one.out, 'base64').length).toBe(16)
    expect(one.out).toMatch(/^[A-Za-z0-9+/]{22}==\n$/)
    expect(one.out).not.toBe(other.out)
  })

  it('keyring -list prints each pool with its keys', async () => {
    const rings = [{ WAN: false, Datacenter: 'dc1', Segment: '', Keys: { [key]: 2 }, NumNodes: 3 }]
    const listed = await run(['keyring', '-list'], { 'GET /v1/operator/keyring': rings })
    expect([listed.code, listed.out]).toEqual([
      0,
      `==> Gathering installed encryption keys...\n\ndc1 (LAN):\n  ${key} [2/3]\n`,
    ])
  })

  it('keyring installs, uses and removes', async () => {
    for (const [flag, method] of [
      ['install', 'POST'],
      ['use', 'PUT'],
      ['remove', 'DELETE'],
    ] as const) {
      const target = `${method} /v1/operator/keyring?relay-factor=2`
      const done = await run(['keyring', `-${flag}`, key, '-relay-factor', '2'], { [target]: '' })
      expect([done.code, done.asked]).toEqual([0, [`${target} {"Key":"${key}"}`]])
    }
  })

  it('keyring takes exactly one action, and tells of a refusal', async () => {
    expect((await run(['keyring'])).code).toBe(1)
    expect((await run(['keyring', '-list', '-use', key])).code).toBe(1)
    const refused = await run(['keyring', '-remove', key], {
      'DELETE /v1/operator/keyring': new Error('Removing the primary key is not allowed'),
    })
    expect([refused.code, refused.error]).toEqual([
      1,
      'error: Unexpected response code: 500 (Removing the primary key is not allowed)\n',
    ])
  })
})

describe('user events', () => {
  it('event prints the ID', async () => {
    const target = 'PUT /v1/event/fire/deploy?node=n.*'
    const fired = await run(['event', '-name', 'deploy', '-node', 'n.*', 'payload'], { [target]: { ID: 'x-y' } })
    expect([fired.code, fired.out, fired.asked]).toEqual([0, 'Event ID: x-y\n', [`${target} payload`]])
  })

  it('event needs a name, and expressions that are some', async () => {
    expect((await run(['event', 'payload'])).code).toBe(1)
    const wrong = await run(['event', '-name', 'x', '-node', '*'])
    expect([wrong.code, wrong.error]).toEqual([
      1,
      'Failed to compile node filter regexp: error parsing regexp: missing argument to repetition operator: `*`\n',
    ])
  })
})

describe('round-trip times', () => {
  const at = (node: string, x: number) => ({
    Node: node,
    Segment: '',
    Coord: { Vec: [x, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0.0001 },
  })
  const nodes = { 'GET /v1/coordinate/nodes': [at('n1', 0), at('n2', 0.01)] }

  it('rtt estimates that between two nodes', async () => {
    const told = await run(['rtt', 'n1', 'n2'], nodes)
    expect([told.code, told.out]).toEqual([0, 'Estimated n1 <-> n2 rtt: 10.200 ms (using LAN coordinates)\n'])
  })

  it('rtt of one node is to the agent that is asked', async () => {
    const self = { 'GET /v1/agent/self': { Config: { NodeName: 'n1', Datacenter: 'dc1' } } }
    expect((await run(['rtt', 'n2'], { ...nodes, ...self })).out).toContain('Estimated n2 <-> n1 rtt: 10.200 ms')
    const wan = { 'GET /v1/coordinate/datacenters': [{ Coordinates: [at('n1.dc1', 0), at('n9.dc2', 0.1)] }] }
    expect((await run(['rtt', '-wan', 'n9.dc2'], { ...wan, ...self })).out).toBe(
      'Estimated n9.dc2 <-> n1.dc1 rtt: 100.200 ms (using WAN coordinates)\n',
    )
  })

  it('rtt names a node that nothing is known of', async () => {
    const told = await run(['rtt', 'n1', 'n3'], nodes)
    expect([told.code, told.error]).toEqual([1, 'Could not find a coordinate for node "n3"\n'])
    expect((await run(['rtt'])).code).toBe(1)
  })
})
