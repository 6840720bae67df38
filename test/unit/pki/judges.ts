import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { connect, createSecureContext, TLSSocket as Socket, type TLSSocket } from 'node:tls'
import type { Certificate } from '../../../src/pki/certificate.ts'

const pems = (certificates: readonly Certificate[]): string => certificates.map(({ pem }) => pem).join('')

/** What OpenSSL says of each leaf under these roots: undefined, or its reason. */
export function opensslSays(
  leaves: readonly Certificate[],
  intermediates: readonly Certificate[],
  roots: readonly Certificate[],
  purpose: 'sslserver' | 'sslclient' = 'sslserver',
): readonly (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chain-'))
  try {
    writeFileSync(join(folder, 'roots.pem'), pems(roots))
    writeFileSync(join(folder, 'between.pem'), pems(intermediates))
    for (const [at, { pem }] of leaves.entries()) writeFileSync(join(folder, `${at}.pem`), pem)
    const words = ['verify', '-x509_strict', '-no-CApath', '-no-CAstore', '-purpose', purpose, '-CAfile', 'roots.pem']
    const between = intermediates.length === 0 ? [] : ['-untrusted', 'between.pem']
    const text = outputOf('openssl', [...words, ...between, ...leaves.map((_, at) => `${at}.pem`)], folder)
    return leaves.map((_, at) => (text.includes(`${at}.pem: OK`) ? undefined : text))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function outputOf(command: string, words: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer }
    return `${stdout}${stderr}`
  }
}

/** One end of a connection: what it shows, and the roots that it trusts. */
export interface End {
  readonly leaf: { readonly certificate: Certificate; readonly key: { readonly privateKeyPem: string } }
  readonly intermediates: readonly Certificate[]
  readonly roots: readonly Certificate[]
}

/** Mutual TLS between two ends in this process: undefined, or why it failed. */
export async function handshakeProblem(listener: End, dialler: End): Promise<string | undefined> {
  const [here, there] = pipe()
  const options = (end: End) => ({
    secureContext: createSecureContext({
      cert: pems([end.leaf.certificate, ...end.intermediates]),
      key: end.leaf.key.privateKeyPem,
      ca: pems(end.roots),
    }),
  })
  const server = new Socket(here as never, {
    isServer: true,
    requestCert: true,
    rejectUnauthorized: true,
    ...options(listener),
  })
  // Names are checked by the mesh's own code, which looks at the URI.
  const client = connect({ socket: there as never, ...options(dialler), checkServerIdentity: () => undefined })
  try {
    return await new Promise((resolve) => {
      for (const end of [server, client]) end.on('error', (error: Error) => resolve(error.message))
      server.on('close', () => resolve('the connection was closed'))
      // In TLS 1.3 a dialler is connected before the listener has judged it: only what comes back says so.
      server.on('secure', () => {
        const { ssl } = server as TLSSocket & { readonly ssl: { verifyError(): Error | null } }
        const error = ssl.verifyError()
        if (error !== null) resolve(error.message)
        else server.end('hello')
      })
      client.on('data', () => resolve(undefined))
    })
  } finally {
    server.destroy()
    client.destroy()
  }
}

/** Two streams, each with what is written into the other. */
function pipe(): readonly [Duplex, Duplex] {
  const ends: Duplex[] = []
  const end = (other: 0 | 1): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (chunk, _, done) => {
        ends[other]?.push(chunk)
        done()
      },
      final: (done) => {
        ends[other]?.push(null)
        done()
      },
    })
  ends.push(end(1), end(0))
  return [ends[0] as Duplex, ends[1] as Duplex]
}
