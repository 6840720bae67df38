import { expect } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ListenerTls, PeerCertificate, TcpListener, TlsOptions } from '../../../src/env/net.ts'
import { readCertificate } from '../../../src/pki/certificate.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { signCertificate } from '../../../src/pki/tls-certificate.ts'
import type { Law, Place } from './law-world.ts'
import { eventually, failureOf, got, Observed, pause } from './observed.ts'

const name = 'server.dc1.svc'

/** What a listener of `place` with that TLS gives a dialler with that. */
async function exchange(
  { env, peer, host }: Place,
  listening: TlsOptions | undefined,
  dialling: TlsOptions | undefined,
): Promise<{ readonly failure: string; readonly heard: string; readonly streams: number }> {
  let streams = 0
  const listener = await got(
    env.tcp.listen(
      { host, port: 0 },
      (stream) => {
        streams++
        const observed = new Observed(env, stream)
        env.detach(
          observed.received(5).then(() => {
            stream.write(utf8('world'))
            stream.end()
          }),
        )
      },
      listening,
    ),
  )
  const options = { timeoutMs: 2_000 }
  const dialled = await peer.tcp.dial(listener.local, dialling === undefined ? options : { ...options, tls: dialling })
  if (!dialled.ok) return { failure: dialled.error.kind, heard: '', streams }
  const observed = new Observed(peer, dialled.value)
  dialled.value.write(utf8('hello'))
  await observed.until(() => observed.told.length > 0)
  dialled.value.end()
  await pause(peer, 5)
  return { failure: 'none', heard: observed.text, streams }
}

/** A listener that answers `world` to `hello`, and records which peers it accepted and which it refused. */
interface Hall {
  readonly listener: TcpListener
  readonly taken: (PeerCertificate | undefined)[]
  readonly refused: string[]
}

async function hallOf(env: Env, host: string, tls: (refused: string[]) => ListenerTls | undefined): Promise<Hall> {
  const taken: (PeerCertificate | undefined)[] = []
  const refused: string[] = []
  const answer = (stream: Parameters<Parameters<Env['tcp']['listen']>[1]>[0]): void => {
    taken.push(stream.peer)
    const observed = new Observed(env, stream)
    env.detach(observed.received(5).then(() => void stream.write(utf8('world'))))
  }
  const listener = await got(env.tcp.listen({ host, port: 0 }, answer, tls(refused)))
  return { listener, taken, refused }
}

/** What a dialer hears there, and the certificate that it sees. */
async function visit(peer: Env, { listener }: Hall, tls: TlsOptions | undefined) {
  const dialled = await peer.tcp.dial(listener.local, { timeoutMs: 2_000, ...(tls === undefined ? {} : { tls }) })
  if (!dialled.ok) return { failure: dialled.error, heard: '', saw: undefined }
  const observed = new Observed(peer, dialled.value)
  dialled.value.write(utf8('hello'))
  await observed.until(() => observed.text === 'world' || observed.told.length > 0)
  const saw = dialled.value.peer
  dialled.value.close()
  return { failure: undefined, heard: observed.text, saw }
}

