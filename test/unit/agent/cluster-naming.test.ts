import { describe, expect, it } from 'vitest'
import { type ForcedEnd, OnceSignal } from '../../../src/agent/boot/lifecycle.ts'
import { poolAdmission, wanAdmission } from '../../../src/agent/pool/pool-admission.ts'
import { ComingState } from '../../../src/agent/replication/coming-state.ts'
import { fixNames, guardNames, otherNames } from '../../../src/agent/servers/cluster-naming.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { namesFix } from '../../../src/features/operator/commands.ts'
import { clusterNames, fixedNames } from '../../../src/features/operator/views.ts'
import { fieldNaming, svcNaming } from '../../../src/model/naming/naming.ts'
import { LoneServer } from '../features/lone-server.ts'

const tags = { role: 'consul', dc: 'dc1', id: 'b', port: '8300', vsn: '2', vsn_min: '2', vsn_max: '3' }
const endpoint = { host: '10.0.0.1', port: 8301 }
const own = {
  nodeName: 'a',
  name: 'a.dc1',
  nodeId: 'a',
  endpoint,
  datacenter: 'dc1',
  protocol: { min: 2, max: 3, spoken: 2 },
}
const claim = { name: 'b', endpoint: { host: '10.0.0.2', port: 8301 }, tags }

describe('what a cluster is called', () => {
  it('is open in a new one, is fixed by the first record, and stays as it is', async () => {
    const server = new LoneServer()
    expect([fixedNames(server.read()), clusterNames(server.read())]).toEqual([undefined, 'svc'])
    expect(fixNames({ ...server.context, naming: svcNaming })).toBeUndefined()
    expect(await fixNames({ ...server.context, naming: fieldNaming })).toEqual({ ok: true, value: 'consul' })
    expect(fixedNames(server.read())).toBe('consul')
    expect(fixNames({ ...server.context, naming: fieldNaming })).toBeUndefined()
    expect(await server.context.propose(namesFix, { names: 'svc' })).toEqual({ ok: true, value: 'consul' })
    expect(clusterNames(server.read())).toBe('consul')
  })

  it('is svc where a leader has worked without a record, whatever comes then', async () => {
    const server = new LoneServer()
    const service = { id: 'svc', service: 'svc', port: 8300 }
    await server.request(
      'PUT',
      '/v1/catalog/register',
      utf8(
        JSON.stringify({
          Node: 's1',
          Address: '10.0.0.1',
          Service: { ID: service.id, Service: service.service, Port: service.port },
        }),
      ),
    )
    expect(fixedNames(server.read())).toBe('svc')
    expect(await server.context.propose(namesFix, { names: 'consul' })).toEqual({ ok: true, value: 'svc' })
    expect(otherNames(fieldNaming, server.read())).toMatch(
      /formed with names = "svc", and this server has names = "consul"/,
    )
    expect(otherNames(svcNaming, server.read())).toBeUndefined()
  })

  it('ends a server that is called otherwise, once that is known', async () => {
    const server = new LoneServer()
    const fatal = new OnceSignal<ForcedEnd | Error>()
    const ended: string[] = []
    fatal.on((failure) => ended.push(failure.message))
    const stop = guardNames(svcNaming, { read: () => server.read(), watch: server.context.watch }, fatal)
    expect(ended).toEqual([])
    await server.context.propose(namesFix, { names: 'consul' })
    expect(ended).toEqual([expect.stringMatching(/formed with names = "consul", and this server has names = "svc"/)])
    stop()
  })

  it('is that of a snapshot that is restored, or the snapshot is refused with both names', async () => {
    const [saved, other] = [new LoneServer(), new LoneServer()]
    await saved.context.propose(namesFix, { names: 'consul' })
    const archive = saved.state.store.archive()
    const pieces = [
      ...(function* () {
        for (let piece = archive.next(); piece !== undefined; piece = archive.next()) yield piece
      })(),
    ]
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    const checked = (server: LoneServer) => new ComingState(server.state.store).check(size, pieces, async () => {})
    expect(await checked(other)).toEqual({
      ok: false,
      error: 'snapshot: it is of a cluster with names = "consul", and this one has names = "svc"',
    })
    expect(await checked(saved)).toMatchObject({ ok: true })
  })

  it.each([
    ['of a datacenter', poolAdmission],
    ['of all datacenters', wanAdmission],
  ])('keeps servers of the other naming out of the pool %s, with both names', (_, admission) => {
    const refuse = admission({ ...own, naming: svcNaming })
    expect(refuse([claim])).toBe(
      `Member 'b' is a server with names = "consul", and here names = "svc": all agents of a cluster have the same`,
    )
    expect(refuse([{ ...claim, tags: { ...tags, role: 'svc' } }])).toBeUndefined()
    expect(admission({ ...own, naming: fieldNaming })([claim])).toBeUndefined()
  })
})
