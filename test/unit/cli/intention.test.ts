import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proxyVariables } from '../../../src/model/proxy-variables.ts'
import { FakeApi } from './fake-api.ts'

const root = '/v1/connect/intentions'
const webToDb = {
  ID: 'b410daf6-0000-0000-0000-000000000001',
  Description: '',
  ...{ SourceNS: 'default', SourceName: 'web', DestinationNS: 'default', DestinationName: 'db', SourceType: 'svc' },
  ...{ Action: 'deny', DefaultAddr: '', DefaultPort: 0, Meta: {}, Precedence: 9 },
  ...{
    CreatedAt: '2026-11-21T03:24:53.037609014Z',
    UpdatedAt: '2026-11-21T03:24:53Z',
    CreateIndex: 213,
    ModifyIndex: 213,
  },
}
const anyToDb = { ...webToDb, ID: 'b410daf6-0000-0000-0000-000000000002', SourceName: '*', Precedence: 8 }

let folder: string
let api: FakeApi
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-intention-'))
  api = new FakeApi()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

describe('svc intention create', () => {
  it('allows unless it is told to deny, and says what it created', async () => {
    api.on(`POST ${root}`, [200, { ID: 'x' }])
    expect(await api.run(['intention', 'create', 'a', 'b'])).toEqual({
      code: 0,
      out: 'Created: a => b (allow)\n',
      error: '',
    })
    expect(await api.run(['intention', 'create', '-deny', '-meta=k=v', '-meta=l=w', 'a', '*'])).toMatchObject({
      out: 'Created: a => * (deny)\n',
    })
    expect(api.changes.map(({ body }) => body)).toEqual([
      { SourceName: 'a', DestinationName: 'b', SourceType: 'svc', Action: 'allow', Meta: {} },
      { SourceName: 'a', DestinationName: '*', SourceType: 'svc', Action: 'deny', Meta: { k: 'v', l: 'w' } },
    ])
  })

  it('takes files, each with one intention, as they are', async () => {
    api.on(`POST ${root}`, [200, { ID: 'x' }])
    const intention = { SourceName: 'a', DestinationName: 'b', Action: 'deny', Description: 'd' }
    expect(await api.run(['intention', 'create', '-file', file('a.json', intention)])).toMatchObject({ code: 0 })
    expect(api.changes.map(({ body }) => body)).toEqual([intention])
    const long = file('c.json', `${JSON.stringify(intention)}${' '.repeat(8 << 20)}`)
    const error = expect.stringContaining(`read ${long}: it has more than 8388608 bytes`)
    expect(await api.run(['intention', 'create', '-file', long])).toMatchObject({ code: 1, error })
    const wrong = file('b.json', { SourceName: 'a', DestinationName: 'b', Action: 'perhaps' })
    expect(await api.run(['intention', 'create', '-file', wrong])).toMatchObject({
      code: 1,
      error: `Error: ${wrong} is not an intention: set Action to 'allow' or 'deny'\n`,
    })
  })

  it('finds one by its ends whatever the case of their letters, as the servers do', async () => {
    api.on(`GET ${root}`, [200, [anyToDb, webToDb]]).on(`PUT ${root}/${webToDb.ID}`, [200, { ID: webToDb.ID }])
    api.on(`DELETE ${root}/${webToDb.ID}`, [200, true])
    expect(await api.run(['intention', 'create', '-replace', 'WEB', 'Db'])).toEqual({ code: 0, out: '', error: '' })
    expect(await api.run(['intention', 'delete', 'Web', 'DB'])).toMatchObject({ code: 0, out: 'Intention deleted.\n' })
  })

  it('replaces one of the same ends and says nothing of it, or creates it', async () => {
    api.on(`GET ${root}`, [200, [anyToDb, webToDb]]).on(`PUT ${root}/${webToDb.ID}`, [200, { ID: webToDb.ID }])
    api.on(`POST ${root}`, [200, { ID: 'x' }])
    expect(await api.run(['intention', 'create', '-replace', '-allow', 'web', 'db'])).toEqual({
      code: 0,
      out: '',
      error: '',
    })
    expect(await api.run(['intention', 'create', '-replace', 'web', 'queue'])).toMatchObject({
      out: 'Created: web => queue (allow)\n',
    })
    expect(api.changes.map(({ what }) => what)).toEqual([`PUT ${root}/${webToDb.ID}`, `POST ${root}`])
    expect(api.changes[0]?.body).toMatchObject({ ID: webToDb.ID, Action: 'allow' })
  })

  it.each([
    [['-allow', '-deny', 'a', 'b'], 'Only one of -allow or -deny may be specified.\n'],
    [['a'], 'Error: Must specify two arguments: source and destination\n'],
    [['a', 'b', 'c'], 'Error: Must specify two arguments: source and destination\n'],
    [['-file'], 'Error: Must specify at least one file\n'],
    [['-meta=k', 'a', 'b'], 'Error: -meta "k" is not key=value\n'],
    [['-file', '/none/x.json'], 'Error: open /none/x.json: no such file or directory\n'],
  ])('refuses %j, and asks nobody', async (argv, error) => {
    expect(await api.run(['intention', 'create', ...argv])).toEqual({ code: 1, out: '', error })
    expect(api.asked).toEqual([])
  })

  it('says what the agent says', async () => {
    const said = 'duplicate intention found: DENY default/web => default/db (ID: x, Precedence: 9)'
    api.on(`POST ${root}`, [500, said])
    expect((await api.run(['intention', 'create', 'web', 'db'])).error).toBe(
      `Error creating intention web => db (allow): Unexpected response code: 500 (${said})\n`,
    )
  })
})

