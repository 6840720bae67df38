import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { LoneServer } from './lone-server.ts'

function jsonOf(response: RouteResponse): string {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return writeJson(response.value)
}

async function read(server: LoneServer, target: string): Promise<Record<string, unknown>[]> {
  return JSON.parse(jsonOf(await server.request('GET', target)))
}

async function register(server: LoneServer, body: object): Promise<void> {
  expect(jsonOf(await server.request('PUT', '/v1/catalog/register', JSON.stringify(body)))).toBe('true')
}

/** `web` on a (all pass), b (its own check is critical) and c (a check of the node warns); `api` on a. */
async function cluster(): Promise<LoneServer> {
  const server = new LoneServer()
  const node = (name: string, own: string, nodes: string) => ({
    Node: name,
    Address: `10.0.0.${name}`,
    Service: { ID: `web-${name}`, Service: 'web', Tags: [name, 'all'], Port: 80 },
    Checks: [
      { CheckID: 'n', Name: 'node', Status: nodes },
      { CheckID: 's', Name: 'web', ServiceID: `web-${name}`, Status: own },
    ],
  })
  await register(server, node('a', 'passing', 'passing'))
  await register(server, node('b', 'critical', 'passing'))
  await register(server, node('c', 'passing', 'warning'))
  await register(server, {
    Node: 'a',
    Address: '10.0.0.a',
    Service: { Service: 'api' },
    Check: { CheckID: 'api', Name: 'api', ServiceID: 'api', Status: 'critical' },
  })
  return server
}

async function nodesOf(server: LoneServer, query: string): Promise<string> {
  const entries = await read(server, `/v1/health/service/web${query}`)
  return entries.map(({ Node }) => (Node as { Node: string }).Node).join()
}

describe('GET /v1/health/service/NAME', () => {
  it('has where the instance is reached beside the node: its own address, where it has one', async () => {
    const server = await cluster()
    await register(server, { Node: 'a', Address: '10.0.0.a', Service: { Service: 'own', Address: '10.9.9.9' } })
    const [own] = await read(server, '/v1/health/service/own')
    expect(own).toMatchObject({ Node: { Address: '10.0.0.a' }, Address: '10.9.9.9', Service: { Address: '10.9.9.9' } })
  })

  it('has the node, its address beside it, the instance, and the checks of both', async () => {
    const server = await cluster()
    const [first] = await read(server, '/v1/health/service/web')
    expect(Object.keys(first ?? {})).toEqual(['Node', 'Address', 'Service', 'Checks'])
    expect(first).toMatchObject({
      Node: { Node: 'a', Address: '10.0.0.a', Datacenter: 'dc1' },
      Address: '10.0.0.a',
      Service: { ID: 'web-a', Service: 'web', Tags: ['a', 'all'], Port: 80 },
      Checks: [
        { CheckID: 'n', ServiceID: '' },
        { CheckID: 's', ServiceID: 'web-a', ServiceName: 'web', ServiceTags: ['a', 'all'] },
      ],
    })
  })

  it.each(['?passing', '?passing=', '?passing=1', '?passing=true', '?passing=T'])(
    'with %s leaves out instances with any check that does not pass, that of the node too',
    async (query) => {
      expect(await nodesOf(await cluster(), query)).toBe('a')
    },
  )

  it.each(['', '?passing=0', '?passing=false', '?passing=F'])('with "%s" leaves out nothing', async (query) => {
    expect(await nodesOf(await cluster(), query)).toBe('a,b,c')
  })

  it.each(['?passing=yes', '?passing=TrUe', '?passing=2'])('refuses %s', async (query) => {
    expect(await new LoneServer().request('GET', `/v1/health/service/web${query}`)).toMatchObject({
      kind: 'failure',
      failure: { kind: 'bad-request', message: 'Invalid value for ?passing' },
    })
  })

  it('filters by tags together with passing', async () => {
    const server = await cluster()
    expect(await nodesOf(server, '?tag=ALL&tag=b')).toBe('b')
    expect(await nodesOf(server, '?tag=b&passing')).toBe('')
  })

  it('has nothing that can be reached through the mesh', async () => {
    const server = await cluster()
    expect(await read(server, '/v1/health/connect/web')).toEqual([])
  })
})

describe('checks', () => {
  it('have their members in the order of the field', async () => {
    const server = await cluster()
    expect(jsonOf(await server.request('GET', '/v1/health/checks/api'))).toBe(
      '[{"Node":"a","CheckID":"api","Name":"api","Status":"critical","Notes":"","Output":"","ServiceID":"api",' +
        '"ServiceName":"api","ServiceTags":[],"Definition":{},"CreateIndex":4,"ModifyIndex":4}]',
    )
  })

  it('are told by service, by node and by state', async () => {
    const server = await cluster()
    const ids = async (target: string) =>
      (await read(server, target)).map(({ Node, CheckID }) => `${Node}/${CheckID}`).join()
    expect(await ids('/v1/health/checks/web')).toBe('a/s,b/s,c/s')
    expect(await ids('/v1/health/node/a')).toBe('a/api,a/n,a/s')
    expect(await ids('/v1/health/state/critical')).toBe('a/api,b/s')
    expect(await ids('/v1/health/state/any')).toBe('a/api,a/n,a/s,b/n,b/s,c/n,c/s')
    expect(await ids('/v1/health/state/Critical')).toBe('')
  })

  it('in a state are as old as the last change of a check, and of a node only where its metadata is asked for', async () => {
    const server = await cluster()
    const ofChecks = server.index
    await register(server, { Node: 'a', Address: '10.9.9.9' })
    const index = async (target: string) => {
      const response = await server.request('GET', target)
      return response.kind === 'json' ? response.meta?.index : undefined
    }
    expect(server.index).toBeGreaterThan(ofChecks)
    expect(await index('/v1/health/state/passing')).toBe(ofChecks)
    expect(await index('/v1/health/state/any')).toBe(ofChecks)
    expect(await index('/v1/health/state/passing?node-meta=zone:north')).toBe(server.index)
  })

  it('may have any status that a registration says', async () => {
    const server = await cluster()
    await register(server, { Node: 'a', Address: '10.0.0.a', Check: { Name: 'odd', Status: 'purple' } })
    expect((await read(server, '/v1/health/state/purple')).map(({ CheckID }) => CheckID)).toEqual(['odd'])
    expect(await nodesOf(server, '?passing')).toBe('')
  })
})
