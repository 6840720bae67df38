import { isIP } from 'node:net'
import type { DialFailure, Endpoint, ListenFailure, TlsFault } from '../env/net.ts'
import { codeOf, messageOf } from './system-error.ts'

export function listenFailure(at: Endpoint, cause: unknown): ListenFailure {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
    // The name of a Unix socket.
    case 'EEXIST':
      return { kind: 'address-in-use', at }
    case 'EADDRNOTAVAIL':
      return { kind: 'address-not-available', at }
    case 'EACCES':
    case 'EPERM':
      return { kind: 'permission', at }
    default:
      return { kind: 'io', at, message: messageOf(cause) }
  }
}

export function dialFailure(to: Endpoint, cause: unknown): DialFailure {
  const code = codeOf(cause)
  switch (code) {
    case 'ECONNREFUSED':
      return { kind: 'refused', to }
    case 'ETIMEDOUT':
      return { kind: 'timeout', to }
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return { kind: 'unreachable', to }
    default:
      return isTlsCode(code)
        ? { kind: 'tls', to, fault: tlsFault(cause), message: handshakeReason(cause) ?? messageOf(cause) }
        : { kind: 'io', to, message: messageOf(cause) }
  }
}

/** Codes of a failed handshake: Node's own, OpenSSL's, and those of certificate verification, which have no prefix. */
function isTlsCode(code: string): boolean {
  return (
    code === 'EPROTO' ||
    /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code) ||
    /^(INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT_)/.test(code)
  )
}

/** Only addresses are accepted: looking up names would take an unknown time, outside of every deadline. */
export function addressProblem(endpoint: Endpoint): string | undefined {
  const { host, port } = endpoint
  if (isIP(host) === 0) return `${JSON.stringify(host)} is not an IP address`
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return `${port} is not a port`
  return undefined
}

/** An endpoint from Node's values; an IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) is written as IPv4. */
export function endpointOf(address: string | undefined, port: number | undefined): Endpoint {
  const host = address ?? ''
  // Called for every datagram.
  if (!host.includes(':')) return { host, port: port ?? 0 }
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host)
  return { host: mapped?.[1] ?? host, port: port ?? 0 }
}

/** By OpenSSL's reason in Node's codes: `ERR_SSL_WRONG_VERSION_NUMBER`. */
const ofHandshakes: readonly (readonly [reason: RegExp, fault: TlsFault])[] = [
  [/^WRONG_VERSION_NUMBER$/, 'plain'],
  [/^PACKET_LENGTH_TOO_LONG$/, 'garbled'],
  [/ALERT_CERTIFICATE_REQUIRED$/, 'alert-certificate-required'],
  [/ALERT_CERTIFICATE_EXPIRED$/, 'alert-certificate-expired'],
  [/ALERT_UNKNOWN_CA$/, 'alert-unknown-authority'],
  [
    /ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_REVOKED)$/,
    'alert-certificate-refused',
  ],
  [/ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|INSUFFICIENT_SECURITY)$/, 'nothing-in-common'],
  [/^(NO_PROTOCOLS_AVAILABLE|UNSUPPORTED_PROTOCOL)$/, 'nothing-in-common'],
]

/** By Node's codes for a certificate that was refused here; the first match counts. */
const ofCertificates: readonly (readonly [code: RegExp, fault: TlsFault])[] = [
  [/^(CERT|CRL)_(HAS_EXPIRED|NOT_YET_VALID)$/, 'expired'],
  [/^(UNABLE_TO_(GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_)/, 'unknown-authority'],
  [/^ERR_TLS_CERT_ALTNAME_/, 'wrong-name'],
  [/^(CERT_|CRL_|UNABLE_TO_|INVALID_|ERROR_IN_CERT_)/, 'certificate'],
]

/**
 * The fault of a failed TLS connection: by codes, and if Node reports only the system's (`EPROTO`), by the reason
 * within OpenSSL's text. No other file looks at texts of OpenSSL.
 */
export function tlsFault(cause: unknown): TlsFault {
  const code = codeOf(cause)
  const reason = /^ERR_SSL_(.+)$/.exec(code)?.[1] ?? handshakeReason(cause)?.toUpperCase().replaceAll(' ', '_') ?? ''
  const row = ofHandshakes.find(([found]) => found.test(reason)) ?? ofCertificates.find(([found]) => found.test(code))
  return row?.[1] ?? 'other'
}

/** OpenSSL's reason for a failed handshake, without the place in its code: `wrong version number`. */
export function handshakeReason(cause: unknown): string | undefined {
  return cause instanceof Error ? /:SSL routines:[^:]*:([^:]+):/.exec(cause.message)?.[1] : undefined
}
