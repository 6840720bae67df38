import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeResponse, encodeQuestion, type ReceivedResponse } from '../../src/dns-wire/question.ts'
import { ask } from './ask.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

const gossipKey = 'cg8StVXbQJ0gPvMd9o7yrg=='

const otherKey = 'pUqJrVyVRj5jsiYEkM/tFQwYJyWm4s3XkvwiIT7XCsU='

/** What legacy tokens may do, by their secrets; each rule is for all names that begin so. */
const legacy: Readonly<Record<string, string>> = {
  'stand-in': 'node "" { policy = "read" } service "web" { policy = "read" }',
  'own-agent': 'node "" { policy = "write" } service "" { policy = "read" }',
  'discovers-all': 'node "" { policy = "read" } service "" { policy = "read" }',
  'registers-all': 'node "" { policy = "write" } service "" { policy = "write" }',
  'registers-api': 'node "" { policy = "read" } service "" { policy = "read" } service "api" { policy = "write" }',
  fires: 'event "" { policy = "write" }',
  'hears-events': 'event "" { policy = "read" }',
  'turns-keys': 'keyring = "write"',
  'no-rights': '',
}

const keyReader = 'key "a" { policy = "read" }'

describe('an agent where only what a rule allows may be done', () => {
  let agent: SimulatedAgent

  const said = async (line: string, body?: string): Promise<string> => {
    const { status, text } = await ask(agent.target, line, body)
    return `${status} ${text}`
  }
  const as = (token: string, line: string, body?: string): Promise<string> =>
    said(`${line}${line.includes('?') ? '&' : '?'}token=${token}`, body)

  const dns = async (name: string): Promise<ReceivedResponse> => {
    const packet = encodeQuestion({ id: 7, name, type: 'A' })
    const answer = await agent.target.until(agent.target.beginDns({ transport: 'udp', packet, timeoutMs: 5_000 }))
    const read = answer.kind === 'answer' ? decodeResponse(answer.packet) : undefined
    if (read?.ok !== true) throw new Error(`no answer to ${name}`)
    return read.value
  }

  beforeAll(async () => {
    agent = await startSimulatedAgent('default', {
      more: {
        encrypt: gossipKey,
        primary_datacenter: 'dc1',
        acl: {
          enabled: true,
          default_policy: 'deny',
          tokens: { master: 'root', default: 'stand-in', agent: 'own-agent' },
        },
      },
    })
    for (let tries = 0; (await as('root', 'GET /v1/acl/token/self')).startsWith('500'); tries++) {
      if (tries > 60) throw new Error('access control is still of the legacy kind')
      await agent.target.pause(1_000)
    }
    for (const [ID, Rules] of Object.entries(legacy)) {
      const body = JSON.stringify({ ID, Name: ID, Type: 'client', Rules })
      expect(await as('root', 'PUT /v1/acl/create', body)).toBe(`200 {"ID":"${ID}"}`)
    }
    for (const name of ['web', 'db']) {
      const body = JSON.stringify({ Node: 'n', Address: '10.9.0.1', Service: { Service: name, Port: 80 } })
      expect(await as('root', 'PUT /v1/catalog/register', body)).toBe('200 true')
    }
    expect(await as('root', 'PUT /v1/kv/a', '1')).toBe('200 true')
  })

  afterAll(() => agent.stop())

  it('[KV-001] [ACL-001] [ACL-043] refuses to read a key with a token without a rule for it, be there one or not', async () => {
    for (const key of ['a', 'missing']) {
      expect(await as('no-rights', `GET /v1/kv/${key}`)).toBe('403 Permission denied')
    }
    expect(await as('no-rights', 'GET /v1/kv/?recurse')).toMatch(/^404/)
    expect(await as('no-rights', 'GET /v1/kv/?keys')).toBe('200 []')
    await as('root', 'PUT /v1/acl/create', JSON.stringify({ ID: 'reads-a', Type: 'client', Rules: keyReader }))
    expect(await as('reads-a', 'GET /v1/kv/a?raw')).toBe('200 1')
    expect(await as('reads-a', 'PUT /v1/kv/a', '2')).toBe('403 Permission denied')
  })

  it('[ACL-002] gives a token what its policies say now: what changes in one of them holds at once', async () => {
    const rules = (level: string) => JSON.stringify({ Name: 'on-a', Rules: `key "a" { policy = "${level}" }` })
    const policy = JSON.parse((await as('root', 'PUT /v1/acl/policy', rules('read'))).slice(4)) as { ID: string }
    const links = JSON.stringify({ Policies: [{ ID: policy.ID }] })
    const token = JSON.parse((await as('root', 'PUT /v1/acl/token', links)).slice(4)) as { SecretID: string }
    expect(await as(token.SecretID, 'GET /v1/kv/a?raw')).toBe('200 1')
    expect(await as(token.SecretID, 'PUT /v1/kv/a', '1')).toBe('403 Permission denied')
    await as('root', `PUT /v1/acl/policy/${policy.ID}`, rules('write'))
    expect(await as(token.SecretID, 'PUT /v1/kv/a', '1')).toBe('200 true')
    await as('root', `PUT /v1/acl/policy/${policy.ID}`, rules('deny'))
    expect(await as(token.SecretID, 'GET /v1/kv/a?raw')).toBe('403 Permission denied')
  })

  it('[ACL-003] tells over HTTP of services that the token may read, and of no others', async () => {
    for (const line of ['GET /v1/catalog/service/web', 'GET /v1/health/service/web', 'GET /v1/health/state/any']) {
      expect(await as('no-rights', line)).toBe('200 []')
    }
    expect(await as('no-rights', 'GET /v1/catalog/services')).toBe('200 {}')
    expect(await as('stand-in', 'GET /v1/catalog/services')).toBe('200 {"web":[]}')
    expect(await as('stand-in', 'GET /v1/catalog/service/web')).toContain('"ServiceName":"web"')
    expect(await as('stand-in', 'GET /v1/catalog/service/db')).toBe('200 []')
    expect(await as('stand-in', 'GET /v1/health/service/web')).toContain('"Service":"web"')
  })

  it('[ACL-005] a rule for the empty name opens the discovery of all services', async () => {
    expect(await as('discovers-all', 'GET /v1/catalog/services')).toBe('200 {"db":[],"web":[],"svc":[]}')
    expect(await as('discovers-all', 'GET /v1/catalog/service/db')).toContain('"ServiceName":"db"')
  })

  it('[ACL-004] [DNS-012] answers over DNS what the default token of the agent may read', async () => {
    expect((await dns('web.service.svc.')).answers).toMatchObject([{ type: 'A', address: '10.9.0.1' }])
    expect(await dns('db.service.svc.')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
    const body = JSON.stringify({ ID: 'stand-in', Type: 'client', Rules: 'node "" { policy = "read" }' })
    expect(await as('root', 'PUT /v1/acl/update', body)).toBe('200 {"ID":"stand-in"}')
    expect(await dns('web.service.svc.')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
    const before = JSON.stringify({ ID: 'stand-in', Type: 'client', Rules: legacy['stand-in'] })
    expect(await as('root', 'PUT /v1/acl/update', before)).toBe('200 {"ID":"stand-in"}')
    expect((await dns('web.service.svc.')).answers).toHaveLength(1)
  })

  it('[ACL-006] [ACL-007] [ACL-008] [ACL-009] [REG-025] takes a service from a token that may write it, by its name or all', async () => {
    const register = (token: string, Name: string) =>
      as(token, 'PUT /v1/agent/service/register', JSON.stringify({ Name }))
    const inCatalog = (token: string, Service: string) =>
      as(token, 'PUT /v1/catalog/register', JSON.stringify({ Node: 'n', SkipNodeUpdate: true, Service: { Service } }))
    expect(await register('discovers-all', 'api-1')).toBe('403 Permission denied')
    expect(await inCatalog('discovers-all', 'api-1')).toBe('403 Permission denied')
    expect(await register('registers-api', 'api-1')).toBe('200 ')
    expect(await inCatalog('registers-api', 'api-2')).toBe('200 true')
    expect(await register('registers-api', 'cache')).toBe('403 Permission denied')
    expect(await inCatalog('registers-api', 'cache')).toBe('403 Permission denied')
    expect(await register('registers-all', 'cache')).toBe('200 ')
    // Told to the catalog with the token that it came with: the agent's own may not write services.
    expect(await as('root', 'GET /v1/catalog/service/api-1')).toContain('"ServiceName":"api-1"')
    expect(await as('registers-api', 'PUT /v1/agent/service/deregister/cache')).toBe('403 Permission denied')
    expect(await as('registers-api', 'PUT /v1/agent/service/deregister/api-1')).toBe('200 ')
    expect(await as('root', 'GET /v1/catalog/service/api-1')).toBe('200 []')
  })

  it('[ACL-010] [ACL-011] [ACL-012] [MEM-027] fires events and manages the keys of the pool for a token with the rule, and for no other', async () => {
    expect(await as('no-rights', 'PUT /v1/event/fire/deploy')).toBe('403 Permission denied')
    expect(await as('hears-events', 'PUT /v1/event/fire/deploy')).toBe('403 Permission denied')
    expect(await as('fires', 'PUT /v1/event/fire/deploy')).toMatch(/^200 .*"Name":"deploy"/)
    expect(await as('fires', 'GET /v1/event/list?index=1&wait=5s')).toContain('"Name":"deploy"')
    expect(await as('no-rights', 'GET /v1/event/list')).toBe('200 []')
    const own = JSON.stringify({ Key: gossipKey })
    const other = JSON.stringify({ Key: otherKey })
    const keyring = '/v1/operator/keyring'
    expect(await as('no-rights', `GET ${keyring}`)).toBe('500 Reading keyring denied by ACLs')
    for (const line of [`POST ${keyring}`, `PUT ${keyring}`, `DELETE ${keyring}`]) {
      expect(await as('no-rights', line, other)).toBe('500 Modifying keyring denied due to ACLs')
    }
    expect(await as('turns-keys', `POST ${keyring}`, other)).toBe('200 ')
    expect(await as('turns-keys', `GET ${keyring}`)).toContain(otherKey)
    expect(await as('turns-keys', `PUT ${keyring}`, other)).toBe('200 ')
    expect(await as('turns-keys', `PUT ${keyring}`, own)).toBe('200 ')
    expect(await as('turns-keys', `DELETE ${keyring}`, other)).toBe('200 ')
    expect(await as('turns-keys', `GET ${keyring}`)).not.toContain(otherKey)
  })

  it('[ACL-017] [ACL-018] asks for a rule where a prepared query has a name, and for none where it has not', async () => {
    const session = JSON.parse((await as('root', 'PUT /v1/session/create', '{"Checks":[]}')).slice(4)) as { ID: string }
    const unnamed = JSON.stringify({ Session: session.ID, Service: { Service: 'web' } })
    const made = await as('no-rights', 'POST /v1/query', unnamed)
    expect(made).toMatch(/^200 /)
    const { ID } = JSON.parse(made.slice(4)) as { ID: string }
    expect(await as('no-rights', `GET /v1/query/${ID}`)).toContain(ID)
    expect(await as('no-rights', 'GET /v1/query')).toBe('200 []')
    expect(await as('no-rights', `PUT /v1/query/${ID}`, unnamed)).toBe('200 ')
    expect(await as('no-rights', `DELETE /v1/query/${ID}`)).toBe('200 ')
    const named = JSON.stringify({ Name: 'find-web', Service: { Service: 'web' } })
    expect(await as('no-rights', 'POST /v1/query', named)).toBe('403 Permission denied')
    const rules = 'query "find-" { policy = "write" }'
    await as('root', 'PUT /v1/acl/create', JSON.stringify({ ID: 'finds', Type: 'client', Rules: rules }))
    const mine = JSON.parse((await as('finds', 'POST /v1/query', named)).slice(4)) as { ID: string }
    expect(await as('no-rights', `GET /v1/query/${mine.ID}`)).toBe('404 Query not found')
    expect(await as('finds', 'GET /v1/query')).toContain('"find-web"')
    const looks = { ID: 'looks', Type: 'client', Rules: 'query "find-" { policy = "read" }' }
    await as('root', 'PUT /v1/acl/create', JSON.stringify(looks))
    expect(await as('looks', `GET /v1/query/${mine.ID}`)).toContain('"find-web"')
    for (const line of ['POST /v1/query', `PUT /v1/query/${mine.ID}`, `DELETE /v1/query/${mine.ID}`]) {
      expect([line, await as('looks', line, named)]).toEqual([line, '403 Permission denied'])
    }
    expect(await as('finds', `PUT /v1/query/${mine.ID}`, named)).toBe('200 ')
    expect(await as('finds', 'GET /v1/query/find-web/execute')).toContain('"Nodes":[]')
    expect(await as('stand-in', 'GET /v1/query/find-web/execute')).toContain('"Service":"web"')
    expect(await as('finds', `DELETE /v1/query/${mine.ID}`)).toBe('200 ')
  })

  it('finds for a prepared query with a token of its own what that may read', async () => {
    const body = JSON.stringify({ Name: 'for-all', Token: 'discovers-all', Service: { Service: 'db' } })
    const { ID } = JSON.parse((await as('root', 'POST /v1/query', body)).slice(4)) as { ID: string }
    expect(await as('no-rights', 'GET /v1/query/for-all/execute')).toContain('"Service":"db"')
    expect(await as('no-rights', 'GET /v1/query/for-all/execute')).toContain('"Address":"10.9.0.1"')
    expect((await dns('for-all.query.svc.')).answers).toHaveLength(1)
    await as(
      'root',
      `PUT /v1/query/${ID}`,
      JSON.stringify({ Name: 'for-all', Token: 'gone', Service: { Service: 'db' } }),
    )
    expect(await as('root', 'GET /v1/query/for-all/execute')).toBe('403 ACL not found')
  })

  it('knows only tokens that were created, and reads no token where the request needs no right', async () => {
    for (const line of ['GET /v1/kv/a', 'GET /v1/catalog/nodes', 'GET /v1/agent/self', 'PUT /v1/event/fire/x']) {
      expect([line, await as('nobody-made-me', line)]).toEqual([line, '403 ACL not found'])
    }
    for (const line of ['GET /v1/status/leader', 'GET /v1/catalog/datacenters', 'GET /v1/agent/live']) {
      expect(await as('nobody-made-me', line)).toMatch(/^200 /)
    }
    expect(await as('manage', 'GET /v1/kv/a')).toBe('500 Cannot resolve root ACL')
  })

  it('hides the token of a prepared query, and the state as a whole, from tokens that may not manage access', async () => {
    expect(await as('no-rights', 'GET /v1/snapshot')).toBe('403 Permission denied')
    expect(await as('discovers-all', 'GET /v1/query')).not.toContain('"gone"')
    expect(await as('root', 'GET /v1/query')).toContain('"gone"')
  })

  it('an agent tells of itself with its own token', async () => {
    expect(await as('discovers-all', 'GET /v1/catalog/nodes')).toContain('"Node":"node-a"')
    expect(await as('discovers-all', 'GET /v1/catalog/nodes')).toContain('"lan"')
  })
})
