import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { beginAuthority } from '../../../src/features/connect/commands.ts'
import { partsOf } from '../../../src/features/connect/parts.ts'
import { OpenProviders } from '../../../src/features/connect/provider/open-providers.ts'
import type { Provider, ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import * as views from '../../../src/features/connect/views.ts'
import {
  AuthorityWorld,
  anotherKey,
  builtInKind,
  certificatesOf,
  clusterId,
  granted,
  hourMs,
  minuteMs,
  refusal,
  trustDomain,
} from './authority-world.ts'

/** The built-in provider, and what it is asked for. */
function toldOf(calls: string[]): ProviderKind {
  const telling = (provider: Provider): Provider =>
    new Proxy(provider, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          calls.push(String(name))
          return Reflect.apply(member, target, args)
        }
      },
    })
  return { ...builtInKind, open: (...args) => telling(builtInKind.open(...args)) }
}

it('a leader that goes opens no provider any more, whatever it was at', async () => {
  const calls: string[] = []
  const kind = toldOf(calls)
  const world = await AuthorityWorld.begun({}, [kind])
  const providers = new OpenProviders(partsOf(world.server.context, [kind]))
  providers.close()
  calls.length = 0
  const refused = { ok: false, error: { kind: 'unavailable', message: 'this server no longer leads' } }
  expect(await providers.active(world.server.read())).toEqual(refused)
  expect(calls).toEqual([])
})

