import { describe, expect, it } from 'vitest'
import { MeshDomains } from '../../../src/agent/mesh/mesh-domains.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Failure } from '../../../src/model/failure.ts'

/** Servers that answer what a test says, and a clock that stands until it is moved. */
class Servers {
  answer: Result<string, Failure> = ok('one.svc')
  clusterIds: readonly string[] = []
  nowMs = 0
  asked = 0
  readonly domains = new MeshDomains(
    { clock: { monoMs: () => this.nowMs, wallMs: () => 0 } },
    {
      get: async () => {
        this.asked++
        const { answer } = this
        if (!answer.ok) return answer
        const value = {
          activeRootId: '',
          trustDomain: answer.value,
          roots: this.clusterIds.map((clusterId) => ({ clusterId })),
        }
        const meta = { index: 1, knownLeader: true, lastContactMs: 0 }
        return ok({ answer: { value, meta }, hit: true, ageMs: 0 }) as never
      },
    },
  )
}

describe('the trust domains that count, as an agent knows them', () => {
  it('are that of the roots, which is empty before there is an authority', async () => {
    const servers = new Servers()
    expect(await servers.domains.of()).toEqual(ok({ current: 'one.svc', formerIds: [] }))
    servers.answer = ok('')
    expect(await servers.domains.of()).toEqual(ok({ current: '', formerIds: [] }))
  })

  it('are besides those of other meshes that one of the roots is of', async () => {
    const servers = new Servers()
    servers.clusterIds = ['one', 'TWO', 'two', '']
    expect(await servers.domains.of()).toEqual(ok({ current: 'one.svc', formerIds: ['two'] }))
  })

  it('are none where the servers have no mesh, or do not know what that is; they are asked again after a while', async () => {
    for (const why of [{ kind: 'mesh-off' }, { kind: 'unknown-method', method: 'x' }] as const) {
      const servers = new Servers()
      servers.answer = err(why)
      expect(await servers.domains.of()).toEqual(ok(undefined))
      servers.nowMs = 9_999
      expect(await servers.domains.of()).toEqual(ok(undefined))
      expect(servers.asked).toBe(1)
      servers.nowMs = 10_000
      servers.answer = ok('one.svc')
      expect(await servers.domains.of()).toEqual(ok({ current: 'one.svc', formerIds: [] }))
    }
  })

  it('are not known where servers cannot be asked: that is no reason to compare nothing', async () => {
    const servers = new Servers()
    servers.answer = err({ kind: 'no-servers' })
    expect(await servers.domains.of()).toEqual(err({ kind: 'no-servers' }))
    servers.answer = err({ kind: 'refused', message: 'other' })
    expect(await servers.domains.of()).toEqual(err({ kind: 'refused', message: 'other' }))
  })
})
