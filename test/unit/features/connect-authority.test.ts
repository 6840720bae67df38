import { describe, expect, it } from 'vitest'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import { err, ok } from '../../../src/base/result.ts'
import { beginAuthority, pruneRoots, recordLeaves } from '../../../src/features/connect/commands.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type { Provider, ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import { signersTable } from '../../../src/features/connect/tables.ts'
import * as views from '../../../src/features/connect/views.ts'
import { configurationSetEndpoint } from '../../../src/features/connect/write-endpoints.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import {
  AuthorityWorld,
  anotherKey,
  certificatesOf,
  clusterId,
  granted,
  hourMs,
  refusal,
  trustDomain,
} from './authority-world.ts'

const builtInKind = builtInKindOf(svcNaming)

const minuteMs = 60_000

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

describe('the configuration of the authority', () => {
  it('changes without a rotation where the root stays, and what is the same changes nothing', async () => {
    const world = await AuthorityWorld.begun()
    const root = world.active
    expect(await world.update({ LeafCertTTL: '24h' })).toEqual(ok(true))
    const { index } = world.server
    expect(views.authorityOf(world.server.read())).toMatchObject({
      options: { LeafCertTTL: '24h' },
      modifyIndex: index,
    })
    expect(await world.update({ LeafCertTTL: '24h' })).toEqual(ok(true))
    expect(views.authorityOf(world.server.read())?.modifyIndex).toBe(index)
    expect(world.roots).toEqual([root])
    const leaf = granted(await world.sign('web'))
    expect(leaf.notAfterMs - leaf.notBeforeMs).toBe(24 * hourMs)
    expect(leaf.notBeforeMs).toBe(world.nowMs - minuteMs)
  })

  it('hides a secret that was left from another provider, too', async () => {
    const world = await AuthorityWorld.begun()
    expect(await world.update({ Token: 's.verysecret' })).toEqual(ok(true))
    const { text } = await world.request('GET /v1/connect/ca/configuration')
    expect(text).toContain('"Token":"hidden"')
  })

  it('shows secrets hidden, and keeps them when they are written back so', async () => {
    const key = anotherKey()
    const world = await AuthorityWorld.begun({ PrivateKey: key })
    const shown = await world.request('GET /v1/connect/ca/configuration')
    expect(JSON.parse(shown.text)).toMatchObject({
      Provider: 'svc',
      Config: { PrivateKey: 'hidden', LeafCertTTL: '72h', RotationPeriod: '2160h' },
    })
    const root = world.active
    expect(await world.update({ PrivateKey: 'hidden', LeafCertTTL: '48h' })).toEqual(ok(true))
    expect(world.roots).toEqual([root])
    expect(views.authorityOf(world.server.read())?.options).toEqual({ PrivateKey: key, LeafCertTTL: '48h' })
  })

  describe('of an external provider', () => {
    /** Its options, and what signs is here. */
    const vault = {
      ...externalKind,
      open: (...[env, , mesh]: Parameters<ProviderKind['open']>) => builtInKind.open(env, {}, mesh),
    }
    const stored = {
      Address: 'https://vault.example:8200',
      Token: 's.verysecret',
      RootPKIPath: 'root',
      IntermediatePKIPath: 'below',
      CAFile: '/etc/vault.pem',
    }
    const hidden = { ...stored, Token: 'hidden' }
    const byVault = async (): Promise<AuthorityWorld> => {
      const world = await AuthorityWorld.begun({}, [builtInKind, vault])
      expect(await world.update(stored, { provider: 'vault' })).toEqual(ok(true))
      return world
    }

    it('keeps a hidden token for the secrets manager that it was given for, however that is spelled', async () => {
      const world = await byVault()
      const wished = { ...hidden, Address: 'https://Vault.example/', LeafCertTTL: '48h' }
      expect(await world.update(wished, { provider: 'vault' })).toEqual(ok(true))
      expect(views.authorityOf(world.server.read())?.options).toEqual({ ...wished, Token: stored.Token })
    })

    it.each([
      ['Address', { Address: 'https://elsewhere.example:8200' }],
      ['CAFile', { CAFile: '/tmp/other.pem' }],
      ['TLSServerName', { TLSServerName: 'elsewhere.example' }],
      ['TLSSkipVerify', { TLSSkipVerify: true }],
      ['Address, CAFile', { Address: '', CAFile: '' }],
    ])('sends no hidden token to another one: %s', async (names, change) => {
      const world = await byVault()
      const before = views.authorityOf(world.server.read())
      const why = `the stored Token was given for another ${names}, and is not sent to another place`
      const message = `error configuring provider: ${why}: give the Token again`
      const wished = { ...hidden, ...change }
      expect(await world.update(wished, { provider: 'vault' })).toEqual(err({ kind: 'bad-request', message }))
      expect(views.authorityOf(world.server.read())).toEqual(before)
      const given = { ...wished, Token: 's.another' }
      expect(await world.update(given, { provider: 'vault' })).toEqual(ok(true))
    })
  })

  it('spells options as they are spelled also where they do not come over HTTP', async () => {
    const world = await AuthorityWorld.begun()
    const args = { provider: 'svc', options: { leaf_cert_ttl: '48h' } }
    expect(await world.server.agent.write(configurationSetEndpoint, args, {})).toEqual(ok(true))
    expect(views.authorityOf(world.server.read())?.options).toEqual({ LeafCertTTL: '48h' })
  })

  it('keeps options that the provider does not have, and names them in the log, with no value', async () => {
    const world = await AuthorityWorld.begun()
    expect(await world.update({ LeafCertTTL: '48h', Tokn: 's.verysecret' })).toEqual(ok(true))
    const text = 'unknown options of the provider are stored and have no effect'
    expect(world.logged.filter((line) => line.text === text)).toEqual([
      { text, fields: { provider: 'svc', options: 'Tokn' } },
    ])
    expect(JSON.stringify(world.logged)).not.toContain('verysecret')
  })

  const mistakes: readonly (readonly [body: string, line: string])[] = [
    ['{', 'Request decode failed: unexpected EOF'],
    ['{"Provider":"bogus"}', 'could not initialize provider: unknown CA provider "bogus"'],
    ['{"Config":{"LeafCertTTL":"59m"}}', 'error configuring provider: leaf cert TTL must be greater than 1h'],
    ['{"Config":{"LeafCertTTL":"8761h"}}', 'error configuring provider: leaf cert TTL must be less than 1 year'],
    [
      '{"Config":{"LeafCertTTL":"abc"}}',
      'error configuring provider: error decoding config: 1 error(s) decoding:\n\n* error decoding \'LeafCertTTL\': time: invalid duration "abc"',
    ],
    [
      '{"Config":{"PrivateKey":"junk"}}',
      'error configuring provider: error parsing private key: no PEM-encoded data found',
    ],
    [
      '{"Config":{"PrivateKey":"hidden"}}',
      'error configuring provider: PrivateKey stands for a stored value, but there is none',
    ],
    ['{"Config":{"RootCert":"x"}}', 'error configuring provider: RootCert needs its PrivateKey'],
    [
      '{"Config":{"LeafCertTTL":["1h"]}}',
      "error configuring provider: error decoding config: 1 error(s) decoding:\n\n* error decoding 'LeafCertTTL': expected a text, a number or a boolean",
    ],
    [
      '{"Config":{"CSRMaxPerSecond":-5}}',
      "error configuring provider: error decoding config: 1 error(s) decoding:\n\n* error decoding 'CSRMaxPerSecond': -5 is neither 0 nor a number from 1 to 100000",
    ],
    [
      '{"Config":{"PrivateKeyType":"rsa","PrivateKeyBits":512}}',
      'error configuring provider: PrivateKeyType is ec with 256, 384 or 521 bits, or rsa with 2048 or 4096',
    ],
  ]

  it('refuses what its caller got wrong with 400 and a line that says what, and no secret', async () => {
    const world = await AuthorityWorld.begun()
    for (const [body, text] of mistakes) {
      expect(await world.request('PUT /v1/connect/ca/configuration', body), body).toEqual({ status: 400, text })
    }
    const foreign = { PrivateKey: anotherKey(), RootCert: world.active.certificate }
    const refused = await world.update(foreign)
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: 'bad-request', message: 'RootCert does not match the private key' },
    })
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect(world.roots).toHaveLength(1)
  })

  it('is replaced only at the index that is named, if one is', async () => {
    const world = await AuthorityWorld.begun()
    const at = views.authorityOf(world.server.read())?.modifyIndex ?? 0
    const body = '{"Config":{"LeafCertTTL":"24h"}}'
    expect(await world.request(`PUT /v1/connect/ca/configuration?cas=${at - 1}`, body)).toEqual({
      status: 200,
      text: 'false',
    })
    expect(await world.request(`PUT /v1/connect/ca/configuration?cas=${at}`, body)).toEqual({
      status: 200,
      text: 'true',
    })
    expect(await world.request(`PUT /v1/connect/ca/configuration?cas=${at}`, body)).toEqual({
      status: 200,
      text: 'false',
    })
    expect((await world.request('PUT /v1/connect/ca/configuration?cas=x', body)).status).toBe(400)
  })
})

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

  it('is signed all the same when the configuration changes behind the command that recorded it', async () => {
    const world = await AuthorityWorld.begun()
    const [first, ...others] = Array.from({ length: 30 }, (_, i) => world.sign(`s${i}`))
    const changed = world.update({ LeafCertTTL: '48h' })
    for (const each of await Promise.all([first, ...others])) expect(each).toMatchObject({ ok: true })
    expect(await changed).toEqual(ok(true))
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

describe('a provider that fails', () => {
  const failing = { crossing: false, key: false }
  const kind: ProviderKind = {
    ...builtInKind,
    open: (...given) => {
      const provider = builtInKind.open(...given)
      const { root, crossSign } = provider
      return Object.assign(provider, {
        root: async (...asked: Parameters<typeof root>) =>
          failing.key ? err({ kind: 'unavailable', message: 'no answer' }) : root.apply(provider, asked),
        crossSign: async (...asked: Parameters<typeof crossSign>) =>
          failing.crossing ? err({ kind: 'unavailable', message: 'sealed' }) : crossSign.apply(provider, asked),
      })
    },
  }

  it('[CA-020] holds up a rotation for all to see, the old root signs on, and what held before gives it up', async () => {
    const world = await AuthorityWorld.begun({}, [kind])
    const [old] = world.roots
    failing.crossing = true
    const begun = await world.update({ PrivateKey: anotherKey() })
    expect(begun).toMatchObject({ ok: false, error: { kind: 'refused', message: expect.stringContaining('sealed') } })
    expect(world.forecast()).toMatchObject({ state: 'degraded', problem: 'sealed', rotation: { step: 'requested' } })
    expect(granted(await world.sign('web')).rootId).toBe(old?.id)
    const other = await world.update({ PrivateKey: anotherKey() })
    expect(other).toMatchObject({ ok: false, error: { message: expect.stringContaining('is under way') } })
    expect(await world.update({})).toEqual(ok(true))
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect(world.roots).toEqual([old])
    failing.crossing = false
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
  })

  it('goes on by itself when it answers again', async () => {
    const world = await AuthorityWorld.begun({}, [kind])
    granted(await world.sign('web'))
    failing.crossing = true
    await world.update({ PrivateKey: anotherKey() })
    failing.crossing = false
    await world.advance(2 * minuteMs)
    expect(world.roots.map(({ active }) => active)).toEqual([false, true])
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
  })

  it('keeps a new leader from signing, and from nothing else', async () => {
    const world = await AuthorityWorld.begun({}, [kind])
    failing.key = true
    world.change()
    await world.rest()
    expect(await world.sign('web')).toMatchObject({ ok: false, error: { kind: 'refused', message: 'no answer' } })
    expect(world.forecast()).toMatchObject({ state: 'degraded', problem: 'no answer' })
    failing.key = false
    granted(await world.sign('web'))
  })
})
