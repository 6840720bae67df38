import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import type { AgentAccess } from '../../../src/features/contract/access-control.ts'
import type { Release } from '../../../src/model/release.ts'
import { AccessWorld } from './access-world.ts'
import { Rights } from './rights-of.ts'

const release = (major: number, minor: number, patch: number): Release => ({ major, minor, patch })

function as(world: AccessWorld, release: Release): void {
  Object.assign(world.server.agent, { release })
}

describe('a key that a token may not read', () => {
  it('is told to be missing, or refused, as its release has it', async () => {
    const world = await AccessWorld.begun()
    const statuses: number[] = []
    for (const each of [release(0, 9, 0), release(0, 9, 1), release(0, 9, 2), release(0, 9, 3), release(1, 0, 0)]) {
      as(world, each)
      statuses.push((await world.ask(new Rights(), 'GET /v1/kv/a/1')).status)
    }
    expect(statuses).toEqual([404, 403, 404, 404, 403])
    as(world, release(0, 9, 0))
    expect((await world.ask(new Rights(['key:a/1:read']), 'GET /v1/kv/a/1')).status).toBe(200)
  })
})

describe('the token of a prepared query', () => {
  it('is that of its caller before 0.6.4, and since then the one that its definition names', async () => {
    const world = await AccessWorld.begun()
    world.server.accessControl = { defaultToken: () => 'of the agent' } as unknown as AgentAccess
    const tokens: unknown[] = []
    for (const each of [release(0, 6, 3), release(0, 6, 4)]) {
      as(world, each)
      const body = JSON.stringify({ Name: `q${each.patch}`, Service: { Service: 'web' } })
      const { ID } = JSON.parse((await world.ask(unrestricted, 'POST /v1/query', body)).body) as { ID: string }
      const [made] = JSON.parse((await world.ask(unrestricted, `GET /v1/query/${ID}`)).body) as { Token: string }[]
      tokens.push(made?.Token)
    }
    expect(tokens).toEqual(['of the agent', ''])
  })

  it('is hidden from tokens that may not manage access, and never sent to a caller that executes it', async () => {
    const world = await AccessWorld.begun()
    const shown = async (line: string, rights: ConstructorParameters<typeof Rights>[0]) =>
      (await world.ask(new Rights(rights), line)).body
    for (const line of ['GET /v1/query', 'GET /v1/query/QUERY', 'GET /v1/query/q/explain']) {
      expect(await shown(line, ['query:q:read'])).toContain('"Token":"\\u003chidden\\u003e"')
      expect(await shown(line, ['query:q:read', 'acl::write'])).toContain('"Token":"secret"')
    }
    const executed = await world.ask(unrestricted, 'GET /v1/query/q/execute')
    expect([executed.status, executed.body.includes('secret')]).toEqual([200, false])
    expect(JSON.stringify(world.logged)).not.toContain('secret')
  })

  it('shows one without a name to a caller with its ID, and lists it only for tokens that manage access', async () => {
    const world = await AccessWorld.begun()
    const read = await world.ask(new Rights(), 'GET /v1/query/UNNAMED')
    expect([read.status, read.body]).toEqual([200, expect.stringContaining(world.unnamed)])
    const ids = async (rights: Rights) =>
      (JSON.parse((await world.ask(rights, 'GET /v1/query')).body) as { ID: string }[]).map(({ ID }) => ID)
    expect(await ids(new Rights(['query:q:read']))).toEqual([world.query])
    expect((await ids(new Rights(['acl::write']))).sort()).toEqual([world.query, world.unnamed].sort())
  })

  it('one without a name is created, changed and deleted by every caller', async () => {
    const world = await AccessWorld.begun()
    const body = '{"Session":"SESSION","Service":{"Service":"db"}}'
    const nobody = new Rights()
    expect((await world.ask(nobody, 'POST /v1/query', body)).status).toBe(200)
    expect((await world.ask(nobody, 'PUT /v1/query/UNNAMED', body)).status).toBe(200)
    expect((await world.ask(nobody, 'DELETE /v1/query/UNNAMED')).status).toBe(200)
    const named = '{"Name":"mine","Session":"SESSION","Service":{"Service":"db"}}'
    expect((await world.ask(nobody, 'POST /v1/query', named)).status).toBe(403)
  })
})

describe('a prefix of keys that ends within a letter', () => {
  it('is taken for what is whole of it: a rule for that letter is among those below it', async () => {
    const world = await AccessWorld.begun()
    const asked = async (line: string) => {
      const rights = new Rights()
      await world.ask(rights, line)
      return rights.asked.map(({ name, right }) => `${name} ${right}`)
    }
    expect(await asked('DELETE /v1/kv/caf\u00c3?recurse')).toContain('caf\u00c3 write')
    const { server } = world
    const rights = new Rights()
    server.authorizer = rights
    const { treeRefused } = await import('../../../src/features/kv/rights.ts')
    expect(treeRefused(rights, 'caf\u00c3')).toEqual({ resource: 'key', name: 'caf', right: 'write' })
    expect(treeRefused(rights, 'caf\u00c3\u00a9')).toEqual({ resource: 'key', name: 'caf\u00e9', right: 'write' })
  })
})
