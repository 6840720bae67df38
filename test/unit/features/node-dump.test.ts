import { expect, it } from 'vitest'
import { nodeDumpEndpoint } from '../../../src/features/catalog/endpoint.ts'
import type { NodeDump } from '../../../src/features/catalog/model.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { LoneServer } from './lone-server.ts'
import { type Grant, Rights } from './rights-of.ts'

it('an agent that reads its node gets what its token may see: services, and checks by their owner', async () => {
  const server = new LoneServer()
  const body = {
    Node: 'n',
    Address: '10.0.0.1',
    Checks: [{ Name: 'alive' }, { Name: 'well', ServiceID: 'web' }],
  }
  for (const Service of ['db', 'web'])
    await server.request(
      'PUT',
      '/v1/catalog/register',
      JSON.stringify({ ...body, Service: { Service }, Checks: Service === 'web' ? body.Checks : [] }),
    )
  const { access, query } = nodeDumpEndpoint
  if (access.kind !== 'filters') throw new Error('the answer is not filtered')
  const tx = server.read()
  const dump = query(tx, { node: 'n' }, newestRelease).value
  const told = (...grants: readonly Grant[]) => {
    const { node, services, checks } = access.filter(new Rights(grants), dump, { node: 'n' }, tx) as NodeDump
    return [node?.node, services.map(({ service }) => service), checks.map(({ name }) => name)]
  }
  expect(told('node:n:read', 'service:db:read', 'service:web:read')).toEqual(['n', ['db', 'web'], ['alive', 'well']])
  expect(told('node:n:read', 'service:web:read')).toEqual(['n', ['web'], ['alive', 'well']])
  expect(told('node:n:read', 'service:db:read')).toEqual(['n', ['db'], ['alive']])
  expect(told('node:n:read')).toEqual(['n', [], ['alive']])
  expect(told('service:db:read', 'service:web:read')).toEqual([undefined, [], []])
})
