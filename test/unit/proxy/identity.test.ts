import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { AgentClient } from '../../../src/proxy/agent-client.ts'
import { MeshIdentity } from '../../../src/proxy/identity.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

/** A proxy's identity, and the answers of its agent, which come when a test says so. */
class Shown {
  readonly clock = new HandClock()
  readonly identity: MeshIdentity
  leaf = { CertPEM: 'leaf 1', PrivateKeyPEM: 'key 1', SerialNumber: '01' }
  roots = { TrustDomain: 'one.svc', Roots: [{ RootCert: 'root 1', ExternalTrustDomain: 'one' }] }
  checked = 0
  changes = 0
  #open: (() => void)[] = []

  constructor() {
    const tcp = { tlsProblem: () => void this.checked++ }
    const api: AgentClient = {
      ask: ({ path }) =>
        new Promise((resolve) => {
          this.#open.push(() => {
            const body = utf8(JSON.stringify(path.endsWith('/roots') ? this.roots : this.leaf))
            resolve(ok({ status: 200, headers: new Map([['x-svc-index', '7']]), body }))
          })
        }),
    }
    this.identity = new MeshIdentity({ ...this.clock.env, tcp } as unknown as Env, api, 'web')
    this.identity.onChange(() => this.changes++)
  }

  /** The agent answers what is asked, and is asked again. */
  async answer(): Promise<void> {
    for (const answer of this.#open.splice(0)) answer()
    await settled()
    await this.clock.advance(1_000)
  }
}

describe('the certificate that a proxy shows, and the roots that it trusts', () => {
  it('are the same objects while the agent says the same, so that no listener is renewed for nothing', async () => {
    const shown = new Shown()
    await shown.answer()
    const first = shown.identity.current
    expect([first?.listening.certificateChainPem, shown.changes, shown.checked]).toEqual(['leaf 1', 1, 1])
    for (let minute = 0; minute < 10; minute++) await shown.answer()
    expect(shown.identity.current).toBe(first)
    expect([shown.changes, shown.checked]).toEqual([1, 1])
    shown.identity.close()
  })

  it('are others as soon as one of them is', async () => {
    const shown = new Shown()
    await shown.answer()
    shown.leaf = { ...shown.leaf, CertPEM: 'leaf 2', PrivateKeyPEM: 'key 2' }
    await shown.answer()
    expect(shown.identity.current?.dialling.certificateChainPem).toBe('leaf 2')
    shown.roots = { ...shown.roots, Roots: [...shown.roots.Roots, { RootCert: 'root 2', ExternalTrustDomain: 'two' }] }
    await shown.answer()
    expect(shown.identity.current?.listening.trustedPems).toEqual(['root 1', 'root 2'])
    shown.roots = { ...shown.roots, TrustDomain: 'three.svc' }
    await shown.answer()
    expect(shown.identity.current?.domains).toEqual({ current: 'three.svc', formerIds: ['one', 'two'] })
    expect(shown.changes).toBe(4)
    shown.identity.close()
  })
})
