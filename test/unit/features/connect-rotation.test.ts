import { describe, expect, it } from 'vitest'
import { openRotation } from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
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
      expect(openRotation(world.server.read())).toBeUndefined()
      expect(world.committed.filter((kind) => kind === 'connect.rotation-activate')).toHaveLength(1)
      expect(refusal(granted(await world.sign('web')), world.roots.slice(0, 1), world.nowMs)).toBeUndefined()
    })
  }

  it('is known to a caller who asks again with the same check-and-set after its end', async () => {
    const world = await AuthorityWorld.begun()
    const [wishes, key] = [{ identity: { origin: 'a', sequence: 1 }, onlyAt: world.server.index }, anotherKey()]
    expect(await world.update({ PrivateKey: key }, wishes)).toEqual({ ok: true, value: true })
    world.change()
    expect(await world.update({ PrivateKey: key }, wishes)).toEqual({ ok: true, value: true })
    const other = { ...wishes, identity: { origin: 'a', sequence: 2 } }
    expect(await world.update({ PrivateKey: key }, other)).toEqual({ ok: true, value: false })
    expect(world.roots).toHaveLength(2)
  })

  it('waits for the one that is under way, and comes after it', async () => {
    const world = await AuthorityWorld.begun()
    const both = await Promise.all([
      world.update({ PrivateKey: anotherKey() }, { identity: { origin: 'a', sequence: 1 } }),
      world.update({ PrivateKey: anotherKey() }, { identity: { origin: 'b', sequence: 1 } }),
    ])
    expect(both).toEqual([
      { ok: true, value: true },
      { ok: true, value: true },
    ])
    expect(world.roots.map(({ active }) => active)).toEqual([false, false, true])
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
    await world.update({ PrivateKey: anotherKey() })
    const second = world.active
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

  it('begins no more when eight roots are listed', async () => {
    const world = await AuthorityWorld.begun()
    for (let i = 0; i < 7; i++) await world.update({ PrivateKey: anotherKey() })
    expect(world.roots).toHaveLength(8)
    expect(await world.update({ PrivateKey: anotherKey() })).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('8 roots are trusted still') },
    })
    expect(world.forecast().rotationNow).toMatchObject({ possible: false })
    for (const root of world.roots) {
      expect(refusal(granted(await world.sign('web')), [root], world.nowMs)).toBeUndefined()
    }
  })
})
