import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import { err, ok } from '../../../src/base/result.ts'
import { pruneRoots, recordLeaves } from '../../../src/features/connect/commands.ts'
import { Signing } from '../../../src/features/connect/leaves/signing.ts'
import { partsOf } from '../../../src/features/connect/parts.ts'
import { OpenProviders } from '../../../src/features/connect/provider/open-providers.ts'
import type { Provider, ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import { signersTable } from '../../../src/features/connect/tables.ts'
import * as views from '../../../src/features/connect/views.ts'
import {
  AuthorityWorld,
  anotherKey,
  builtInKind,
  certificatesOf,
  granted,
  hourMs,
  minuteMs,
  refusal,
  trustDomain,
} from './authority-world.ts'
import { settled } from './hand-clock.ts'

describe('a leaf', () => {
  it('takes key and service out of the request and nothing else, and is recorded before it leaves', async () => {
    const world = await AuthorityWorld.begun()
    world.committed.length = 0
    const leaf = granted(await world.sign('web'))
    expect(world.committed).toEqual(['connect.leaves'])
    const [certificate] = certificatesOf(leaf.certificates)
    expect(certificate).toMatchObject({
      commonName: 'web',
      uris: [`spiffe://${trustDomain}/ns/default/dc/dc1/svc/web`],
      dnsNames: [],
      authority: false,
    })
    expect([...views.leavesOf(world.server.read(), leaf.rootId)]).toEqual([
      { rootId: leaf.rootId, datacenter: 'dc1', expiresMs: leaf.notAfterMs },
    ])
    expect(refusal(leaf, world.roots, world.nowMs)).toBeUndefined()
  })

  it('is refused where the request is for something else, with a line that says what', async () => {
    const world = await AuthorityWorld.begun()
    const ours = `spiffe://${trustDomain}`
    const lines = await Promise.all(
      [
        [`${ours}/ns/default/dc/dc2/svc/web`],
        ['spiffe://other.svc/ns/default/dc/dc1/svc/web'],
        [ours],
        [],
        [`${ours}/ns/default/dc/dc1/svc/web`, `${ours}/ns/default/dc/dc1/svc/db`],
        [`${ours}/ns/team/dc/dc1/svc/web`],
        ['https://x'],
        [`${ours}/ns/default/dc/dc1/svc/%20`],
      ].map(async (uris) => world.signRequest(world.csr(uris))),
    )
    expect(
      lines.map((each) => (each.ok ? 'ok' : 'message' in each.error ? each.error.message : each.error.kind)),
    ).toEqual([
      'SPIFFE ID in CSR from a different datacenter: dc2, we are dc1',
      `SPIFFE ID in CSR from a different trust domain: other.svc, we are ${trustDomain}`,
      'SPIFFE ID in CSR must be a service ID',
      'CSR must have one SPIFFE ID, and has 0',
      'CSR must have one SPIFFE ID, and has 2',
      'SPIFFE ID in CSR from a different namespace: team, we are default',
      'SPIFFE ID must be of the form spiffe://TRUSTDOMAIN/...',
      'SPIFFE ID in CSR names no service',
    ])
    expect(lines.every((each) => !each.ok && each.error.kind === 'bad-request')).toBe(true)
    const authority = await world.signRequest(world.csr([`${ours}/ns/default/dc/dc1/svc/web`], true))
    expect(authority).toMatchObject({ ok: false, error: { kind: 'bad-request' } })
  })

  it('is refused where the provider throws, and the next one is signed', async () => {
    let throws = true
    const failing: ProviderKind = {
      ...builtInKind,
      open: (...args) => {
        const provider = builtInKind.open(...args)
        const signLeaf: Provider['signLeaf'] = (wish) => {
          if (throws) throw new Error('a bug')
          return provider.signLeaf(wish)
        }
        return Object.assign(Object.create(provider) as Provider, { signLeaf, root: provider.root.bind(provider) })
      },
    }
    const world = new AuthorityWorld({}, [failing])
    const thrown: unknown[] = []
    const detach = (work: Promise<unknown>): void => void work.catch((cause: unknown) => thrown.push(cause))
    Object.assign(world.server.context.env, { detach })
    world.lead()
    await world.rest()
    expect(await world.sign('web')).toEqual(err({ kind: 'refused', message: 'the provider has failed' }))
    expect(thrown).toEqual([new Error('a bug')])
    throws = false
    granted(await world.sign('web'))
  })

  it('is for callers that may write the service', async () => {
    const world = await AuthorityWorld.begun()
    world.server.authorizer = authorizerOf({ accessor: 'a', rulesets: [], defaultPolicy: 'deny', keyListPolicy: false })
    const csr = world.csr([`spiffe://${trustDomain}/ns/default/dc/dc1/svc/web`])
    const { signEndpoint } = await import('../../../src/features/connect/write-endpoints.ts')
    const answer = await world.server.agent.write(signEndpoint, { csr }, {})
    expect(answer).toMatchObject({ ok: false, error: { kind: 'permission-denied' } })
  })

  it('is not for a token that may write only the capitalized name: verifiers take both for one', async () => {
    const world = await AuthorityWorld.begun()
    const rules = parseRules('service_prefix "" { policy = "write" } service "db" { policy = "deny" }', 'new')
    if (!rules.ok) throw new Error('these are rules')
    const rulesets = [{ policy: 'p', rules: rules.value }]
    world.server.authorizer = authorizerOf({ accessor: 'a', rulesets, defaultPolicy: 'deny', keyListPolicy: false })
    const { signEndpoint } = await import('../../../src/features/connect/write-endpoints.ts')
    const ask = (service: string) => {
      const csr = world.csr([`spiffe://${trustDomain}/ns/default/dc/dc1/svc/${service}`])
      return world.server.agent.write(signEndpoint, { csr }, {})
    }
    for (const service of ['DB', 'dB', 'db']) {
      expect(await ask(service)).toMatchObject({ ok: false, error: { kind: 'permission-denied' } })
    }
    expect(await ask('Web')).toMatchObject({ ok: true })
  })

  it('is signed nevertheless when the configuration changes behind the command that recorded it', async () => {
    const world = await AuthorityWorld.begun()
    const [first, ...others] = Array.from({ length: 30 }, (_, i) => world.sign(`s${i}`))
    const changed = world.update({ LeafCertTTL: '48h' })
    for (const each of await Promise.all([first, ...others])) expect(each).toMatchObject({ ok: true })
    expect(await changed).toEqual(ok(true))
  })

  it('is awaited by no caller when its leader is lost between two that share a command', async () => {
    const world = await AuthorityWorld.begun()
    const parts = partsOf(world.server.context, [builtInKind])
    const signing = new Signing(parts, new OpenProviders(parts))
    const csr = world.csr([`spiffe://${trustDomain}/ns/default/dc/dc1/svc/web`])
    const outcomes: string[] = []
    for (let count = 0; count < 30; count++) {
      void signing.sign(csr, unrestricted).then((answer) => outcomes.push(answer.ok ? 'signed' : answer.error.kind))
    }
    // The first is signed alone. Of the others eight are signed in one turn, and the rest waits for the next turn.
    for (let turn = 0; turn < 10; turn++) await settled()
    expect(outcomes).toHaveLength(9)
    signing.close()
    await settled()
    expect(outcomes.slice(9)).toEqual(Array.from({ length: 21 }, () => 'not-leader'))
    expect(await signing.sign(csr, unrestricted)).toMatchObject({ ok: false, error: { kind: 'not-leader' } })
  })

  it('is one of those that share a command, with a number of its own each, and beyond the queue comes 429', async () => {
    const world = await AuthorityWorld.begun()
    world.committed.length = 0
    const all = await Promise.all(Array.from({ length: 300 }, (_, i) => world.sign(`s${i}`)))
    const given = all.filter((each) => each.ok)
    // The first is on its way before the others wait: five seconds' worth.
    expect(given).toHaveLength(251)
    expect(new Set(given.map((each) => granted(each).serialNumber)).size).toBe(251)
    expect(world.committed.length).toBeLessThan(60)
    const refused = all.filter((each) => !each.ok)
    expect(refused.every((each) => !each.ok && each.error.kind === 'overloaded')).toBe(true)
  })

  it('is one of so many in a second as the authority is configured for, at once, or of as many as it can', async () => {
    const world = await AuthorityWorld.begun()
    const answered = async (): Promise<number> => {
      const all = await Promise.all(Array.from({ length: 200 }, (_, i) => world.sign(`s${i}`)))
      return all.filter(({ ok }) => ok).length
    }
    expect(await world.update({ CSRMaxPerSecond: 4 })).toEqual(ok(true))
    await world.advance(2_000)
    const slowMs = world.nowMs
    expect(await answered()).toBe(21)
    expect(world.nowMs - slowMs).toBeGreaterThan(4_000)
    expect(await world.update({ CSRMaxPerSecond: '0' })).toEqual(ok(true))
    const quickMs = world.nowMs
    expect(await answered()).toBe(200)
    expect(world.nowMs - quickMs).toBeLessThan(100)
    expect(await world.update({ CSRMaxPerSecond: 4 })).toEqual(ok(true))
    expect(await answered()).toBe(20)
  })

  it('never leaves a leader whose root is no longer active when the command comes', async () => {
    const world = await AuthorityWorld.begun()
    const old = world.active.id
    await world.update({ PrivateKey: anotherKey() })
    const body = { rootId: old, datacenter: 'dc1', count: 1, expiresMs: world.nowMs + hourMs }
    expect(await world.server.context.propose(recordLeaves, body)).toEqual(ok(null))
    expect(views.lastLeafExpiry(world.server.read(), old)).toBeUndefined()
  })

  it('is cut to what it is signed with, and refused where too little would be left', async () => {
    const { hostCrypto } = await import('../../../src/host/crypto.ts')
    const { signRoot } = await import('../../../src/pki/mesh-certificates.ts')
    const { certificatePem } = await import('../../../src/pki/pem.ts')
    const world = await AuthorityWorld.begun()
    const key = hostCrypto.makeSigningKey()
    const term = { serial: 77n, notBeforeMs: world.nowMs - minuteMs, notAfterMs: world.nowMs + 3 * hourMs }
    const root = signRoot(hostCrypto, key, { commonName: 'short', uri: `spiffe://${trustDomain}`, ...term })
    await world.update({ PrivateKey: key.privateKeyPem, RootCert: certificatePem(root) })
    const leaf = granted(await world.sign('web'))
    expect(leaf.notAfterMs).toBe(term.notAfterMs)
    await world.advance(3 * hourMs - 4 * minuteMs)
    expect(await world.sign('web')).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('rotate to another root') },
    })
    expect(world.forecast().leafExpiresMs).toBe(0)
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
    // What leads back to the root that is about to expire would expire with it, and stays out.
    const later = granted(await world.sign('web'))
    expect(certificatesOf(later.certificates)).toHaveLength(1)
    expect(later.notAfterMs - later.notBeforeMs).toBe(72 * hourMs)
  })
})

