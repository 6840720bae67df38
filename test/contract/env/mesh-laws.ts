import { expect } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { KeyKind } from '../../../src/env/crypto.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ListenerTls } from '../../../src/env/net.ts'
import { type Certificate, readCertificate } from '../../../src/pki/certificate.ts'
import { signCrossing, signLeaf, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { serviceUri, signingUri } from '../../../src/pki/spiffe.ts'
import type { Issuer } from '../../../src/pki/tls-certificate.ts'
import type { Law } from './law-world.ts'
import { got, Observed } from './observed.ts'

const trustDomain = '11111111-2222-3333-4444-555555555555.svc'
const hourMs = 3_600_000

function certificateOf(der: Uint8Array): Certificate {
  const read = readCertificate(der)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Makes the certificates of a mesh with the keys and by the clock of an Env. */
class Mesh {
  readonly #env: Env
  #serial = 0n

  constructor(env: Env) {
    this.#env = env
  }

  #term(lastsMs: number) {
    this.#serial += 1n
    const nowMs = this.#env.clock.wallMs()
    return { serial: this.#serial, notBeforeMs: nowMs - 2 * hourMs, notAfterMs: nowMs + lastsMs }
  }

  async root(kind: KeyKind): Promise<Issuer> {
    const { crypto } = this.#env
    const key = await crypto.generateKey(kind)
    const wishes = { ...this.#term(100 * hourMs), commonName: `Svc CA ${this.#serial}`, uri: signingUri(trustDomain) }
    return { key, certificate: certificateOf(signRoot(crypto, key, wishes)) }
  }

  crossing(of: Issuer, by: Issuer, lastsMs = hourMs): string {
    return certificateOf(signCrossing(this.#env.crypto, by, of.certificate, this.#term(lastsMs))).pem
  }

  /** What a proxy shows: its leaf, and what leads from it to older roots. */
  async shown(service: string, by: Issuer, between: readonly string[], lastsMs = hourMs) {
    const { crypto } = this.#env
    const { publicKey, privateKeyPem } = await crypto.generateKey('ec-256')
    const names = { commonName: service, uri: uriOf(service) }
    const wishes = { ...this.#term(lastsMs), publicKey, keyKind: 'ec' as const, ...names }
    const leaf = certificateOf(signLeaf(crypto, by, wishes))
    return { certificateChainPem: [leaf.pem, ...between].join(''), privateKeyPem }
  }
}

type Shown = Awaited<ReturnType<Mesh['shown']>>

const pems = (...roots: readonly Issuer[]): readonly string[] => roots.map(({ certificate }) => certificate.pem)

const uriOf = (service: string): string => serviceUri({ trustDomain, namespace: 'default', datacenter: 'dc1', service })

/** A proxy that accepts every client with a leaf below these roots, and says `world`. */
function proxyOf(shown: Shown, trustedPems: readonly string[]): ListenerTls {
  return { ...shown, trustedPems, requirePeerCertificate: true }
}

async function listening(env: Env, host: string, tls: ListenerTls) {
  const answer = (stream: Parameters<Parameters<Env['tcp']['listen']>[1]>[0]): void => {
    const observed = new Observed(env, stream)
    env.detach(observed.received(5).then(() => void stream.write(utf8('world'))))
  }
  return got(env.tcp.listen({ host, port: 0 }, answer, tls))
}

/** Whether a proxy with that leaf and these roots is served there. */
async function isServed(
  peer: Env,
  listener: Awaited<ReturnType<typeof listening>>,
  shown: Shown,
  trustedPems: readonly string[],
): Promise<boolean> {
  const tls = { ...shown, trustedPems, anyName: true }
  const dialled = await peer.tcp.dial(listener.local, { timeoutMs: 2_000, tls })
  if (!dialled.ok) {
    expect(dialled.error.kind).toBe('tls')
    return false
  }
  const observed = new Observed(peer, dialled.value)
  dialled.value.write(utf8('hello'))
  // A dialler may learn only now that its own certificate was refused.
  await observed.until(() => observed.text === 'world' || observed.told.length > 0)
  dialled.value.close()
  return observed.text === 'world'
}

/** Proxies of a mesh: what both worlds must say of their chains. */
export function meshLaws(law: Law): void {
  law('proxies of a mesh whose root is changed twice take each other, whatever each has heard of', async (place) => {
    const { env, peer, host } = place
    const mesh = new Mesh(env)
    const [first, second, third] = [await mesh.root('ec-256'), await mesh.root('ec-384'), await mesh.root('rsa-2048')]
    const crossings = [mesh.crossing(third, second), mesh.crossing(second, first)]
    const [old, middle] = [await mesh.shown('web', first, []), await mesh.shown('web', second, crossings.slice(1))]
    const fresh = await mesh.shown('db', third, crossings)
    const listener = await listening(env, host, proxyOf(fresh, pems(first, second, third)))
    for (const shown of [old, middle, fresh]) {
      for (const trusted of [pems(first), pems(second), pems(third), pems(first, third), pems(first, second, third)]) {
        expect(await isServed(peer, listener, shown, trusted)).toBe(true)
      }
    }
    // The proxy has continued with its old leaf, or has forgotten the oldest root already.
    listener.renewTls(proxyOf(old, pems(first, second)))
    expect(await isServed(peer, listener, fresh, pems(first, second, third))).toBe(true)
    expect(await isServed(peer, listener, fresh, pems(second, third))).toBe(false)
    listener.renewTls(proxyOf(fresh, pems(third)))
    expect(await isServed(peer, listener, fresh, pems(first))).toBe(true)
    expect(await isServed(peer, listener, old, pems(first))).toBe(false)
    expect(await isServed(peer, listener, middle, pems(first))).toBe(false)
  })

  law('a proxy whose chain is broken is not taken', async ({ env, peer, host }) => {
    const mesh = new Mesh(env)
    const [first, second, third] = [await mesh.root('ec-256'), await mesh.root('ec-256'), await mesh.root('ec-521')]
    const good = await mesh.shown('web', first, [])
    const wrongKeyId = { key: third.key, certificate: { ...third.certificate, subjectKeyId: new Uint8Array(20) } }
    const broken: Readonly<Record<string, Shown>> = {
      'without its crossings': await mesh.shown('db', third, []),
      'without the last crossing': await mesh.shown('db', third, [mesh.crossing(third, second)]),
      'without the first crossing': await mesh.shown('db', third, [mesh.crossing(second, first)]),
      'with a crossing that has expired': await mesh.shown('db', third, [mesh.crossing(third, first, -hourMs)]),
      'that has expired': await mesh.shown('db', first, [], -hourMs),
      'that names another key of its root': await mesh.shown('db', wrongKeyId, [mesh.crossing(third, first)]),
      'signed by another key than its root has': await mesh.shown('db', { ...first, key: third.key }, []),
    }
    for (const [how, shown] of Object.entries(broken)) {
      const listener = await listening(env, host, proxyOf(good, pems(first)))
      expect(await isServed(peer, listener, shown, pems(first)), `dialling, ${how}`).toBe(false)
      listener.renewTls(proxyOf(shown, pems(first)))
      expect(await isServed(peer, listener, good, pems(first)), `listening, ${how}`).toBe(false)
      listener.renewTls(proxyOf(good, pems(first)))
      expect(await isServed(peer, listener, good, pems(first))).toBe(true)
      listener.close()
    }
  })

  law('each end sees the URI of the service that the other is, whatever stands in its name', async (place) => {
    const { env, peer, host } = place
    const mesh = new Mesh(env)
    const root = await mesh.root('ec-256')
    for (const [here, there] of [
      ['web', 'db'],
      ['a, URI:spiffe://b', 'x,y"z'],
    ] as const) {
      const heard: (readonly string[] | undefined)[] = []
      const tls = proxyOf(await mesh.shown(here, root, []), pems(root))
      const taken = env.deferred<undefined>()
      const listener = await got(
        env.tcp.listen(
          { host, port: 0 },
          (stream) => {
            heard.push(stream.peer?.uris)
            taken.resolve(undefined)
          },
          tls,
        ),
      )
      const dialling = { ...(await mesh.shown(there, root, [])), trustedPems: pems(root), anyName: true }
      const dialled = await got(peer.tcp.dial(listener.local, { timeoutMs: 2_000, tls: dialling }))
      await taken.promise
      expect([heard, dialled.peer]).toEqual([[[uriOf(there)]], { names: [], uris: [uriOf(here)] }])
      dialled.close()
      listener.close()
    }
  })
}
