import { describe, expect, it } from 'vitest'
import { legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import { AclWorld, type Told } from './acl-world.ts'

/** In every secret of this test, and nowhere else. */
const marker = 'MARKER'
const legacySecret = `legacy-${marker}`
const master = `master-${marker}`

function told(answer: Told): string {
  return JSON.stringify(answer.body)
}

async function world(): Promise<AclWorld> {
  const made = new AclWorld('dc1', 'dc1', master)
  const token = { id: legacySecret, name: 'old', type: 'client', rules: '', unlessThere: false } as const
  await made.server.context.propose(legacySet, token)
  await made.server.context.propose(enterNewMode, {})
  await made.lead()
  return made
}

describe('secrets', () => {
  it('are in no log line and no metric, whatever is done and refused', async () => {
    const acl = await world()
    await acl.clock.advance(5_000)
    const accessor = acl.token(legacySecret)?.accessor
    const lines: readonly (readonly [string, object])[] = [
      ['PUT /v1/acl/bootstrap', {}],
      ['GET /v1/acl/token/self', {}],
      [`PUT /v1/acl/token/${accessor}`, { SecretID: `wrong-${marker}` }],
      [`PUT /v1/acl/token/${accessor}`, { SecretID: legacySecret }],
      ['PUT /v1/acl/update', { ID: `new-${marker}`, Type: 'king' }],
      ['PUT /v1/acl/update', { ID: `new-${marker}` }],
      [`PUT /v1/acl/clone/none-${marker}`, {}],
      [`PUT /v1/acl/destroy/new-${marker}`, {}],
      ['PUT /v1/agent/token/acl_token', { Token: `agent-${marker}` }],
    ]
    for (const token of [master, legacySecret, `unknown-${marker}`, '']) {
      for (const [line, body] of lines) {
        await acl.ask(token, line, body)
      }
    }
    acl.server.failNext = { kind: 'overloaded', message: 'too much' }
    await acl.ask(master, 'PUT /v1/acl/create', { ID: `last-${marker}` })
    await acl.ask(master, 'PUT /v1/acl/create', { ID: `last-${marker}` })
    acl.server.failNext = { kind: 'overloaded', message: 'too much' }
    await acl.clock.advance(10_000)
    expect(acl.traces()).toContain('migrated')
    expect(acl.traces()).toContain('could not migrate')
    expect(acl.traces()).not.toContain(marker)
  })

  it('are in no error text', async () => {
    const acl = await world()
    await acl.clock.advance(5_000)
    const accessor = acl.token(legacySecret)?.accessor
    const refused: readonly (readonly [string, string, object | string])[] = [
      [`unknown-${marker}`, 'GET /v1/acl/tokens', ''],
      [`unknown-${marker}`, 'GET /v1/acl/token/self', ''],
      [legacySecret, 'GET /v1/acl/tokens', ''],
      [master, `PUT /v1/acl/token/${accessor}`, { SecretID: `wrong-${marker}` }],
      [master, 'PUT /v1/acl/update', { ID: `x-${marker}`, Type: 'king' }],
      [master, 'PUT /v1/acl/update', { ID: `x-${marker}`, Rules: 'key {' }],
      [master, `PUT /v1/acl/clone/none-${marker}`, ''],
      [master, `GET /v1/acl/token/none-${marker}`, ''],
      [master, `DELETE /v1/acl/token/none-${marker}`, ''],
      [master, 'PUT /v1/acl/token', { SecretID: marker, Rules: marker }],
    ]
    for (const [token, line, body] of refused) {
      const answer = await acl.ask(token, line, body)
      expect(answer.status, line).toBeGreaterThanOrEqual(400)
      expect(told(answer), line).not.toContain(marker)
    }
  })

  it('are in no list of the new kind, and hidden from callers that may only read', async () => {
    const acl = await world()
    await acl.clock.advance(5_000)
    const { secret } = await acl.tokenOf('acl = "read"')
    const accessor = acl.token(legacySecret)?.accessor
    for (const token of [secret, master]) {
      for (const line of [
        'GET /v1/acl/tokens',
        'GET /v1/acl/policies',
        'GET /v1/acl/status',
        'GET /v1/acl/replication',
      ]) {
        const answer = await acl.ask(token, line)
        expect(answer.status).toBe(200)
        expect(told(answer), line).not.toContain(marker)
      }
    }
    expect(told(await acl.ask(secret, `GET /v1/acl/token/${accessor}`))).not.toContain(marker)
    expect(told(await acl.ask(master, `GET /v1/acl/token/${accessor}`))).toContain(marker)
    expect((await acl.ask(secret, 'GET /v1/acl/list')).status).toBe(403)
  })
})
