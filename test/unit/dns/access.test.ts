import { describe, expect, it } from 'vitest'
import { type Grant, Rights } from '../features/rights-of.ts'
import { CatalogWorld } from './catalog-world.ts'

const webHere: readonly Grant[] = ['node:n1:read', 'service:web:read']

/** A server, an instance of web with an address of its own, and a prepared query for it. */
function withRights(...granted: readonly Grant[]): CatalogWorld {
  const world = new CatalogWorld()
  world.place({ node: 'n1', address: '127.0.0.1', service: { service: 'svc', port: 8300 } })
  world.place({ node: 'n1', address: '127.0.0.1', service: { service: 'web', address: '10.0.0.1', port: 80 } })
  world.define('find', { service: 'web' })
  world.authorizer = new Rights(granted)
  return world
}

describe('DNS with the token of the agent', () => {
  it('dns 121: shows a caller without rights no service, node and prepared query, with the authority of an unknown name', async () => {
    const world = withRights()
    for (const name of ['web.service.svc.', 'n1.node.svc.', 'find.query.svc.', 'svc.service.svc.']) {
      const { received } = await world.ask(name)
      expect([name, received.rcode, received.answers.length, received.authorities.map(({ type }) => type)]).toEqual([
        name,
        'NXDOMAIN',
        0,
        ['SOA'],
      ])
    }
  })

  it('dns 121: names no server to a caller without rights, and has an authority nevertheless', async () => {
    const world = withRights()
    const servers = await world.ask('svc.', 'NS')
    expect([servers.received.rcode, servers.received.answers]).toEqual(['NOERROR', []])
    const authority = await world.ask('svc.', 'SOA')
    expect(authority.received.answers.map(({ type }) => type)).toEqual(['SOA'])
    expect([authority.received.authorities, authority.received.additionals]).toEqual([[], []])
  })

  it('dns 121: knows no name for an address whose node or service the token may not read', async () => {
    const world = withRights()
    for (const name of ['1.0.0.127.in-addr.arpa.', '1.0.0.10.in-addr.arpa.']) {
      expect((await world.ask(name, 'PTR')).received.rcode).toBe('SERVFAIL')
    }
    world.authorizer = new Rights(['node:n1:read'])
    expect((await world.ask('1.0.0.127.in-addr.arpa.', 'PTR')).received.answers).toMatchObject([
      { target: 'n1.node.dc1.svc.' },
    ])
    expect((await world.ask('1.0.0.10.in-addr.arpa.', 'PTR')).received.rcode).toBe('SERVFAIL')
    world.authorizer = new Rights(webHere)
    expect((await world.ask('1.0.0.10.in-addr.arpa.', 'PTR')).received.answers).toMatchObject([
      { target: 'web.service.svc.' },
    ])
  })

  it('dns 122: answers for a service whose node the token may read as well', async () => {
    for (const granted of [['service:web:read'], ['node:n1:read']] as const) {
      expect((await withRights(...granted).ask('web.service.svc.')).received.rcode).toBe('NXDOMAIN')
    }
    const { received } = await withRights(...webHere).ask('web.service.svc.')
    expect(received.answers).toMatchObject([{ type: 'A', address: '10.0.0.1' }])
  })

  it('dns 122: answers for a node that the token may read, and names the servers among such nodes', async () => {
    const world = withRights('node:n1:read', 'service:svc:read')
    expect((await world.ask('n1.node.svc.')).received.answers).toMatchObject([{ address: '127.0.0.1' }])
    expect((await world.ask('svc.', 'NS')).received.answers).toMatchObject([{ type: 'NS' }])
    expect((await world.ask('svc.', 'SOA')).received.authorities).toMatchObject([{ type: 'NS' }])
  })

  it('dns 37, 122: a prepared query asks no rule of its own, and finds what the token may read', async () => {
    expect((await withRights().ask('find.query.svc.')).received.rcode).toBe('NXDOMAIN')
    expect((await withRights(...webHere).ask('find.query.svc.')).received.answers).toMatchObject([
      { address: '10.0.0.1' },
    ])
  })

  it('dns 121: fails with a token that there is not', async () => {
    const world = withRights()
    world.failure = { kind: 'token-not-found' }
    const said = async (name: string, type: 'A' | 'NS') => (await world.ask(name, type)).received
    expect((await said('web.service.svc.', 'A')).rcode).toBe('SERVFAIL')
    expect((await said('n1.node.svc.', 'A')).rcode).toBe('SERVFAIL')
    expect((await said('find.query.svc.', 'A')).rcode).toBe('NXDOMAIN')
    expect(await said('svc.', 'NS')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })
})
