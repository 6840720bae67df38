import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeApi } from './fake-api.ts'

const accessor = '47851ad2-0000-0000-0000-000000000001'
const policyId = '136846bc-0000-0000-0000-000000000001'
const token = {
  AccessorID: accessor,
  SecretID: '54c9fda5-0000-0000-0000-000000000001',
  Description: 't1',
  Policies: [{ ID: policyId, Name: 'p1' }],
  Local: false,
  CreateTime: '2026-11-21T03:25:52.029071608Z',
  Hash: 'rBcRM26tYGxXMdaJ8K2jsdawwCQm3OjXoTAxbl7E0XE=',
  CreateIndex: 18,
  ModifyIndex: 19,
}
const { SecretID: _, ...stub } = token
const policy = {
  ...{ ID: policyId, Name: 'p1', Description: 'd', Rules: 'service_prefix "" { policy = "read" }' },
  ...{
    Datacenters: ['dc1', 'dc2'],
    Hash: 's7MqNgz0oX/pR64t9EJIRbvx2GW+XqoYmUuGFLiFgnA=',
    CreateIndex: 20,
    ModifyIndex: 21,
  },
}

const tokenBlock = `AccessorID:   ${accessor}
SecretID:     ${token.SecretID}
Description:  t1
Local:        false
Create Time:  2026-11-21 03:25:52.029071608 +0000 UTC
Policies:
   ${policyId} - p1
`
const metaLines = `Hash:         ac1711336ead606c5731d689f0ada3b1d6b0c02426dce8d7a130316e5ec4d171
Create Index: 18
Modify Index: 19
`
const policyBlock = `ID:           ${policyId}
Name:         p1
Description:  d
Datacenters:  dc1, dc2
Rules:
service_prefix "" { policy = "read" }
`

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