describe('svc intention check', () => {
  it('exits with 0 where it is allowed, with 1 where it is denied, with 2 where no agent can say', async () => {
    const path = `GET ${root}/check?source=web&destination=db`
    api.on(path, [200, { Allowed: true }])
    expect(await api.run(['intention', 'check', 'web', 'db'])).toEqual({ code: 0, out: 'Allowed\n', error: '' })
    api.on(path, [200, { Allowed: false }])
    expect(await api.run(['intention', 'check', 'web', 'db'])).toEqual({ code: 1, out: 'Denied\n', error: '' })
    api.on(path, [403, 'Permission denied'])
    expect(await api.run(['intention', 'check', 'web', 'db'])).toMatchObject({ code: 2, out: '' })
    expect(await api.run(['intention', 'check', 'web'])).toEqual({
      code: 2,
      out: '',
      error: 'Error: command requires exactly two arguments: src and dst\n',
    })
  })
})

describe('svc intention get', () => {
  it('shows one by its ends or its ID, the values below each other', async () => {
    const described = { ...webToDb, Description: 'd', Meta: { z: '1', a: '2' } }
    api.on(`GET ${root}`, [200, [anyToDb, webToDb]]).on(`GET ${root}/${webToDb.ID}`, [200, webToDb])
    const out = `Source:       web
Destination:  db
Action:       deny
ID:           ${webToDb.ID}
Created At:   Saturday, 21-Nov-26 03:24:53 UTC
`
    expect(await api.run(['intention', 'get', 'web', 'db'])).toEqual({ code: 0, out, error: '' })
    api.on(`GET ${root}/${webToDb.ID}`, [200, described])
    expect((await api.run(['intention', 'get', webToDb.ID])).out).toBe(
      out.replace('Created', 'Meta[a]:      2\nMeta[z]:      1\nDescription:  d\nCreated'),
    )
  })

  it('says which one is not there', async () => {
    api.on(`GET ${root}`, [200, []])
    expect((await api.run(['intention', 'get', 'z', 'z'])).error).toBe(
      'Error: Intention with source "z" and destination "z" not found.\n',
    )
    expect((await api.run(['intention', 'get', 'nope'])).error).toBe(
      'Error: "nope" is not the ID of an intention. Give its two ends, SRC DST; svc intention match NAME lists intentions\n',
    )
    expect((await api.run(['intention', 'get'])).error).toBe('Error: command requires exactly 1 or 2 arguments\n')
  })
})

describe('svc intention match', () => {
  it('lists what is about a name, in the order of the servers', async () => {
    api.on(`GET ${root}/match?by=destination&name=db`, [200, { db: [webToDb, anyToDb] }])
    api.on(`GET ${root}/match?by=source&name=web`, [200, { web: null }])
    expect((await api.run(['intention', 'match', 'db'])).out).toBe('web => db (deny)\n* => db (deny)\n')
    expect(await api.run(['intention', 'match', '-source', 'web'])).toEqual({ code: 0, out: '', error: '' })
    expect((await api.run(['intention', 'match', '-source', '-destination', 'x'])).code).toBe(1)
    expect((await api.run(['intention', 'match'])).error).toBe(
      'Error: command requires exactly one argument: source or destination\n',
    )
  })
})

describe('svc intention delete', () => {
  it('deletes by ends or by ID', async () => {
    api.on(`GET ${root}`, [200, [webToDb]]).on(`DELETE ${root}/${webToDb.ID}`, [200, true])
    for (const argv of [['web', 'db'], [webToDb.ID]]) {
      expect(await api.run(['intention', 'delete', ...argv])).toEqual({
        code: 0,
        out: 'Intention deleted.\n',
        error: '',
      })
    }
    expect(api.changes.map(({ what }) => what)).toEqual([
      `DELETE ${root}/${webToDb.ID}`,
      `DELETE ${root}/${webToDb.ID}`,
    ])
  })
})

describe('an agent without the mesh', () => {
  it.each([
    [['intention', 'create', 'a', 'b'], 1, `${root}`],
    [['intention', 'check', 'a', 'b'], 2, `${root}/check`],
    [['intention', 'get', 'a', 'b'], 1, `${root}`],
    [['intention', 'match', 'a'], 1, `${root}/match`],
    [['intention', 'delete', webToDb.ID], 1, `${root}/${webToDb.ID}`],
    [['connect', 'ca', 'get-config'], 1, '/v1/connect/ca/configuration'],
  ])('is said to be one: %j', async (argv, code, path) => {
    const ran = await api.run(argv)
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.error).toContain(`the agent does not serve ${path}: its release does not have it\n`)
  })
})

