import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

const cluster = '11111111-2222-3333-4444-555555555555'
const domain = `${cluster}.svc`
const intentions = '/v1/connect/intentions'

/** Rules, by the secrets of the tokens that have them. */
const rules: Readonly<Record<string, string>> = {
  'reads-db': 'service "db" { policy = "read" }',
  'writes-db': 'service "db" { policy = "write" }',
  'rules-db': 'service "db" { policy = "read" intentions = "write" }',
  'rules-all': 'service_prefix "" { policy = "write" intentions = "write" }',
  'blind-to-db': 'service "db" { policy = "write" intentions = "deny" }',
  'no-rights': '',
}

interface Made {
  readonly ID: string
}

describe('an agent of a mesh where only what a rule allows may be done', () => {
  let agent: SimulatedAgent

  const as = async (token: string, line: string, body?: object): Promise<string> => {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const { status, text } = await ask(agent.target, `${line}${line.includes('?') ? '&' : '?'}token=${token}`, sent)
    return `${status} ${text}`
  }
  const make = async (token: string, SourceName: string, DestinationName: string, Action: string): Promise<string> => {
    const made = await as(token, `POST ${intentions}`, { SourceName, DestinationName, Action })
    return made.startsWith('200 ') ? (JSON.parse(made.slice(4)) as Made).ID : made
  }
  const authorize = (token: string, client: string, Target: string, trustDomain = domain): Promise<string> => {
    const ClientCertURI = `spiffe://${trustDomain}/ns/default/dc/dc1/svc/${client}`
    return as(token, 'POST /v1/agent/connect/authorize', { Target, ClientCertURI })
  }
  const until = async (ask: () => Promise<string>, wanted: RegExp): Promise<void> => {
    for (let tries = 0; !wanted.test(await ask()); tries++) {
      if (tries > 100) throw new Error(`it never says ${wanted}, but ${await ask()}`)
      await agent.target.pause(100)
    }
  }

  beforeAll(async () => {
    agent = await startSimulatedAgent('acl', {
      more: { connect: { enabled: true, ca_config: { cluster_id: cluster } } },
    })
    await until(() => as('root', 'GET /v1/connect/ca/roots'), /"Active":true/)
    await until(() => as('root', 'GET /v1/acl/token/self'), /^200/)
    for (const [ID, Rules] of Object.entries(rules)) {
      expect(await as('root', 'PUT /v1/acl/policy', { Name: ID, Rules })).toMatch(/^200/)
      // Of a secret that a test chooses there are legacy tokens alone: it becomes one of the new kind.
      expect(await as('root', 'PUT /v1/acl/create', { ID, Name: ID, Type: 'client' })).toBe(`200 {"ID":"${ID}"}`)
      let accessor = ''
      await until(async () => {
        const self = (JSON.parse((await as(ID, 'GET /v1/acl/token/self')).slice(4)) as { AccessorID: string })
          .AccessorID
        accessor = self
        return self
      }, /./)
      const token = { AccessorID: accessor, Policies: [{ Name: ID }] }
      expect(await as('root', `PUT /v1/acl/token/${accessor}`, token)).toMatch(/^200/)
    }
  }, 60_000)
  afterAll(() => agent.stop())

  it('takes an intention from a token with the rule for its destination, which a rule for the service itself does not imply', async () => {
    for (const token of ['no-rights', 'reads-db', 'writes-db', 'blind-to-db']) {
      expect(await make(token, 'api', 'db', 'allow')).toBe('403 Permission denied')
    }
    const id = await make('rules-db', 'api', 'db', 'allow')
    expect(
      await as('rules-db', `PUT ${intentions}/${id}`, { SourceName: 'api', DestinationName: 'web', Action: 'deny' }),
    ).toBe('403 Permission denied')
    expect(await as('writes-db', `DELETE ${intentions}/${id}`)).toBe('403 Permission denied')
    expect(await make('rules-db', 'api', '*', 'allow')).toBe('403 Permission denied')
    expect(await as('rules-db', `DELETE ${intentions}/${id}`)).toBe('200 true')
  })

  it('shows intentions to tokens that may read the destination or have the rule, and leaves the others out', async () => {
    const toDb = await make('rules-all', 'web', 'db', 'allow')
    const toWeb = await make('rules-all', 'any', 'web', 'deny')
    for (const token of ['reads-db', 'writes-db', 'rules-db']) {
      const listed = JSON.parse((await as(token, `GET ${intentions}`)).slice(4)) as readonly Made[]
      expect([token, ...listed.map(({ ID }) => ID)]).toEqual([token, toDb])
      expect(await as(token, `GET ${intentions}/${toDb}`)).toContain(toDb)
      expect(await as(token, `GET ${intentions}/${toWeb}`)).toBe('404 Intention not found')
      expect(await as(token, `GET ${intentions}/match?by=destination&name=db`)).toContain(toDb)
      expect(await as(token, `GET ${intentions}/match?by=destination&name=db&name=web`)).toBe('403 Permission denied')
      expect(await as(token, `GET ${intentions}/check?source=web&destination=db`)).toBe('200 {"Allowed":true}')
      expect(await as(token, `GET ${intentions}/check?source=web&destination=web`)).toBe('403 Permission denied')
    }
    for (const token of ['no-rights', 'blind-to-db']) {
      expect(await as(token, `GET ${intentions}`)).toBe('200 []')
      expect(await as(token, `GET ${intentions}/${toDb}`)).toBe('404 Intention not found')
      expect(await as(token, `GET ${intentions}/match?by=source&name=db`)).toBe('403 Permission denied')
    }
    expect(await as('no-rights', `GET ${intentions}/check?source=web&destination=db`)).toBe('403 Permission denied')
    for (const id of [toDb, toWeb]) expect(await as('rules-all', `DELETE ${intentions}/${id}`)).toBe('200 true')
  })

  it('authorizes a client by the present intentions, for a caller that may write the target', async () => {
    for (const token of ['no-rights', 'reads-db', 'rules-db', 'blind-to-db']) {
      expect(await authorize(token, 'web', 'db')).toBe('403 Permission denied')
    }
    expect(await authorize('writes-db', 'web', 'other')).toBe('403 Permission denied')
    const byDefault = '200 {"Authorized":false,"Reason":"Default behavior configured by ACLs"}'
    await until(() => authorize('writes-db', 'web', 'db'), /Default behavior/)
    expect(await authorize('writes-db', 'web', 'db')).toBe(byDefault)
    const id = await make('rules-all', 'web', 'db', 'allow')
    await until(() => authorize('writes-db', 'web', 'db'), /^200 {"Authorized":true,"Reason":"Matched intention: ALLOW/)
    expect(await authorize('writes-db', 'api', 'db')).toBe(byDefault)
    expect(await authorize('writes-db', 'web', 'db', 'other.svc')).toBe(
      `200 {"Authorized":false,"Reason":"The client is of the trust domain other.svc, and this mesh is ${domain}"}`,
    )
    expect(await as('rules-all', `DELETE ${intentions}/${id}`)).toBe('200 true')
    await until(() => authorize('writes-db', 'web', 'db'), /Default behavior/)
  })

  it('answers a waiting read when an intention is created, changed, or removed', async () => {
    const { target } = agent
    const id = await make('rules-all', 'a', 'b', 'allow')
    const changes = [
      () => as('rules-all', `PUT ${intentions}/${id}`, { SourceName: 'a', DestinationName: 'b', Action: 'deny' }),
      () => as('rules-all', `DELETE ${intentions}/${id}`),
    ]
    let index = (JSON.parse((await as('root', `GET ${intentions}/${id}`)).slice(4)) as { ModifyIndex: number })
      .ModifyIndex
    for (const change of changes) {
      const line = `GET ${intentions}/match?by=source&name=a&token=root&index=${index}&wait=5m`
      const startedMs = target.nowMs()
      const waiting = begin(target, line)
      await target.pause(1_000)
      expect(await change()).toMatch(/^200/)
      const { status, text } = await target.until(waiting)
      expect(status).toBe(200)
      expect(target.nowMs() - startedMs).toBeLessThan(60_000)
      const [found] =
        (JSON.parse(text) as { readonly a: readonly { Action: string; ModifyIndex: number }[] | null }).a ?? []
      expect(found?.Action).toBe(change === changes[0] ? 'deny' : undefined)
      index = found?.ModifyIndex ?? index
    }
  })
})