describe('svc acl token', () => {
  it('create links policies by name and by how their ID begins', async () => {
    api.on('PUT /v1/acl/token', [200, token]).on('GET /v1/acl/policies', [200, [policy]])
    const made = await acl(
      'token',
      'create',
      '-description=t1',
      '-policy-name=p1',
      '-policy-id=1368',
      '-local',
      '-meta',
    )
    expect(made).toEqual({ code: 0, out: tokenBlock.replace('Policies', `${metaLines}Policies`), error: '' })
    expect(api.changes[0]?.body).toEqual({
      Description: 't1',
      Local: true,
      Policies: [{ Name: 'p1' }, { ID: policyId }],
    })
  })

  it('create wants a policy, which must be there', async () => {
    api.on('GET /v1/acl/policies', [200, [policy, { ...policy, ID: '136846bc-1' }]])
    expect((await acl('token', 'create')).error).toBe(
      'Cannot create a token without specifying -policy-name or -policy-id at least once\n',
    )
    expect((await acl('token', 'create', '-policy-id=zz')).error).toBe(
      'Error resolving policy ID zz: No such policy ID with prefix: zz\n',
    )
    expect((await acl('token', 'create', '-policy-id=136')).error).toBe(
      'Error resolving policy ID 136: Partial policy ID is not unique\n',
    )
    expect(api.changes).toEqual([])
  })

  it('list shows blocks without secrets, an empty line between', async () => {
    const legacy = { ...stub, AccessorID: '', Description: '', Policies: null, Hash: null, Legacy: true }
    api.on('GET /v1/acl/tokens', [200, [stub, legacy]])
    const block = tokenBlock.replace(/SecretID.*\n/, '').replace('Policies', 'Legacy:       false\nPolicies')
    const second = `AccessorID:   \nDescription:  \nLocal:        false\nCreate Time:  2026-11-21 03:25:52.029071608 +0000 UTC\nLegacy:       true\nPolicies:\n`
    expect(await acl('token', 'list')).toEqual({ code: 0, out: `${block}\n${second}`, error: '' })
    expect((await acl('token', 'list', '-meta')).out).toContain(`Legacy:       false\n${metaLines}Policies:`)
  })

  it('read finds one by its ID, by how that begins, or as oneself', async () => {
    api.on('GET /v1/acl/tokens', [200, [stub]]).on(`GET /v1/acl/token/${accessor}`, [200, token])
    api.on('GET /v1/acl/token/self', ({ token: sent }) => [sent === 'mine' ? 200 : 403, token])
    expect((await acl('token', 'read', '-id=4785')).out).toBe(tokenBlock)
    expect((await acl('token', 'read', `-id=${accessor}`)).out).toBe(tokenBlock)
    expect((await acl('token', 'read', '-self', '-token=mine')).out).toBe(tokenBlock)
    expect((await acl('token', 'read')).error).toBe('Must specify the -id parameter\n')
    expect((await acl('token', 'read', '-id=9')).error).toBe(
      'Error determining token ID: No such token ID with prefix: 9\n',
    )
    const gone = accessor.replace('4', '5')
    api.on(`GET /v1/acl/token/${gone}`, [403, 'ACL not found'])
    expect((await acl('token', 'read', `-id=${gone}`)).error).toBe(
      `Error reading token "${gone}": Unexpected response code: 403 (ACL not found)\n`,
    )
  })

  it('read shows the rules of a legacy token', async () => {
    api.on(`GET /v1/acl/token/${accessor}`, [200, { ...token, Policies: null, Rules: 'key "" { policy = "read" }' }])
    expect((await acl('token', 'read', `-id=${accessor}`)).out).toMatch(
      /UTC\nPolicies:\nRules:\nkey "" \{ policy = "read" \}\n$/,
    )
  })

  it('update replaces the policies, or merges them', async () => {
    api.on(`GET /v1/acl/token/${accessor}`, [200, token]).on(`PUT /v1/acl/token/${accessor}`, [200, token])
    const done = await acl('token', 'update', `-id=${accessor}`, '-description=new', '-policy-name=p2')
    expect(done).toEqual({ code: 0, out: `Token updated successfully.\n${tokenBlock}`, error: '' })
    await acl('token', 'update', `-id=${accessor}`, '-merge-policies', '-policy-name=p2', '-policy-name=p1')
    const { Hash: _hash, CreateTime: _time, CreateIndex: _created, ModifyIndex: _modified, ...kept } = token
    expect(api.changes.map(({ body }) => body)).toEqual([
      { ...kept, Description: 'new', Policies: [{ Name: 'p2' }] },
      { ...kept, Policies: [{ ID: policyId, Name: 'p1' }, { Name: 'p2' }] },
    ])
  })

  it('update upgrades a legacy token, and no other', async () => {
    const legacy = { ...token, Policies: null, Rules: 'key "" { policy = "read" }' }
    api.on(`GET /v1/acl/token/${accessor}`, [200, legacy]).on(`PUT /v1/acl/token/${accessor}`, [200, token])
    await acl('token', 'update', `-id=${accessor}`, '-upgrade-legacy', '-policy-name=p1')
    expect(api.changes[0]?.body).not.toHaveProperty('Rules')
    api.on(`GET /v1/acl/token/${accessor}`, [200, token])
    expect((await acl('token', 'update', `-id=${accessor}`, '-upgrade-legacy')).error).toBe(
      'Cannot use -upgrade-legacy on a non-legacy token\n',
    )
  })

  it('clone and delete name what they did', async () => {
    api.on(`PUT /v1/acl/token/${accessor}/clone`, [200, token]).on(`DELETE /v1/acl/token/${accessor}`, [200, true])
    expect((await acl('token', 'clone', `-id=${accessor}`, '-description=c')).out).toBe(
      `Token cloned successfully.\n${tokenBlock}`,
    )
    expect(api.changes[0]?.body).toEqual({ Description: 'c' })
    expect((await acl('token', 'delete', `-id=${accessor}`)).out).toBe(`Token "${accessor}" deleted successfully\n`)
    const anonymous = '00000000-0000-0000-0000-000000000002'
    api.on(`DELETE /v1/acl/token/${anonymous}`, [500, 'Delete operation not permitted on the anonymous token'])
    expect((await acl('token', 'delete', '-id=anonymous')).error).toBe(
      `Error deleting token "${anonymous}": Unexpected response code: 500 (Delete operation not permitted on the anonymous token)\n`,
    )
  })
})