describe('svc connect', () => {
  const path = '/v1/connect/ca/configuration'

  it('ca get-config shows the configuration, indented by tabs', async () => {
    const config = {
      Provider: 'svc',
      Config: { LeafCertTTL: '72h', RotationPeriod: '2160h' },
      CreateIndex: 5,
      ModifyIndex: 6,
    }
    api.on(`GET ${path}`, [200, config])
    expect(await api.run(['connect', 'ca', 'get-config'])).toEqual({
      code: 0,
      out:
        '{\n\t"Provider": "svc",\n\t"Config": {\n\t\t"LeafCertTTL": "72h",\n\t\t"RotationPeriod": "2160h"\n\t},\n' +
        '\t"CreateIndex": 5,\n\t"ModifyIndex": 6\n}\n',
      error: '',
    })
  })

  it('ca set-config sends the file as it is', async () => {
    api.on(`PUT ${path}`, [200, ''])
    const config = { Provider: 'svc', Config: { LeafCertTTL: '24h' } }
    expect(await api.run(['connect', 'ca', 'set-config', '-force', `-config-file=${file('ca.json', config)}`])).toEqual(
      {
        code: 0,
        out: 'Configuration updated!\n',
        error: '',
      },
    )
    expect(api.changes[0]?.body).toEqual(config)
  })

  it('ca set-config refuses what is no configuration, and asks no agent', async () => {
    const run = async (...argv: string[]) => (await api.run(['connect', 'ca', 'set-config', ...argv])).error
    expect(await run()).toBe('The -config-file flag is required\n')
    expect(await run('-config-file=/none/x')).toBe(
      'Error reading config file: open /none/x: no such file or directory\n',
    )
    expect(await run(`-config-file=${file('a', '{')}`)).toMatch(/^Error parsing config file: .*a:1:2: not JSON: .+\n$/)
    expect(await run(`-config-file=${file('c', '{\n  "Provider": "svc",\n}')}`)).toMatch(/c:3:1: not JSON/)
    expect(await run(`-config-file=${file('b', { Config: {} })}`)).toMatch(/b:1:1: set Provider to a text\n$/)
    expect(api.asked).toEqual([])
  })

  it('proxy needs the service that it stands for, and how to reach it', async () => {
    const problemOf = async (...flags: string[]) => {
      const { code, out, error } = await api.run(['connect', 'proxy', ...flags])
      expect([code, out]).toEqual([1, ''])
      return error.replace('==> Error preparing configuration: ', '').trimEnd()
    }
    expect(await problemOf()).toBe(
      '-service or -proxy-id must be specified so that proxy can configure itself. ' +
        'For a sidecar that is registered with the agent: -sidecar-for=<ID of its service>.',
    )
    expect(await problemOf('-service=web', '-upstream=db')).toBe('-upstream "db" is not <name>:<port>')
    expect(await problemOf('-service=web', '-listen=:8443')).toBe(
      '-service-addr must be specified with -listen so the proxy knows the backend service address.',
    )
    expect(await problemOf('-service=web', '-listen=x')).toBe('-listen "x" is not host:port')
    expect(await problemOf('-service=web', '-register')).toBe('-register needs -listen')
    expect(await problemOf('-register', '-proxy-id=p')).toBe('-register needs -service')
    expect(await problemOf('-service=web', '-log-level=loud')).toBe(
      '-log-level "loud" is none of TRACE DEBUG INFO WARN ERR',
    )
    api.answers.set('GET /v1/agent/services', [200, '{}'])
    expect(await problemOf('-sidecar-for=web')).toBe('No sidecar proxy registered for web')
  })

  it('proxy says that it accepts no connections for a service without a port', async () => {
    const proxy = { DestinationServiceName: 'web', LocalServiceAddress: '10.1.1.1' }
    const body = { Kind: 'connect-proxy', ID: 'web-proxy', Port: 21_000, Proxy: proxy }
    api.answers.set('GET /v1/agent/service/web-proxy', [200, body])
    // It ends by itself when its standard input does.
    api.environment.set(proxyVariables.tethered, '1')
    const { out, error } = await api.run(['connect', 'proxy', '-proxy-id=web-proxy'])
    expect(out).toContain('Public listener: Disabled\n')
    expect(error).toBe('The proxy web-proxy has no LocalServicePort: it accepts no connections for web\n')
  })

  it('envoy needs the service that it stands for, and then says that it is not there yet', async () => {
    expect((await api.run(['connect', 'envoy'])).error).toBe(
      '==> No proxy ID specified. One of -proxy-id or -sidecar-for is required\n',
    )
    expect(await api.run(['connect', 'envoy', '-sidecar-for=web', '-bootstrap'])).toMatchObject({
      code: 1,
      error: '==> Envoy cannot be configured: the agent has no gRPC API; svc connect proxy is\n',
    })
  })
})
