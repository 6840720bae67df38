import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accessor, metaLines, policy, policyBlock, policyId, stub, token, tokenBlock } from './acl-answers.ts'
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
