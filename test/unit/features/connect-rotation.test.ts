import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import type { ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import { rotationActivate, rotationCrossed, rotationRefused } from '../../../src/features/connect/rotation-commands.ts'
import * as views from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { AuthorityWorld, anotherKey, certificatesOf, granted, hourMs, refusal, trustDomain } from './authority-world.ts'

const steps = [
  'connect.update',
  'connect.serials',
  'connect.rotation-requested',
  'connect.rotation-crossed',
  'connect.rotation-activate',
] as const

describe('a rotation of the authority', () => {
  it('[CA-018] goes through its steps in order, and leaves carry what leads back to the old root', async () => {
    const world = await AuthorityWorld.begun()
    const before = granted(await world.sign('web'))
    const old = world.roots
    world.committed.length = 0
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    expect(world.committed.filter((kind) => kind !== 'connect.serials')).toEqual([
      'connect.update',
      'connect.rotation-requested',
      'connect.rotation-crossed',
      'connect.rotation-activate',
    ])
    const [first, second] = world.roots
    expect(world.roots.map(({ active }) => active)).toEqual([false, true])
    expect(first?.intermediates).toEqual([])
    expect(second?.intermediates).toHaveLength(1)
    const after = granted(await world.sign('web'))
    expect(after.rootId).toBe(second?.id)
    for (const trusted of [old, [second], world.roots]) {
      expect(
        refusal(
          after,
          trusted.flatMap((root) => root ?? []),
          world.nowMs,
        ),
      ).toBeUndefined()
    }
    expect(refusal(before, old, world.nowMs)).toBeUndefined()
    expect(refusal(before, second === undefined ? [] : [second], world.nowMs)).toContain('issuer')
  })

  for (const step of steps) {
    it(`[CA-028] ends with one active root when the leader is lost behind ${step}`, async () => {
      const world = await AuthorityWorld.begun()
      granted(await world.sign('web'))
      const identity = { origin: 'a', sequence: 1 }
      world.crashAfter = step
      expect(await world.update({ PrivateKey: anotherKey() }, { identity })).toEqual({ ok: true, value: true })
      await world.rest()
      expect(world.crashAfter).toBeUndefined()
      expect(world.roots.map(({ active }) => active)).toEqual([false, true])
      expect(views.openRotation(world.server.read())).toBeUndefined()
      expect(world.committed.filter((kind) => kind === 'connect.rotation-activate')).toHaveLength(1)
      expect(refusal(granted(await world.sign('web')), world.roots.slice(0, 1), world.nowMs)).toBeUndefined()
    })
  }

  it('[CA-028] is done with: what the leader that was lost had sent for a step comes late, and changes nothing', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('web'))
    const { propose } = world.server.context
    const sent: (() => Promise<unknown>)[] = []
    world.server.context.propose = (command, body, identity) => {
      sent.push(() => propose(command, body))
      return propose(command, body, identity)
    }
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    const state = () => [
      world.roots,
      views.authorityOf(world.server.read()),
      ...views.allRotations(world.server.read()),
    ]
    const before = state()
    expect(sent.length).toBeGreaterThanOrEqual(4)
    for (const again of sent) await again()
    expect(state()).toEqual(before)
  })

  it('[CA-028] keeps its first crossing: that of a leader that was lost comes late', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('web'))
    const { context } = world.server
    const { propose } = context
    let crossed: unknown
    const late: unknown[] = []
    context.propose = async (command, body, identity) => {
      if (command.kind === 'connect.rotation-crossed') crossed = body
      if (command.kind === 'connect.rotation-activate') late.push(await propose(rotationCrossed, crossed as never))
      return propose(command, body, identity)
    }
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
    expect(late).toEqual([ok(false)])
  })

  it('[CA-028] needs its crossing, also where an activation comes early, and is not refused after its end', async () => {
    const world = await AuthorityWorld.begun()
    const { context } = world.server
    const { propose } = context
    const early: unknown[] = []
    context.propose = async (command, body, identity) => {
      if (command.kind === 'connect.rotation-crossed') {
        const { rotation } = body as { readonly rotation: number }
        const activation = { rotation, nowMs: world.nowMs, oldIsOver: false, othersUntilMs: 0 }
        early.push(await propose(rotationActivate, activation))
      }
      return propose(command, body, identity)
    }
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
    expect(early).toEqual([ok('not-there')])
    const ended = [...views.allRotations(world.server.read())]
    expect(ended).toMatchObject([{ step: 'activated', why: '' }])
    for (const rotation of [ended[0]?.id ?? 0, 999_999]) {
      expect(await propose(rotationRefused, { rotation, why: 'the provider has refused' })).toEqual(ok(false))
    }
    expect([...views.allRotations(world.server.read())]).toEqual(ended)
  })

  it('is known to a caller that asks again with the same check-and-set after its end', async () => {
    const world = await AuthorityWorld.begun()
    const [wishes, key] = [{ identity: { origin: 'a', sequence: 1 }, onlyAt: world.server.index }, anotherKey()]
    granted(await world.sign('web'))
    expect(await world.update({ PrivateKey: key }, wishes)).toEqual({ ok: true, value: true })
    world.change()
    expect(await world.update({ PrivateKey: key }, wishes)).toEqual({ ok: true, value: true })
    const other = { ...wishes, identity: { origin: 'a', sequence: 2 } }
    expect(await world.update({ PrivateKey: key }, other)).toEqual({ ok: true, value: false })
    expect(world.roots).toHaveLength(2)
  })

  it('waits for the one that is under way, and comes after it', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('web'))
    const both = await Promise.all([
      world.update({ PrivateKey: anotherKey() }, { identity: { origin: 'a', sequence: 1 } }),
      world.update({ PrivateKey: anotherKey() }, { identity: { origin: 'b', sequence: 1 } }),
    ])
    expect(both).toEqual([
      { ok: true, value: true },
      { ok: true, value: true },
    ])
    // The one between them never signed a leaf.
    expect(world.roots.map(({ active }) => active)).toEqual([false, true])
    const rotations = [...views.allRotations(world.server.read())]
    expect(rotations.map(({ step }) => step)).toEqual(['activated', 'activated'])
  })

  it('leads back over all roots that are listed, and no further', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '2h' })
    granted(await world.sign('web'))
    for (let i = 0; i < 3; i++) {
      await world.advance(hourMs / 4)
      await world.update({ LeafCertTTL: '2h', PrivateKey: anotherKey() })
      granted(await world.sign('web'))
    }
    const leaf = granted(await world.sign('web'))
    expect(certificatesOf(leaf.certificates)).toHaveLength(4)
    for (const root of world.roots) expect(refusal(leaf, [root], world.nowMs)).toBeUndefined()
    await world.advance(hourMs + hourMs / 3)
    expect(world.roots.length).toBeGreaterThan(1)
    expect(world.roots.length).toBeLessThan(4)
    const later = granted(await world.sign('web'))
    expect(certificatesOf(later.certificates)).toHaveLength(world.roots.length)
    for (const root of world.roots) expect(refusal(later, [root], world.nowMs)).toBeUndefined()
    await world.advance(20 * hourMs)
    expect(world.roots).toHaveLength(1)
    expect(world.active.intermediates).toEqual([])
  })

  it('back to a root that is still listed makes that one active again', async () => {
    const key = anotherKey()
    const world = await AuthorityWorld.begun({ PrivateKey: key })
    const [first] = world.roots
    granted(await world.sign('web'))
    await world.update({ PrivateKey: anotherKey() })
    const second = world.active
    granted(await world.sign('web'))
    await world.update({ PrivateKey: key, RootCert: first?.certificate ?? '' })
    expect(world.roots.map(({ id, active }) => [id, active])).toEqual([
      [second.id, false],
      [first?.id, true],
    ])
    expect(world.active.createIndex).toBe(first?.createIndex)
    const leaf = granted(await world.sign('web'))
    for (const root of world.roots) expect(refusal(leaf, [root], world.nowMs)).toBeUndefined()
  })

  it('is refused to a root that would expire before the last leaf of the old one', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('web'))
    const key = hostCrypto.makeSigningKey()
    const term = { serial: 77n, notBeforeMs: world.nowMs - 60_000, notAfterMs: world.nowMs + 3 * hourMs }
    const root = signRoot(hostCrypto, key, { commonName: 'short', uri: `spiffe://${trustDomain}`, ...term })
    const answer = await world.update({ PrivateKey: key.privateKeyPem, RootCert: certificatePem(root) })
    const message = expect.stringContaining('before the last leaf of the old one')
    expect(answer).toMatchObject({ ok: false, error: { kind: 'bad-request', message } })
    expect(world.roots).toHaveLength(1)
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
  })

  it('is accepted with eight roots listed, and begins when the oldest has gone', async () => {
    const world = await AuthorityWorld.begun()
    const [oldest] = world.roots
    await eightRoots(world)
    const goesMs = world.forecast().roots[0]?.goesMs ?? 0
    expect(world.forecast().rotationNow).toMatchObject({ possible: true, beginsMs: goesMs })
    const key = anotherKey()
    expect(await world.update({ PrivateKey: key })).toEqual({ ok: true, value: true })
    expect(world.forecast()).toMatchObject({
      state: 'rotating',
      problem: '',
      rotation: { step: 'begun', beginsMs: goesMs },
    })
    for (const root of world.roots) {
      expect(refusal(granted(await world.sign('web')), [root], world.nowMs)).toBeUndefined()
    }
    const other = await world.update({ PrivateKey: anotherKey() })
    expect(other).toMatchObject({ ok: false, error: { message: expect.stringContaining('waits until') } })
    const last = world.active.id
    await world.advance(goesMs - world.nowMs - 1)
    expect(world.active.id).toBe(last)
    await world.advance(1_000)
    expect(world.active.id).not.toBe(last)
    expect(world.roots.map(({ id }) => id)).not.toContain(oldest?.id)
    expect(world.forecast()).toMatchObject({ state: 'ready', rotation: null })
  })

  it('that waits until is given up by what holds now', async () => {
    const key = anotherKey()
    const world = await AuthorityWorld.begun({ PrivateKey: key })
    await eightRoots(world)
    const last = anotherKey()
    const before = views.authorityOf(world.server.read())?.options ?? {}
    expect(await world.update({ PrivateKey: last })).toEqual({ ok: true, value: true })
    expect(await world.update(before)).toEqual({ ok: true, value: true })
    expect(world.forecast()).toMatchObject({ state: 'ready', rotation: null })
  })

  it('goes on over a change of leader while it waits until', async () => {
    const world = await AuthorityWorld.begun()
    await eightRoots(world)
    const goesMs = world.forecast().roots[0]?.goesMs ?? 0
    const last = world.active.id
    await world.update({ PrivateKey: anotherKey() })
    world.change()
    await world.advance(goesMs - world.nowMs + 1_000)
    expect(world.active.id).not.toBe(last)
  })

  it('leaves no root behind that never signed a leaf, and its cross-signed certificate leads back nevertheless', async () => {
    const world = await AuthorityWorld.begun()
    const first = granted(await world.sign('web'))
    const [oldest] = world.roots
    for (let i = 0; i < 3; i++) await world.update({ PrivateKey: anotherKey() })
    expect(world.roots.map(({ id }) => id)).toEqual([oldest?.id, world.active.id])
    const leaf = granted(await world.sign('web'))
    for (const root of world.roots) expect(refusal(leaf, [root], world.nowMs)).toBeUndefined()
    expect(refusal(first, world.roots, world.nowMs)).toBeUndefined()
  })

  it('waits with a chain of seven crossings, too, although few roots are listed', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('web'))
    for (let i = 0; i < 7; i++)
      expect(await world.update({ PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    expect(world.roots).toHaveLength(2)
    expect(certificatesOf(granted(await world.sign('web')).certificates)).toHaveLength(8)
    const last = world.active.id
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    expect(world.active.id).toBe(last)
    await world.advance((world.forecast().rotation?.beginsMs ?? 0) - world.nowMs + 1_000)
    expect(world.active.id).not.toBe(last)
  })
})