describe('the beginning of the authority', () => {
  it('is one root and the configuration of the leader, and trust in its cluster by the DNS domain in lower case', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '36h' })
    expect(world.roots).toHaveLength(1)
    expect(views.authorityOf(world.server.read())).toMatchObject({
      provider: 'svc',
      options: { LeafCertTTL: '36h' },
      clusterId,
      trustDomain,
    })
    const [root] = certificatesOf(world.active.certificate)
    expect(root).toMatchObject({ commonName: `Svc CA ${world.active.serialNumber}`, uris: [`spiffe://${trustDomain}`] })
    expect(root?.notBeforeMs).toBe(world.nowMs - minuteMs)
  })

  it('[CA-014] comes once: another leader makes no other root, also when two come to it at the same time', async () => {
    const world = await AuthorityWorld.begun()
    const [root] = world.roots
    world.change()
    await world.rest()
    expect(world.roots).toEqual([root])
    const late = {
      provider: 'svc',
      options: {},
      clusterId: 'another',
      trustDomain: 'another.svc',
      root: {
        id: '00:01',
        name: 'x',
        serialNumber: '9',
        signingKeyId: '',
        notBeforeMs: 0,
        notAfterMs: 9,
        certificate: root?.certificate ?? '',
        provider: 'svc',
        ownIntermediates: [],
        chainEndMs: 9,
        privateKeyPem: '',
        rootCertificate: '',
      },
    }
    expect(await world.server.context.propose(beginAuthority, late)).toEqual(ok(false))
    expect(world.roots).toEqual([root])
  })

  it('[CA-004] signs with the same root whichever server leads', async () => {
    const world = await AuthorityWorld.begun()
    const [root] = world.roots
    world.change()
    await world.rest()
    const leaf = granted(await world.sign('web'))
    expect(leaf.rootId).toBe(root?.id)
    expect(refusal(leaf, world.roots, world.nowMs)).toBeUndefined()
  })

  it('[CA-011] [CA-012] [CA-013] follows the settings of a leader once: what another one says has no effect, and it is told so', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '36h' })
    const before = [views.authorityOf(world.server.read()), world.roots]
    const text = 'the settings of the certificate authority in the configuration have no effect: it exists already'
    world.change()
    await world.rest()
    expect(world.logged.map((line) => line.text)).not.toContain(text)
    world.server.mesh = {
      enabled: true,
      provider: 'vault',
      options: { Token: 't', LeafCertTTL: '2h' },
      clusterId: 'x',
      dnsDomain: 'other',
    }
    world.change()
    await world.advance(minuteMs)
    expect([views.authorityOf(world.server.read()), world.roots]).toEqual(before)
    expect(world.logged.filter((line) => line.text === text)).toHaveLength(1)
    const leaf = granted(await world.sign('web'))
    expect(leaf.notAfterMs - leaf.notBeforeMs).toBe(36 * hourMs)
    expect(await world.update({ LeafCertTTL: '48h' })).toEqual(ok(true))
    expect(views.authorityOf(world.server.read())).toMatchObject({ provider: 'svc', options: { LeafCertTTL: '48h' } })
  })

  it('is led as before by a server whose settings cannot be read', async () => {
    const world = await AuthorityWorld.begun()
    const text = 'the settings of the certificate authority in the configuration have no effect: it exists already'
    world.server.mesh = { enabled: true, provider: 'svc', options: { LeafCertTTL: [] }, clusterId: '', dnsDomain: '' }
    world.change()
    await world.advance(minuteMs)
    expect(world.logged.filter((line) => line.text === text)).toHaveLength(1)
    granted(await world.sign('web'))
  })

  it('[CA-002] [CA-003] has its provider make the root, sign leaves and cross the root that follows, and asks it only while it leads', async () => {
    const calls: string[] = []
    const world = await AuthorityWorld.begun({}, [toldOf(calls)])
    expect(calls).toContain('root')
    expect(calls).not.toContain('signLeaf')
    granted(await world.sign('web'))
    expect(calls.filter((call) => call === 'signLeaf')).toHaveLength(1)
    expect(calls).not.toContain('crossSign')
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
    expect(calls.filter((call) => call === 'crossSign')).toHaveLength(1)
    world.server.resign()
    calls.length = 0
    await world.advance(2 * hourMs)
    const { signEndpoint } = await import('../../../src/features/connect/write-endpoints.ts')
    const csr = world.csr([`spiffe://${trustDomain}/ns/default/dc/dc1/svc/web`])
    const answer = await world.server.agent.write(signEndpoint, { csr }, {})
    expect(answer).toMatchObject({ ok: false, error: { kind: 'not-leader' } })
    expect(calls).toEqual([])
  })

  it('[CA-003] asks its provider for nothing more from the moment on at which it leads no more, in the middle of a rotation', async () => {
    const calls: string[] = []
    const world = await AuthorityWorld.begun({}, [toldOf(calls)])
    granted(await world.sign('web'))
    const { context } = world.server
    const { propose } = context
    context.propose = async (command, body, identity) => {
      const done = await propose(command, body, identity)
      if (command.kind === 'connect.rotation-requested') {
        world.server.resign()
        calls.length = 0
      }
      return done
    }
    const updated = world.update({ PrivateKey: anotherKey() })
    await world.advance(2 * hourMs)
    expect(await updated).toMatchObject({ ok: false })
    expect(views.openRotation(world.server.read())).toMatchObject({ step: 'requested' })
    expect(calls).toEqual([])
  })

  it('is tried again until it succeeds, and the leader leads on', async () => {
    const world = new AuthorityWorld({ PrivateKey: 'not a key' })
    world.lead()
    await world.advance(5_000)
    expect(world.roots).toEqual([])
    expect(world.forecast()).toMatchObject({ state: 'degraded', problem: expect.stringContaining('private key') })
    expect(world.metrics).toContain('connect.ca.healthy 0')
    expect((await world.request('GET /v1/connect/ca/roots')).text).toBe(
      '{"ActiveRootID":"","TrustDomain":"","Roots":[]}',
    )
    expect(await world.update({})).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('not started') },
    })
    world.server.mesh = { enabled: true, provider: 'svc', options: {}, clusterId, dnsDomain: 'svc' }
    await world.advance(minuteMs)
    expect(world.roots).toHaveLength(1)
    expect(world.metrics).toContain('connect.ca.healthy 1')
  })
})
