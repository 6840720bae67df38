import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  checkServerIdentity,
  type TlsOptions as NodeTlsOptions,
  rootCertificates,
  type SecureContextOptions,
} from 'node:tls'
import type { Endpoint, TlsOptions } from '../env/net.ts'

/** A dialler that does not finish its handshake by then is dropped. */
const handshakeTimeoutMs = 10_000

function contextOptions(tls: TlsOptions): SecureContextOptions {
  return {
    ...versionsAndSuites(tls),
    ...trusted(tls),
    ...(tls.certificateChainPem === undefined ? {} : { cert: tls.certificateChainPem }),
    ...(tls.privateKeyPem === undefined ? {} : { key: tls.privateKeyPem }),
  }
}

const versions = { tls10: 'TLSv1', tls11: 'TLSv1.1', tls12: 'TLSv1.2' } as const

/** OpenSSL counts what is older than 1.2 as below its first level of security, and speaks it at level 0 alone. */
function versionsAndSuites({ minVersion = 'tls12', cipherSuites, preferOwnOrder }: TlsOptions): SecureContextOptions {
  const named = cipherSuites ?? (minVersion === 'tls12' ? undefined : ['DEFAULT'])
  const suites = minVersion === 'tls12' ? named : [...(named ?? []), '@SECLEVEL=0']
  return {
    minVersion: versions[minVersion],
    ...(suites === undefined ? {} : { ciphers: suites.join(':') }),
    ...(preferOwnOrder === undefined ? {} : { honorCipherOrder: preferOwnOrder }),
  }
}

/** An empty list trusts nobody. Left out, Node trusts the web's authorities, which it then reads once and not each time. */
function trusted({ trust, trustedPems }: TlsOptions): SecureContextOptions {
  if (trust !== 'system') return { ca: [...trustedPems] }
  return trustedPems.length === 0 ? {} : { ca: [...trustedPems, ...rootCertificates] }
}

export function listenerTls(tls: TlsOptions): NodeTlsOptions {
  const required = tls.requirePeerCertificate === true
  return {
    ...contextOptions(tls),
    requestCert: required,
    rejectUnauthorized: required,
    handshakeTimeout: handshakeTimeoutMs,
  }
}

/** Without a name, the certificate must carry the address that is dialled. */
export function diallerTls(tls: TlsOptions, to: Endpoint): ConnectionOptions {
  const name = tls.serverName ?? to.host
  return {
    ...contextOptions(tls),
    rejectUnauthorized: tls.trust !== 'anyone',
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    // An address is never sent as the name that is asked for. RFC 6066, section 3.
    ...(isIP(name) === 0 ? { servername: name } : {}),
  }
}
