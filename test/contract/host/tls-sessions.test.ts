import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { ListenerTls } from '../../../src/env/net.ts'
import { quietEnv } from './quiet-env.ts'
import { makeTlsMaterial, opensslIsThere, type TlsMaterial } from './tls-material.ts'

function dialled(port: number, { client }: TlsMaterial, version: SecureVersion, session?: Buffer): TLSSocket {
  const versions = { minVersion: version, maxVersion: version }
  const shown = { cert: client.certificateChainPem, key: client.privateKeyPem, rejectUnauthorized: false }
  const known = session === undefined ? {} : { session }
  return connect({ host: '127.0.0.1', port, ...versions, ...shown, ...known })
}

/** By what a connection says that it could be taken up again. */
function sessionOf(port: number, material: TlsMaterial, version: SecureVersion): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = dialled(port, material, version)
    socket.once('error', reject)
    // The sessions of TLS 1.3 come after the handshake, and are read only where the application reads.
    socket.resume()
    socket.once('session', (session: Buffer) => {
      resolve(session)
      socket.destroy()
    })
  })
}

function isResumed(port: number, material: TlsMaterial, version: SecureVersion, session: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = dialled(port, material, version, session)
    socket.once('error', reject)
    // What the listener writes shows that it has taken the connection.
    socket.once('data', () => {
      resolve(socket.isSessionReused())
      socket.destroy()
    })
  })
}

async function served(tls: ListenerTls): Promise<number> {
  const greet = (stream: { write(bytes: Uint8Array): boolean; onClose(use: () => void): void }): void => {
    stream.onClose(() => undefined)
    stream.write(utf8('x'))
  }
  const listener = await quietEnv().tcp.listen({ host: '127.0.0.1', port: 0 }, greet, tls)
  if (!listener.ok) throw new Error(JSON.stringify(listener.error))
  return listener.value.local.port
}

describe.skipIf(!opensslIsThere()).each(['TLSv1.2', 'TLSv1.3'] as const)('a session of %s', (version) => {
  it('is resumed only where neither side must show a certificate', async () => {
    const material = makeTlsMaterial()
    const { server, rootPem } = material
    for (const requirePeerCertificate of [false, true]) {
      const port = await served({ ...server, trustedPems: [rootPem], requirePeerCertificate })
      const session = await sessionOf(port, material, version)
      expect(await isResumed(port, material, version, session)).toBe(!requirePeerCertificate)
    }
  })
})