describe('a provider that renews its intermediate by itself', () => {
  it('has it recorded, although an older root was removed since the provider was opened', async () => {
    let intermediates: readonly string[] = []
    const own = builtInKindOf(svcNaming)
    const vault: ProviderKind = {
      ...own,
      name: 'vault',
      problem: () => undefined,
      open: (env, _options, mesh) => {
        const provider = own.open(env, {}, mesh)
        const review = async () => ok({ intermediates, problem: undefined })
        return {
          name: 'vault',
          root: (state, serial) => provider.root(state, serial),
          signLeaf: (wish) => provider.signLeaf(wish),
          crossSign: (wish) => provider.crossSign(wish),
          signIntermediate: (csr, serial, notAfterMs) => provider.signIntermediate(csr, serial, notAfterMs),
          close: () => provider.close(),
          review,
        }
      },
    }
    const world = await AuthorityWorld.begun({}, [own, vault])
    granted(await world.sign('web'))
    expect(await world.update({}, { provider: 'vault' })).toEqual(ok(true))
    granted(await world.sign('web'))
    await world.advance(80 * hourMs)
    expect(world.roots).toHaveLength(1)
    intermediates = [world.active.certificate]
    await world.advance(hourMs / 6)
    expect(world.active.intermediates).toEqual(intermediates)
    const renewals = world.committed.filter((kind) => kind === 'connect.renew')
    expect(renewals).toHaveLength(1)
  })
})

/** Each has signed a leaf, a while after the one before: as many roots as may be listed. */
async function eightRoots(world: AuthorityWorld): Promise<void> {
  granted(await world.sign('web'))
  for (let i = 0; i < 7; i++) {
    await world.advance(hourMs / 60)
    await world.update({ PrivateKey: anotherKey() })
    granted(await world.sign('web'))
  }
  expect(world.roots).toHaveLength(8)
}
