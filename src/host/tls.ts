import { isIP } from 'node:net'
import type { TlsOptions as NodeTlsOptions, SecureContextOptions } from 'node:tls'
import type { TlsOptions } from '../env/net.ts'

/** A dialler that does not finish its handshake by then is dropped. */
const handshakeTimeoutMs = 10_000

function contextOptions(tls: TlsOptions): SecureContextOptions {
  return {
    minVersion: 'TLSv1.2',
    // An empty list trusts nobody; left out, Node would trust the web's authorities.
    ca: [...tls.trustedPems],
    ...(tls.certificateChainPem === undefined ? {} : { cert: tls.certificateChainPem }),
    ...(tls.privateKeyPem === undefined ? {} : { key: tls.privateKeyPem }),
  }
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

export interface DiallerTls extends SecureContextOptions {
  readonly rejectUnauthorized: true
  readonly servername?: string
}

/** Without a name, the certificate must carry the address that is dialled. */
export function diallerTls(tls: TlsOptions): DiallerTls {
  const { serverName } = tls
  const named = serverName !== undefined && isIP(serverName) === 0
  return { ...contextOptions(tls), rejectUnauthorized: true, ...(named ? { servername: serverName } : {}) }
}