describe('svc acl policy', () => {
  it('create takes rules as text, from standard input and from a file', async () => {
    api.on('PUT /v1/acl/policy', [200, policy])
    const made = await acl('policy', 'create', '-name=p1', '-description=d', '-rules=operator = "read"')
    expect(made).toEqual({ code: 0, out: policyBlock, error: '' })
    const file = join(folder, 'rules.hcl')
    writeFileSync(file, 'operator = "write"')
    await acl('policy', 'create', '-name=p1', `-rules=@${file}`, '-valid-datacenter=dc1', '-valid-datacenter=dc2')
    await api.run(['acl', 'policy', 'create', '-name=p1', '-rules=-'], 'keyring = "read"')
    expect(api.changes.map(({ body }) => body)).toEqual([
      { Name: 'p1', Description: 'd', Rules: 'operator = "read"' },
      { Name: 'p1', Description: '', Rules: 'operator = "write"', Datacenters: ['dc1', 'dc2'] },
      { Name: 'p1', Description: '', Rules: 'keyring = "read"' },
    ])
    const nameless = await acl('policy', 'create')
    expect([nameless.code, nameless.error]).toEqual([
      1,
      expect.stringMatching(/^Missing require '-name' flag\n\nUsage: /),
    ])
  })

  it('create takes the rules of a legacy token, which is named by its accessor or its secret', async () => {
    api.on('PUT /v1/acl/policy', [200, policy]).on(`GET /v1/acl/rules/translate/${accessor}`, [200, 'key_prefix "" {}'])
    api.on('GET /v1/acl/token/self', ({ token: sent }) => [sent === 'its-secret' ? 200 : 403, token])
    await acl('policy', 'create', '-name=p1', `-from-token=${accessor}`)
    await acl('policy', 'create', '-name=p1', '-from-token=its-secret', '-token-secret', '-token=mine')
    expect(api.changes.map(({ body }) => body)).toEqual(
      [1, 2].map(() => ({ Name: 'p1', Description: '', Rules: 'key_prefix "" {}' })),
    )
    expect(api.asked.filter(({ token: sent }) => sent === 'its-secret').map(({ what }) => what)).toEqual([
      'GET /v1/acl/token/self',
    ])
    expect((await acl('policy', 'create', '-name=p1', '-rules=x', '-from-token=y')).error).toBe(
      'Error processing rules: Cannot specify both -rules and -from-token\n',
    )
  })

  it('list has a line with the name, and what belongs to it indented', async () => {
    const { Rules: _rules, ...listed } = policy
    api.on('GET /v1/acl/policies', [200, [listed, { ...listed, Name: 'p2', Datacenters: null }]])
    const block = (name: string, datacenters: string): string =>
      `${name}:\n   ID:           ${policyId}\n   Description:  d\n   Datacenters:  ${datacenters}\n`
    expect((await acl('policy', 'list')).out).toBe(`${block('p1', 'dc1, dc2')}${block('p2', '')}`)
    expect((await acl('policy', 'list', '-meta')).out).toContain('   Create Index: 20\n   Modify Index: 21\n')
  })

  it('read and delete find one by its ID or its name', async () => {
    api.on('GET /v1/acl/policies', [200, [policy]]).on(`GET /v1/acl/policy/${policyId}`, [200, policy])
    api.on(`DELETE /v1/acl/policy/${policyId}`, [200, true])
    for (const named of ['-name=p1', '-id=13', `-id=${policyId}`])
      expect((await acl('policy', 'read', named)).out).toBe(policyBlock)
    expect((await acl('policy', 'delete', '-name=p1')).out).toBe(`Policy "${policyId}" deleted successfully\n`)
    expect((await acl('policy', 'read', '-name=nope')).error).toBe(
      'Error determining policy ID: No such policy with name nope\n',
    )
    expect((await acl('policy', 'read', '-id=zz')).error).toBe(
      'Error determining policy ID: No such policy ID with prefix: zz\n',
    )
    expect((await acl('policy', 'read')).error).toBe('Must specify either the -id or -name parameters\n')
  })

  it('update keeps what is not given, unless nothing is to be merged', async () => {
    api.on('GET /v1/acl/policies', [200, [policy]]).on(`GET /v1/acl/policy/${policyId}`, [200, policy])
    api.on(`PUT /v1/acl/policy/${policyId}`, [200, policy])
    expect((await acl('policy', 'update', `-id=${policyId}`, '-description=new')).out).toBe(
      `Policy updated successfully\n${policyBlock}`,
    )
    await acl('policy', 'update', `-id=${policyId}`, '-name=p9', '-no-merge', '-rules=operator = "read"')
    const { Hash: _hash, CreateIndex: _created, ModifyIndex: _modified, ...kept } = policy
    expect(api.changes.map(({ body }) => body)).toEqual([
      { ...kept, Description: 'new' },
      { ID: policyId, Name: 'p9', Description: '', Rules: 'operator = "read"', Datacenters: [] },
    ])
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
    expect(await acl('set-agent-token', 'x', 'y')).toEqual({ code: 1, out: '', error: 'Unknown token type\n' })
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
