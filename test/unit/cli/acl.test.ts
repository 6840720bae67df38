import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accessor, token, tokenBlock } from './acl-answers.ts'
import { FakeApi } from './fake-api.ts'

let api: FakeApi
let folder: string
beforeEach(() => {
  api = new FakeApi()
  folder = mkdtempSync(join(tmpdir(), 'svc-acl-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function acl(...argv: readonly string[]) {
  return api.run(['acl', ...argv])
}

describe('svc acl bootstrap', () => {
  it('shows the first token', async () => {
    api.on('PUT /v1/acl/bootstrap', [200, { ID: token.SecretID, ...token }])
    expect(await acl('bootstrap')).toEqual({ code: 0, out: tokenBlock, error: '' })
  })

  it.each([
    [401, 'ACL support disabled'],
    [403, 'Permission denied: ACL bootstrap no longer allowed (reset index: 5)'],
  ])('says what the servers say: %i', async (status, body) => {
    api.on('PUT /v1/acl/bootstrap', [status, body])
    expect(await acl('bootstrap')).toEqual({
      code: 1,
      out: '',
      error: `Failed ACL bootstrapping: Unexpected response code: ${status} (${body})\n`,
    })
  })
})

describe('svc acl set-agent-token', () => {
  it.each([
    ['default', 'acl_token'],
    ['agent', 'acl_agent_token'],
    ['master', 'acl_agent_master_token'],
    ['agent_master', 'acl_agent_master_token'],
    ['replication', 'acl_replication_token'],
  ])('gives the agent its %s token', async (type, kind) => {
    api.on(`PUT /v1/agent/token/${kind}`, [200, ''])
    expect(await acl('set-agent-token', type, 'secret')).toEqual({
      code: 0,
      out: `ACL token "${type}" set successfully\n`,
      error: '',
    })
    expect(api.changes[0]?.body).toEqual({ Token: 'secret' })
  })

  it('knows no other type, and wants both', async () => {
    const error = 'Unknown token type "x": write default, agent, master or replication\n'
    expect(await acl('set-agent-token', 'x', 'y')).toEqual({ code: 1, out: '', error })
    expect((await acl('set-agent-token', 'default')).error).toMatch(/^Error! Missing TOKEN argument\n/)
    expect((await acl('set-agent-token')).error).toMatch(/^Error! Missing TYPE and TOKEN arguments\n/)
  })
})

describe('svc acl translate-rules', () => {
  const translated = 'key_prefix "" {\n  policy = "read"\n}'

  it('takes them as text, from standard input, from a file, and from a token', async () => {
    api.on('POST /v1/acl/rules/translate', ({ body }) => [
      200,
      body === 'key "" { policy = "read" }' ? translated : 'no',
    ])
    api.on(`GET /v1/acl/rules/translate/${accessor}`, [200, translated])
    api.on('GET /v1/acl/token/self', [200, token])
    const [text, file] = ['key "" { policy = "read" }', join(folder, 'rules')]
    writeFileSync(file, text)
    const ways = [[text], [`@${file}`], ['-'], ['-token-accessor', accessor], ['-token-secret', 's']]
    for (const way of ways) {
      const ran = await api.run(['acl', 'translate-rules', ...way], text)
      expect([way, ran.out, ran.error]).toEqual([way, `${translated}\n`, ''])
    }
    expect((await acl('translate-rules')).error).toMatch(/^Error! Missing RULES argument\n/)
  })
})

describe('svc acl explain', () => {
  const explanation = (over: object = {}) => ({
    ...{ AccessorID: accessor, Resource: 'service', Name: 'web', Right: 'read', Allowed: true, DecidedBy: 'rule' },
    ...{ Rule: 'service_prefix ""', Level: 'read', Policy: 'p1', ...over },
  })

  it('says which rule decides, of whose policy, and exits by the answer', async () => {
    const line = 'GET /v1/acl/explain?resource=service&right'
    api.on(`${line}=read&name=web`, ({ token: sent }) => [sent === 'explained' ? 200 : 403, explanation()])
    api.on(`${line}=write&name=web`, [200, explanation({ Allowed: false })])
    expect(await acl('explain', '-token=explained', 'service:read', 'web')).toEqual({
      code: 0,
      out: `Allowed:  service:read "web"\nToken:    ${accessor}\nBecause:  service_prefix "" is "read" in p1\n`,
      error: '',
    })
    expect(await acl('explain', '-token=explained', 'service:write', 'web')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Denied: {3}service:write "web"\n/),
    })
  })

  it.each([
    [{ Allowed: false, DecidedBy: 'default', Level: 'deny' }, 'no rule matches, and the default policy is deny'],
    [{ DecidedBy: 'unrestricted' }, 'the token may do everything'],
    [{ DecidedBy: 'not-enforced' }, 'the settings of access control do not require this right'],
  ])('says why of %j', async (over, why) => {
    api.on('GET /v1/acl/explain?resource=operator&right=read', [200, explanation(over)])
    expect((await acl('explain', 'operator:read')).out).toContain(`Because:  ${why}\n`)
  })

  it('asks for the token of an accessor, and says of one without that it has none', async () => {
    const line = 'GET /v1/acl/explain?resource=service&right=read&name=web&accessor=other'
    api.on(line, [200, explanation({ AccessorID: '' })])
    expect((await acl('explain', '-accessor=other', 'service:read', 'web')).out).toContain(
      'Token:    without an accessor\n',
    )
  })

  it.each([
    [['service:look', 'web'], /is not a right on a resource: write <resource>:<right>, of agent, key/],
    [['service'], /"service" is not a right on a resource/],
    [['operator:read', 'x'], /operator has no names: leave "x" out/],
    [['service:read'], /give the name as well: service:read <name>/],
    [['service:list', 'web'], /only key has the right list/],
  ])('cannot tell for %j, and says why', async (argv, why) => {
    expect(await acl('explain', ...argv)).toEqual({ code: 2, out: '', error: expect.stringMatching(why) })
    expect(api.asked).toEqual([])
  })

  it('cannot tell where the server does not, and says what it said', async () => {
    api.on('GET /v1/acl/explain?resource=service&right=read&name=web', [401, 'ACL support disabled'])
    expect(await acl('explain', 'service:read', 'web')).toEqual({
      code: 2,
      out: '',
      error: 'Error: Unexpected response code: 401 (ACL support disabled)\n',
    })
  })
})

describe('svc acl status', () => {
  const off = {
    ...{ Enabled: false, Running: false, SourceDatacenter: '', ReplicationType: '', ReplicatedIndex: 0 },
    ...{ ReplicatedTokenIndex: 0, LastSuccess: '0001-01-01T00:00:00Z', LastError: '0001-01-01T00:00:00Z' },
  }
  const status = {
    ...{ Mode: 'new', NewSinceIndex: 4, MissingServers: [], TokensLeft: 0 },
    ...{ MigratedTokens: 0, MigratedBatches: 0, CompleteSinceIndex: 5 },
  }

  it('names the servers that keep the datacenter in legacy mode, and why', async () => {
    const missing = [
      { Name: 's1', Datacenter: 'dc1', Why: 'runs 1.3.1' },
      { Name: 's2', Datacenter: 'dc0', Why: 'has access control turned off' },
    ]
    const legacy = { ...status, Mode: 'legacy', MissingServers: missing, TokensLeft: 7, CompleteSinceIndex: 0 }
    api.on('GET /v1/acl/status', [200, legacy]).on('GET /v1/acl/replication', [200, off])
    expect(await acl('status')).toEqual({
      code: 0,
      out:
        'Mode:         legacy\nWaits for:    s1 in dc1, which runs 1.3.1; s2 in dc0, which has access control turned off\n' +
        'Migration:    7 legacy tokens without an accessor; migration begins when the mode is new\nReplication:  off\n',
      error: '',
    })
  })

  it('counts the tokens that are left to migrate, says when it is done, and tells of replication', async () => {
    const running = { Enabled: true, Running: true, SourceDatacenter: 'dc0', ReplicationType: 'tokens' }
    api.on('GET /v1/acl/replication', [
      200,
      { ...off, ...running, ReplicatedIndex: 7, ReplicatedTokenIndex: 9, LastSuccess: '2026-11-21T03:25:52Z' },
    ])
    const half = { TokensLeft: 1, MigratedTokens: 128, MigratedBatches: 1, CompleteSinceIndex: 0 }
    api.on('GET /v1/acl/status', [200, { ...status, ...half }])
    expect((await acl('status')).out).toBe(
      'Mode:         new, since index 4\nMigration:    1 legacy token without an accessor; 128 tokens in 1 batch so far\n' +
        'Replication:  tokens from dc0, running, at index 9; last success 2026-11-21T03:25:52Z, last error never\n',
    )
    api.on('GET /v1/acl/status', [200, { ...status, MigratedTokens: 129, MigratedBatches: 2, CompleteSinceIndex: 9 }])
    expect((await acl('status')).out).toContain(
      'Migration:    complete since index 9; 129 tokens in 2 batches so far\n',
    )
  })

  it('says that it is off where it is', async () => {
    api.on('GET /v1/acl/status', [401, 'ACL support disabled'])
    expect(await acl('status')).toEqual({
      code: 1,
      out: '',
      error: 'Error reading the status: Unexpected response code: 401 (ACL support disabled)\n',
    })
  })
})
