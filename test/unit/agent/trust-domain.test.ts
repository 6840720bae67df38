import { describe, expect, it } from 'vitest'
import { TrustDomain } from '../../../src/agent/mesh/trust-domain.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { meshIsOffLine } from '../../../src/features/connect/model.ts'
import type { Failure } from '../../../src/model/failure.ts'

/** Servers that answer what a test says, and a clock that stands until it is moved. */
class Servers {
  answer: Result<string, Failure> = ok('one.svc')
  nowMs = 0
  asked = 0
  readonly domain = new TrustDomain(
    { clock: { monoMs: () => this.nowMs, wallMs: () => 0 } },
    {
      get: async () => {
        this.asked++
        const { answer } = this
        if (!answer.ok) return answer
        const value = { activeRootId: '', trustDomain: answer.value, roots: [] }
        const meta = { index: 1, knownLeader: true, lastContactMs: 0 }
        return ok({ answer: { value, meta }, hit: true, ageMs: 0 }) as never
      },
    },
  )
}

describe('the trust domain, as an agent knows it', () => {
  it('is that of the roots, and empty before there is an authority', async () => {
    const servers = new Servers()
    expect(await servers.domain.of()).toEqual(ok('one.svc'))
    servers.answer = ok('')
    expect(await servers.domain.of()).toEqual(ok(''))
  })

  it('is none where the servers have no mesh, or do not know what that is; they are asked again after a while', async () => {
    for (const why of [
      { kind: 'refused', message: meshIsOffLine },
      { kind: 'unknown-method', method: 'x' },
    ] as const) {
      const servers = new Servers()
      servers.answer = err(why)
      expect(await servers.domain.of()).toEqual(ok(undefined))
      servers.nowMs = 9_999
      expect(await servers.domain.of()).toEqual(ok(undefined))
      expect(servers.asked).toBe(1)
      servers.nowMs = 10_000
      servers.answer = ok('one.svc')
      expect(await servers.domain.of()).toEqual(ok('one.svc'))
    }
  })

  it('is not known where servers cannot be asked: that is no reason to compare nothing', async () => {
    const servers = new Servers()
    servers.answer = err({ kind: 'no-servers' })
    expect(await servers.domain.of()).toEqual(err({ kind: 'no-servers' }))
    servers.answer = err({ kind: 'refused', message: 'other' })
    expect(await servers.domain.of()).toEqual(err({ kind: 'refused', message: 'other' }))
  })
})
