import { expect } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { TlsOptions } from '../../../src/env/net.ts'
import type { Law, Place } from './law-world.ts'
import { failureOf, got, Observed, pause } from './observed.ts'

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
}