describe('an old root', () => {
  it('[CA-024] goes when its last leaf has expired by true time, and not before, whatever the clock of the leader shows', async () => {
    for (const wrongByMs of [-minuteMs, 0, minuteMs]) {
      const world = await AuthorityWorld.begun({ LeafCertTTL: '2h' })
      const leaf = granted(await world.sign('web'))
      await world.update({ LeafCertTTL: '2h', PrivateKey: anotherKey() })
      world.wrongByMs = wrongByMs
      world.change()
      await world.advance(leaf.notAfterMs - world.nowMs)
      expect(world.roots).toHaveLength(2)
      await world.advance(4 * minuteMs)
      expect(world.roots).toHaveLength(1)
      expect(world.logged.map(({ text }) => text)).toContain('removed an old root: its last leaf has expired')
    }
  })

  it('stays when a leader that does not know its last leaf proposes its removal', async () => {
    const world = await AuthorityWorld.begun()
    const [old] = world.roots
    granted(await world.sign('web'))
    await world.update({ PrivateKey: anotherKey() })
    const body = {
      rootIds: [old?.id ?? '', world.active.id],
      nowMs: world.nowMs + 2 * hourMs,
      skewMs: minuteMs,
      leafTtlMinMs: hourMs,
    }
    expect(await world.server.context.propose(pruneRoots, body)).toEqual(ok(0))
    expect(world.roots).toHaveLength(2)
  })

  it('leaves no key behind', async () => {
    const world = await AuthorityWorld.begun()
    await world.update({ PrivateKey: anotherKey() })
    expect([...world.server.read().all(signersTable)].map(({ rootId }) => rootId)).toEqual([world.active.id])
    for (const row of views.allRotations(world.server.read())) expect(row).toMatchObject({ options: {}, root: null })
  })
})
