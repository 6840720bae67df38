import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))('the pool %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  it('[HTP-057] lists members with address, tags, status and versions', async () => {
    const members = (await ask(target, 'GET /v1/agent/members')).json() as readonly ExactObject[]
    expect(members).toHaveLength(1)
    const [self] = members as [ExactObject]
    expect(Object.keys(self)).toEqual([
      'Name',
      'Addr',
      'Port',
      'Tags',
      'Status',
      'ProtocolMin',
      'ProtocolMax',
      'ProtocolCur',
      'DelegateMin',
      'DelegateMax',
      'DelegateCur',
    ])
    expect(self['Tags']).toMatchObject({ role: 'svc', dc: 'dc1', build: '1.4.0:', vsn: '2', raft_vsn: '3' })
    expect(String(self['Status'])).toBe('1')
  })

  it('[HTP-057] lists the pool of the servers of all datacenters apart, in which names say of which they are', async () => {
    const [self] = (await ask(target, 'GET /v1/agent/members')).json() as unknown as readonly [ExactObject]
    for (const wan of ['wan=1', 'wan=true']) {
      const far = (await ask(target, `GET /v1/agent/members?${wan}`)).json() as readonly ExactObject[]
      expect(far).toHaveLength(1)
      expect(far[0]).toMatchObject({ Name: `${self['Name']}.dc1`, Addr: self['Addr'] })
      expect(far[0]?.['Port']).not.toEqual(self['Port'])
      expect(far[0]?.['Tags']).toMatchObject({ role: 'svc', dc: 'dc1' })
    }
    const near = (await ask(target, 'GET /v1/agent/members?wan=')).json() as readonly ExactObject[]
    expect(near).toMatchObject([{ Name: self['Name'] }])
  })

  it('[HTP-057] knows no segments but its own', async () => {
    expect((await ask(target, 'GET /v1/agent/members?segment=_all')).status).toBe(200)
    expect((await ask(target, 'GET /v1/agent/members?segment=alpha')).text).toContain(
      'Network segments are not supported',
    )
    expect((await ask(target, 'GET /v1/agent/members?segment=alpha&wan=1')).status).toBe(400)
  })

  it('[HTP-058] says which addresses it could not join, and removes a failed member on request', async () => {
    const join = await ask(target, 'PUT /v1/agent/join/127.0.0.1:1')
    expect([join.status, join.text]).toEqual([500, expect.stringContaining('* Failed to join 127.0.0.1')])
    const forced = await ask(target, 'PUT /v1/agent/force-leave/nobody')
    expect([forced.status, forced.text]).toEqual([200, ''])
  })

  it('[HTP-061] is part of what an agent says of itself', async () => {
    const self = (await ask(target, 'GET /v1/agent/self')).json() as ExactObject
    expect(Object.keys(self)).toEqual(['Config', 'DebugConfig', 'Coord', 'Member', 'Stats', 'Meta'])
    expect(Object.keys(self['Config'] as ExactObject)).toEqual([
      'Datacenter',
      'NodeName',
      'NodeID',
      'Revision',
      'Server',
      'Version',
    ])
    const [member] = (await ask(target, 'GET /v1/agent/members')).json() as unknown as readonly [ExactObject]
    const { Name: NodeName, Tags } = member as {
      readonly Name: string
      readonly Tags: Readonly<Record<string, string>>
    }
    const { id: NodeID } = Tags
    expect(self['Config']).toMatchObject({ Datacenter: 'dc1', NodeName, NodeID, Server: true, Version: '1.4.0' })
    expect(NodeID).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(self['Member']).toEqual(member)
    expect(Object.keys(self['Coord'] as ExactObject)).toEqual(['Vec', 'Error', 'Adjustment', 'Height'])
    const stats = self['Stats'] as ExactObject
    expect(Object.keys(stats).sort()).toEqual(['agent', 'build', 'raft', 'runtime', 'serf_lan', 'serf_wan', 'svc'])
    expect((stats['serf_lan'] as ExactObject)['members']).toBe('1')
    expect((stats['serf_wan'] as ExactObject)['members']).toBe('1')
  })
})