export function tlsLaws(law: Law): void {
  const tlsLaw = (title: string, look: (place: Place, tls: NonNullable<Place['tls']>) => Promise<void>): void => {
    law(title, async (place) => {
      if (place.tls !== undefined) await look(place, place.tls)
    })
  }

  tlsLaw('two ends that trust each other talk', async (place, { rootPem, server, client }) => {
    const listening = { ...server, trustedPems: [rootPem], requirePeerCertificate: true }
    const dialling = { ...client, trustedPems: [rootPem], serverName: name }
    expect(await exchange(place, listening, dialling)).toEqual({ failure: 'none', heard: 'world', streams: 1 })
  })

  tlsLaw(
    'a dialler may trust anyone, and then trusts a stranger, an other name and nobody’s root',
    async (place, tls) => {
      const anyone = { trustedPems: [], trust: 'anyone' } as const
      for (const identity of [tls.server, tls.stranger]) {
        const talk = await exchange(place, { ...identity, trustedPems: [] }, { ...anyone, serverName: 'else.svc' })
        expect(talk).toEqual({ failure: 'none', heard: 'world', streams: 1 })
      }
      const plain = await exchange(place, undefined, anyone)
      expect(plain.heard).toBe('')
    },
  )

  tlsLaw(
    'the authorities of the machine do not vouch for the root of a cluster',
    async (place, { rootPem, server }) => {
      const system = { trust: 'system', serverName: name } as const
      const alone = await exchange(place, { ...server, trustedPems: [] }, { ...system, trustedPems: [] })
      expect(alone.failure).toBe('tls')
      const besides = await exchange(place, { ...server, trustedPems: [] }, { ...system, trustedPems: [rootPem] })
      expect(besides).toEqual({ failure: 'none', heard: 'world', streams: 1 })
    },
  )

  tlsLaw('a listener that asks for no certificate needs none', async (place, { rootPem, server }) => {
    const dialling = { trustedPems: [rootPem], serverName: name }
    const talk = await exchange(place, { ...server, trustedPems: [] }, dialling)
    expect(talk).toEqual({ failure: 'none', heard: 'world', streams: 1 })
  })

  tlsLaw('a dialler refuses a listener of another root, or of none that it trusts', async (place, tls) => {
    const { rootPem, server, stranger, strangerRootPem } = tls
    const listening = { ...server, trustedPems: [] }
    for (const trustedPems of [[], [strangerRootPem]]) {
      const talk = await exchange(place, listening, { trustedPems, serverName: name })
      expect(talk).toMatchObject({ failure: 'tls', heard: '' })
    }
    const strange = await exchange(
      place,
      { ...stranger, trustedPems: [] },
      { trustedPems: [rootPem], serverName: name },
    )
    expect(strange).toMatchObject({ failure: 'tls', heard: '' })
  })

  tlsLaw('a dialler refuses a certificate for another name, and for another address', async (place, tls) => {
    const { rootPem, server, client } = tls
    const other = await exchange(
      place,
      { ...server, trustedPems: [] },
      { trustedPems: [rootPem], serverName: 'else.svc' },
    )
    expect(other).toMatchObject({ failure: 'tls', heard: '' })
    const address = await exchange(place, { ...client, trustedPems: [] }, { trustedPems: [rootPem] })
    expect(address).toMatchObject({ failure: 'tls', heard: '' })
  })

  tlsLaw('without a name the certificate must carry the address', async (place, { rootPem, server }) => {
    const alone = { ...place, peer: place.env, host: '127.0.0.1' }
    const talk = await exchange(alone, { ...server, trustedPems: [] }, { trustedPems: [rootPem] })
    expect(talk).toMatchObject({ failure: 'none', heard: 'world' })
  })

  tlsLaw(
    'where a certificate is required, a dialler without one, or with a strange one, gets nothing through',
    async (place, { rootPem, server, stranger }) => {
      const listening = { ...server, trustedPems: [rootPem], requirePeerCertificate: true }
      for (const shown of [{}, stranger]) {
        const talk = await exchange(place, listening, { ...shown, trustedPems: [rootPem], serverName: name })
        expect(talk).toMatchObject({ heard: '', streams: 0 })
      }
    },
  )

  tlsLaw('a dialler without TLS gets nothing through to a listener with it', async (place, { server }) => {
    const talk = await exchange(place, { ...server, trustedPems: [] }, undefined)
    expect(talk).toMatchObject({ heard: '', streams: 0 })
  })

  tlsLaw(
    'a key that is none is a failure, not an exception',
    async ({ env, peer, host }, { rootPem, server, client }) => {
      const listener = await got(
        env.tcp.listen({ host, port: 0 }, () => undefined, { ...server, trustedPems: [rootPem] }),
      )
      const tls = { ...client, privateKeyPem: 'none', trustedPems: [rootPem], serverName: name }
      expect(await failureOf(peer.tcp.dial(listener.local, { timeoutMs: 2_000, tls }))).toBe('tls')
      expect(await failureOf(env.tcp.listen({ host, port: 0 }, () => undefined, tls))).toBe('io')
    },
  )

  tlsLaw('each end sees for which names the other’s certificate is, where it was verified', async (place, tls) => {
    const { env, peer, host } = place
    const { rootPem, server, client } = tls
    const listening = { ...server, trustedPems: [rootPem] }
    const dialling = { ...client, trustedPems: [rootPem] }
    const strict = await hallOf(env, host, () => ({ ...listening, requirePeerCertificate: true }))
    expect(await visit(peer, strict, { ...dialling, anyName: true })).toMatchObject({
      heard: 'world',
      saw: { names: [name] },
    })
    expect(strict.taken).toEqual([{ names: ['client.dc1.svc'], uris: [] }])
    const blind = await visit(peer, strict, { ...dialling, trustedPems: [], trust: 'anyone' })
    expect([blind.heard, blind.saw]).toEqual(['world', undefined])
    const open = await hallOf(env, host, () => listening)
    await visit(peer, open, { ...dialling, anyName: true })
    expect(open.taken).toEqual([undefined])
  })

  tlsLaw('a dialer that accepts any name still requires a trusted root', async ({ env, peer, host }, tls) => {
    const { rootPem, stranger, strangerRootPem, server } = tls
    const hall = await hallOf(env, host, () => ({ ...stranger, trustedPems: [] }))
    const refused = await visit(peer, hall, { trustedPems: [rootPem], anyName: true })
    expect(refused.failure).toMatchObject({ kind: 'tls', fault: 'unknown-authority' })
    const told = await visit(peer, hall, { trustedPems: [strangerRootPem], anyName: true })
    expect(told.heard).toBe('world')
    const plain = await hallOf(env, host, () => undefined)
    expect((await visit(peer, plain, { ...server, trustedPems: [rootPem], anyName: true })).heard).toBe('')
  })

  tlsLaw('what is at fault where there is no connection has a kind', async ({ env, peer, host }, tls) => {
    const { rootPem, stranger, server } = tls
    const faultOf = async (listening: Omit<TlsOptions, 'trustedPems'>, dialling: TlsOptions): Promise<unknown> => {
      const hall = await hallOf(env, host, () => ({ ...listening, trustedPems: [] }))
      return (await visit(peer, hall, dialling)).failure
    }
    const trusting = { trustedPems: [rootPem], serverName: name }
    expect(await faultOf(stranger, trusting)).toMatchObject({ kind: 'tls', fault: 'unknown-authority' })
    const elsewhere = { ...trusting, serverName: 'server.dc2.svc' }
    expect(await faultOf(server, elsewhere)).toMatchObject({ kind: 'tls', fault: 'wrong-name' })
    const nowMs = env.clock.wallMs()
    const made = (notBeforeMs: number, notAfterMs: number): { readonly own: TlsOptions; readonly root: string } => {
      const [rootKey, key] = [env.crypto.makeSigningKey(), env.crypto.makeSigningKey()]
      const whole = { notBeforeMs: nowMs - 7_200_000, notAfterMs: nowMs + 7_200_000 }
      const root = signCertificate(env.crypto, { commonName: 'root', ...whole, authority: true }, rootKey, undefined)
      const authority = readCertificate(root)
      if (!authority.ok) throw new Error(authority.error)
      const content = { commonName: 'leaf', notBeforeMs, notAfterMs, authority: false, dnsNames: [name] }
      const leaf = signCertificate(env.crypto, content, key, { key: rootKey, certificate: authority.value })
      const own = { certificateChainPem: certificatePem(leaf), privateKeyPem: key.privateKeyPem, trustedPems: [] }
      return { own, root: certificatePem(root) }
    }
    for (const { own, root } of [
      made(nowMs - 7_200_000, nowMs - 3_600_000),
      made(nowMs + 3_600_000, nowMs + 7_200_000),
    ]) {
      const dialling = { trustedPems: [root], serverName: name }
      expect(await faultOf(own, dialling)).toMatchObject({ kind: 'tls', fault: 'expired' })
    }
  })

  tlsLaw('a listener may take diallers with TLS and without on one port', async ({ env, peer, host }, tls) => {
    const { rootPem, server } = tls
    const hall = await hallOf(env, host, () => ({ ...server, trustedPems: [], plainToo: true }))
    expect((await visit(peer, hall, undefined)).heard).toBe('world')
    expect((await visit(peer, hall, { trustedPems: [rootPem], serverName: name })).heard).toBe('world')
    // One that says nothing yet is not there yet.
    const silent = await got(peer.tcp.dial(hall.listener.local, { timeoutMs: 2_000 }))
    const observed = new Observed(peer, silent)
    await pause(peer, 20)
    expect(hall.taken).toHaveLength(2)
    silent.write(utf8('hello'))
    await observed.until(() => observed.text === 'world')
    expect(hall.taken).toHaveLength(3)
    silent.close()
  })

  tlsLaw('a listener says why it did not take a dialler', async ({ env, peer, host }, tls) => {
    const { rootPem, server, stranger } = tls
    const hall = await hallOf(env, host, (refused) => ({
      ...server,
      trustedPems: [rootPem],
      requirePeerCertificate: true,
      onRefused: (from, why) => refused.push(`${why.kind} ${from.host !== '' && from.port > 0}`),
    }))
    for (const shown of [undefined, {}, stranger]) {
      const tlsOfDialler = shown === undefined ? undefined : { ...shown, trustedPems: [rootPem], serverName: name }
      expect((await visit(peer, hall, tlsOfDialler)).heard).toBe('')
    }
    await eventually(env, 'three refusals', () => hall.refused.length >= 3)
    expect(hall.refused).toEqual(['plain true', 'no-certificate true', 'untrusted true'])
    expect(hall.taken).toEqual([])
  })

  tlsLaw('a listener takes new options for new diallers, and keeps those it has', async (place, tls) => {
    const { env, peer, host } = place
    const { rootPem, server, client, stranger, strangerRootPem } = tls
    const hall = await hallOf(env, host, () => ({ ...server, trustedPems: [rootPem] }))
    const before = await got(
      peer.tcp.dial(hall.listener.local, { timeoutMs: 2_000, tls: { trustedPems: [rootPem], serverName: name } }),
    )
    const observed = new Observed(peer, before)
    hall.listener.renewTls({ ...stranger, trustedPems: [rootPem], requirePeerCertificate: true })
    const renewed = { ...client, trustedPems: [strangerRootPem], serverName: name }
    expect((await visit(peer, hall, renewed)).heard).toBe('world')
    expect((await visit(peer, hall, { ...renewed, trustedPems: [rootPem] })).failure).toMatchObject({ kind: 'tls' })
    expect(hall.taken.at(-1)).toEqual({ names: ['client.dc1.svc'], uris: [] })
    before.write(utf8('hello'))
    await observed.until(() => observed.text === 'world')
    hall.listener.renewTls(undefined)
    expect((await visit(peer, hall, undefined)).heard).toBe('world')
    before.close()
  })

  tlsLaw('what cannot be used is known before it is', async ({ env }, { rootPem, server, client }) => {
    expect(env.tcp.tlsProblem({ ...server, trustedPems: [rootPem] })).toBeUndefined()
    expect(env.tcp.tlsProblem({ trustedPems: [] })).toBeUndefined()
    const { certificateChainPem } = server
    for (const privateKeyPem of ['none', client.privateKeyPem]) {
      expect(env.tcp.tlsProblem({ certificateChainPem, privateKeyPem, trustedPems: [] })).toMatch(/./)
    }
  })

  tlsLaw('a trusted certificate that is damaged or cut off is known before it is used', ({ env }, { rootPem }) => {
    const [begin, end] = ['-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n']
    // OpenSSL does not see one that begins within a line.
    const unseen = [`a root: ${rootPem}`, `  ${rootPem}`]
    const wrongs = [rootPem.slice(0, rootPem.length / 2), `${begin}AAAA\n${end}`, `${begin}planned\n${end}`, ...unseen]
    for (const wrong of wrongs) {
      for (const trustedPems of [[wrong], [rootPem, wrong], [`${rootPem}${wrong}`], [`${wrong}\n${rootPem}`]]) {
        expect(env.tcp.tlsProblem({ trustedPems })).toBe(
          'a trusted certificate is damaged or cut off, or does not begin a line',
        )
      }
    }
    expect(env.tcp.tlsProblem({ trustedPems: [`a root\n${rootPem}${rootPem}`] })).toBeUndefined()
    return Promise.resolve()
  })

  tlsLaw('certificates that are made here are good for TLS here', async ({ env, peer, host }, { rootPem }) => {
    const nowMs = env.clock.wallMs()
    const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 }
    const [rootKey, key] = [env.crypto.makeSigningKey(), env.crypto.makeSigningKey()]
    expect(key.privateKeyPem).not.toBe(rootKey.privateKeyPem)
    expect(env.crypto.readSigningKey(key.privateKeyPem)?.publicKey).toEqual(key.publicKey)
    expect(env.crypto.readSigningKey('none')).toBeUndefined()
    const root = signCertificate(env.crypto, { commonName: 'root', ...validity, authority: true }, rootKey, undefined)
    const authority = readCertificate(root)
    if (!authority.ok) throw new Error(authority.error)
    const content = { commonName: 'leaf', ...validity, authority: false, dnsNames: [name] }
    const leaf = signCertificate(env.crypto, content, key, { key: rootKey, certificate: authority.value })
    const own = { certificateChainPem: certificatePem(leaf), privateKeyPem: key.privateKeyPem }
    const hall = await hallOf(env, host, () => ({ ...own, trustedPems: [] }))
    const trusting = await visit(peer, hall, { trustedPems: [certificatePem(root)], serverName: name })
    expect(trusting).toEqual({ failure: undefined, heard: 'world', saw: { names: [name], uris: [] } })
    expect((await visit(peer, hall, { trustedPems: [rootPem], serverName: name })).failure).toMatchObject({
      kind: 'tls',
    })
  })
}
