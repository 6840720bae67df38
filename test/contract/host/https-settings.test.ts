import { connect as connectPlain } from 'node:net'
import { connect, type SecureVersion } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { TlsOptions } from '../../../src/env/net.ts'
import { quietEnv } from './quiet-env.ts'
import { makeTlsMaterial, opensslIsThere } from './tls-material.ts'

interface Spoken {
  readonly version: string | null
  readonly suite: string
}

/** What a client that speaks these versions and offers these suites gets; undefined: the handshake failed. */
function handshake(
  port: number,
  versions: readonly [least: SecureVersion, most: SecureVersion],
  ciphers: string,
): Promise<Spoken | undefined> {
  const [minVersion, maxVersion] = versions
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, minVersion, maxVersion }
    const socket = connect({ ...options, ciphers: `${ciphers}:@SECLEVEL=0` })
    socket.once('secureConnect', () => {
      resolve({ version: socket.getProtocol(), suite: socket.getCipher().name })
      socket.destroy()
    })
    socket.once('error', () => resolve(undefined))
  })
}

async function served(settings: Partial<TlsOptions>): Promise<number> {
  const { server } = makeTlsMaterial()
  const tls = { ...server, trustedPems: [], ...settings }
  const answer = async () => ({ status: 200, headers: [], body: '' })
  const listener = await quietEnv().http.serve({ host: '127.0.0.1', port: 0 }, answer, tls)
  if (!listener.ok) throw new Error(JSON.stringify(listener.error))
  return listener.value.local.port
}

const any = 'DEFAULT'
const weak = 'ECDHE-ECDSA-AES128-SHA'
const strong = 'ECDHE-ECDSA-AES256-GCM-SHA384'

describe.skipIf(!opensslIsThere())('HTTPS', () => {
  it('speaks TLS 1.2 and 1.3 and nothing older, unless it is told to', async () => {
    const usual = await served({})
    expect((await handshake(usual, ['TLSv1.2', 'TLSv1.3'], any))?.version).toBe('TLSv1.3')
    expect((await handshake(usual, ['TLSv1', 'TLSv1.2'], any))?.version).toBe('TLSv1.2')
    expect(await handshake(usual, ['TLSv1', 'TLSv1.1'], any)).toBeUndefined()
    const old = await served({ minVersion: 'tls11' })
    expect((await handshake(old, ['TLSv1', 'TLSv1.1'], any))?.version).toBe('TLSv1.1')
    expect(await handshake(old, ['TLSv1', 'TLSv1'], any)).toBeUndefined()
    const oldest = await served({ minVersion: 'tls10' })
    expect((await handshake(oldest, ['TLSv1', 'TLSv1'], any))?.version).toBe('TLSv1')
  })

  it('answers a client that speaks plain HTTP with an explanation, and a silent or closing one with nothing', async () => {
    const port = await served({})
    const plain = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connectPlain({ host: '127.0.0.1', port }, () => socket.end(text))
        let said = ''
        socket.setEncoding('utf8').on('data', (more: string) => {
          said += more
        })
        socket.on('error', () => resolve('reset'))
        socket.on('close', () => resolve(said))
      })
    expect(await plain('GET /v1/status/leader HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    )
    expect(await plain('')).toBe('')
    expect((await handshake(port, ['TLSv1.2', 'TLSv1.3'], any))?.version).toBe('TLSv1.3')
  })

  it('has the suites of TLS 1.2 that it is told to have, and no others', async () => {
    const port = await served({ cipherSuites: [strong] })
    expect((await handshake(port, ['TLSv1.2', 'TLSv1.2'], `${weak}:${strong}`))?.suite).toBe(strong)
    expect(await handshake(port, ['TLSv1.2', 'TLSv1.2'], weak)).toBeUndefined()
    expect((await handshake(port, ['TLSv1.3', 'TLSv1.3'], any))?.version).toBe('TLSv1.3')
  })

  it('goes by the client’s order of suites, or by its own', async () => {
    const cipherSuites = [strong, weak]
    const offered = `${weak}:${strong}`
    const theirs = await served({ cipherSuites, preferOwnOrder: false })
    expect((await handshake(theirs, ['TLSv1.2', 'TLSv1.2'], offered))?.suite).toBe(weak)
    const own = await served({ cipherSuites, preferOwnOrder: true })
    expect((await handshake(own, ['TLSv1.2', 'TLSv1.2'], offered))?.suite).toBe(strong)
  })

  it('cannot be served with suites of which none is there', async () => {
    await expect(served({ cipherSuites: ['RC4-SHA'] })).rejects.toThrow(/cipher/i)
  })
})
