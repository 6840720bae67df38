import { describe, expect, it } from 'vitest'
import type { TlsOptions } from '../../../src/env/net.ts'
import { diallerTls } from '../../../src/host/tls.ts'

const to = { host: '10.0.0.1', port: 1 }
const tls = (changes: Partial<TlsOptions> = {}): TlsOptions => ({ trustedPems: [], ...changes })

describe('a dialer with TLS', () => {
  it('shares what OpenSSL made of the very same options, and of none that only look the same', () => {
    const [one, other] = [tls(), tls()]
    expect(diallerTls(one, to).secureContext).toBe(diallerTls(one, { host: '10.0.0.2', port: 2 }).secureContext)
    expect(diallerTls(one, to).secureContext).not.toBe(diallerTls(other, to).secureContext)
  })

  it('is told apart by what it trusts where connections are kept for the next request', () => {
    expect(diallerTls(tls({ trustedPems: [], cipherSuites: ['AES128-SHA'] }), to)).toMatchObject({
      ca: [],
      ciphers: 'AES128-SHA',
    })
  })
})
