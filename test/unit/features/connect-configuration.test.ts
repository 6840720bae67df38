import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type { ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import * as views from '../../../src/features/connect/views.ts'
import { configurationSetEndpoint } from '../../../src/features/connect/write-endpoints.ts'
import { AuthorityWorld, anotherKey, builtInKind, granted, hourMs, minuteMs } from './authority-world.ts'

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
      '{"Config":{"CSRMaxPerSecond":" "}}',
      'error configuring provider: error decoding config: 1 error(s) decoding:\n\n* error decoding \'CSRMaxPerSecond\': " " is neither 0 nor a number from 1 to 100000',
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

  it('has no leaves that live no longer than clocks may be apart: none of them could be signed', async () => {
    const withSkew = async (LeafCertTTL: string): Promise<AuthorityWorld> => {
      const made = new AuthorityWorld({ LeafCertTTL })
      if (made.server.mesh !== undefined) made.server.mesh = { ...made.server.mesh, skewMs: hourMs }
      made.lead()
      await made.rest()
      return made
    }
    const why =
      'error configuring provider: leaf cert TTL must be greater than 1h5m0s: leaves are back-dated by the clock skew, 1h'
    const world = await withSkew('72h')
    const message = { ok: false, error: { kind: 'bad-request', message: why } }
    expect(await world.update({ LeafCertTTL: '1h' })).toEqual(message)
    expect(await world.update({ LeafCertTTL: '65m' })).toEqual(message)
    expect(await world.update({ LeafCertTTL: '66m' })).toEqual(ok(true))
    await world.advance(1_500)
    granted(await world.sign('web'))
    const begins = await withSkew('1h')
    expect([begins.roots, begins.forecast().problem]).toEqual([[], why])
  })

  it('may say how long leaves live in nanoseconds, even where these are more than a double counts one by one', async () => {
    const world = await AuthorityWorld.begun()
    const put = 'PUT /v1/connect/ca/configuration'
    for (const [given, shown] of [
      ['3600000000000', '1h'],
      ['31536000000000000', '8760h'],
    ] as const) {
      expect(await world.request(put, `{"Provider":"svc","Config":{"LeafCertTTL":${given}}}`)).toEqual({
        status: 200,
        text: '',
      })
      const { text } = await world.request('GET /v1/connect/ca/configuration')
      expect(JSON.parse(text)).toMatchObject({ Config: { LeafCertTTL: shown } })
    }
    const endless = `{"Provider":"svc","Config":{"Extra":1${'0'.repeat(308)},"LeafCertTTL":9${'0'.repeat(30)}}}`
    expect((await world.request(put, endless)).text).toBe(
      'error configuring provider: leaf cert TTL must be less than 1 year',
    )
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

  it('is asked after pauses that double up to a minute while it fails', async () => {
    const world = await AuthorityWorld.begun({}, [kind])
    failing.crossing = true
    await world.update({ PrivateKey: anotherKey() })
    const tries = (): number => world.metrics.filter((name) => name === 'connect.ca.provider.failed').length
    const [begun, after]: [number, number[]] = [tries(), []]
    for (let second = 1; second <= 190; second++) {
      await world.advance(1_000)
      if (tries() - begun > after.length) after.push(second)
    }
    expect(after.map((second, nth) => second - (after[nth - 1] ?? 0)).slice(1)).toEqual([16, 32, 60, 60])
    failing.crossing = false
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
