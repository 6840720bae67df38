import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import { LoneServer } from './lone-server.ts'

async function read(server: LoneServer, target: string) {
  const response = await server.request('GET', target)
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return JSON.parse(writeJson(response.value))
}

async function register(server: LoneServer, body: object): Promise<void> {
  await server.request('PUT', '/v1/catalog/register', JSON.stringify(body))
}

/** `web` twice on a, whose own check warns, and once on b; `api` on b, registered by another system. */
async function cluster(): Promise<LoneServer> {
  const server = new LoneServer()
  const web = (node: string, id: string, status: string) =>
    register(server, {
      Node: node,
      Address: '10.0.0.1',
      Service: { ID: id, Service: 'web', Tags: ['v1'] },
      Check: { CheckID: id, Name: id, ServiceID: id, Status: status },
    })
  await web('a', 'web-1', 'passing')
  await web('a', 'web-2', 'critical')
  await web('b', 'web-1', 'purple')
  await register(server, { Node: 'a', Address: '10.0.0.1', Check: { CheckID: 'n', Name: 'n', Status: 'warning' } })
  const meta = { 'external-source': 'nomad', other: 'x' }
  await register(server, { Node: 'b', Address: '10.0.0.1', Service: { Service: 'api', Meta: meta } })
  return server
}

describe('[CAT-033] what the web UI asks for', () => {
  it('services by name: their nodes, and checks counted for each instance, with those of its node', async () => {
    const counts = (passing: number, warning: number, critical: number) => ({
      ChecksPassing: passing,
      ChecksWarning: warning,
      ChecksCritical: critical,
    })
    expect(await read(await cluster(), '/v1/internal/ui/services')).toEqual([
      { Name: 'api', Tags: null, Nodes: ['b'], ...counts(0, 0, 0), ExternalSources: ['nomad'] },
      { Name: 'web', Tags: null, Nodes: ['a', 'b'], ...counts(1, 2, 1), ExternalSources: null },
    ])
  })

  it('nodes by name with everything on them; one alone; none of that name is 404', async () => {
    const server = await cluster()
    const nodes = await read(server, '/v1/internal/ui/nodes')
    const shown = nodes.map((node: { Node: string; Services: { ID: string }[]; Checks: { CheckID: string }[] }) => [
      node.Node,
      node.Services.map(({ ID }) => ID),
      node.Checks.map(({ CheckID }) => CheckID),
    ])
    expect(shown).toEqual([
      ['a', ['web-1', 'web-2'], ['n', 'web-1', 'web-2']],
      ['b', ['api', 'web-1'], ['web-1']],
    ])
    expect(nodes[0].Services[0].Tags).toEqual(['v1'])
    expect([nodes[1].Services[0].Tags, nodes[0].Checks[0].ServiceTags]).toEqual([null, null])
    expect(await read(server, '/v1/internal/ui/node/b')).toEqual(nodes[1])
    expect(await server.request('GET', '/v1/internal/ui/node/nobody')).toEqual({ kind: 'empty', status: 404 })
  })
})
