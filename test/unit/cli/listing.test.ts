import { beforeEach, describe, expect, it } from 'vitest'
import { type FakeAnswer, FakeApi } from './fake-api.ts'

const policy = { ID: 'p', Name: 'web', Description: '', Datacenters: null, Hash: null, CreateIndex: 1, ModifyIndex: 1 }
const token = {
  ...{ AccessorID: 'a', Description: '', Local: false, CreateTime: '', Hash: null, Policies: null },
  ...{ CreateIndex: 1, ModifyIndex: 1 },
}
const peer = { ID: 's', Node: 's1', Address: 'a:1', Leader: true, ProtocolVersion: '3', Voter: true }
const member = { Name: 's1', Addr: '10.0.0.1', Port: 8301, Tags: { role: 'svc' }, Status: 1 }
const node = { ID: 'i', Node: 'n', Address: '10.0.0.1', Datacenter: 'dc1', TaggedAddresses: null, Meta: null }
const ring = { WAN: false, Datacenter: 'dc1', Keys: { k: 1 }, NumNodes: 1 }
const entry = { CreateIndex: 1, ModifyIndex: 2, LockIndex: 0, Key: 'a', Flags: 0, Value: 'eA==' }
const intention = {
  ...{ ID: 'i', Description: '', SourceNS: 'default', SourceName: 'a', DestinationNS: 'default', DestinationName: 'b' },
  ...{ Action: 'allow', Meta: {}, CreatedAt: '' },
}
const check = { Node: 'n', CheckID: '_node_maintenance', Notes: 'disk', ServiceID: '' }

const listings: readonly (readonly [argv: string, asks: string, answer: FakeAnswer, listed: unknown])[] = [
  ['members', '/v1/agent/members', [200, [member]], [member]],
  ['catalog datacenters', '/v1/catalog/datacenters', [200, ['dc1']], ['dc1']],
  ['catalog nodes', '/v1/catalog/nodes', [200, [node]], [node]],
  ['catalog services', '/v1/catalog/services', [200, { web: ['a'] }], { web: ['a'] }],
  ['acl policy list', '/v1/acl/policies', [200, [policy]], [{ ...policy, Datacenters: [] }]],
  ['acl token list', '/v1/acl/tokens', [200, [token]], [{ ...token, Policies: [] }]],
  ['operator raft list-peers', '/v1/operator/raft/configuration', [200, { Servers: [peer] }], [peer]],
  ['keyring -list', '/v1/operator/keyring', [200, [ring]], [ring]],
  ['kv get -keys a', '/v1/kv/a?keys=&separator=%2F', [200, ['a']], ['a']],
  ['kv get -recurse a', '/v1/kv/a?recurse=', [200, [entry]], [entry]],
  ['intention match b', '/v1/connect/intentions/match?by=destination&name=b', [200, { b: [intention] }], [intention]],
  ['maint', '/v1/agent/checks', [200, { c: check }], [check]],
]

let api: FakeApi
beforeEach(() => {
  api = new FakeApi()
})

/** The flag stands before the operand. */
function argvWith(argv: string, flag: string): readonly string[] {
  const words = argv.split(' ')
  const operand = /^(kv get|intention match)/.test(argv) ? words.splice(-1) : []
  return [...words, flag, ...operand]
}

describe.each(listings)('svc %s', (argv, asks, answer, listed) => {
  it('-format=json is one line for programs, pretty the same on many lines, and a table is the default', async () => {
    api.on(`GET ${asks}`, answer)
    const json = await api.run(argvWith(argv, '-format=json'))
    expect([json.code, json.error, json.out.split('\n').length]).toEqual([0, '', 2])
    expect(JSON.parse(json.out)).toEqual(listed)
    const pretty = await api.run(argvWith(argv, '-format=pretty'))
    expect(JSON.parse(pretty.out)).toEqual(listed)
    expect(pretty.out.split('\n').length).toBeGreaterThan(2)
    const table = await api.run(argvWith(argv, '-format=table'))
    expect(table).toEqual(await api.run(argv.split(' ')))
    expect(table.out).not.toBe(json.out)
  })

  it('refuses another format, and asks no agent', async () => {
    const { code, error } = await api.run(argvWith(argv, '-format=xml'))
    expect([code, api.asked]).toEqual([1, []])
    expect(error.split('\n')[0]).toBe('There is no format "xml": write table, pretty or json')
  })
})

describe('a listing of nothing', () => {
  it.each<[string, string, FakeAnswer, unknown, number]>([
    ['catalog nodes', '/v1/catalog/nodes', [200, []], [], 0],
    ['catalog services', '/v1/catalog/services', [200, {}], {}, 0],
    ['kv get -keys a', '/v1/kv/a?keys=&separator=%2F', [404, ''], [], 0],
    ['members -status=failed', '/v1/agent/members', [200, [member]], [], 2],
  ])('%s is an empty document for programs', async (argv, asks, answer, listed, code) => {
    api.on(`GET ${asks}`, answer)
    const ran = await api.run(argvWith(argv, '-format=json'))
    expect([ran.code, JSON.parse(ran.out)]).toEqual([code, listed])
  })
})

describe('colours', () => {
  it('mark the state of members on a terminal, unless NO_COLOR or a dumb terminal forbid it', async () => {
    api.on('GET /v1/agent/members', [200, [member, { ...member, Name: 'failed', Status: 4 }]])
    const plain = (await api.run(['members'])).out
    api.interactive = true
    const colored = (await api.run(['members'])).out
    expect(colored).toContain('  \u001b[32malive\u001b[0m   server')
    expect(colored).toContain('  \u001b[31mfailed\u001b[0m  server')
    expect(colored.replaceAll('\u001b[32m', '').replaceAll('\u001b[31m', '').replaceAll('\u001b[0m', '')).toBe(plain)
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['TERM', 'dumb'],
    ] as const) {
      api.environment.set(name, value)
      expect((await api.run(['members'])).out).toBe(plain)
      api.environment.delete(name)
    }
    expect((await api.run(['members', '-format=json'])).out).not.toContain('\u001b')
  })
})
