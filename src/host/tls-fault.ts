import type { TlsFault } from '../env/net.ts'
import { codeOf } from './system-error.ts'

/** By the reason that OpenSSL gives, as it stands in Node's codes: `ERR_SSL_WRONG_VERSION_NUMBER`. */
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

/** By Node's codes of a certificate that was looked at here and not taken; the first that matches counts. */
const ofCertificates: readonly (readonly [code: RegExp, fault: TlsFault])[] = [
  [/^(CERT|CRL)_(HAS_EXPIRED|NOT_YET_VALID)$/, 'expired'],
  [/^(UNABLE_TO_(GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_)/, 'unknown-authority'],
  [/^ERR_TLS_CERT_ALTNAME_/, 'wrong-name'],
  [/^(CERT_|CRL_|UNABLE_TO_|INVALID_|ERROR_IN_CERT_)/, 'certificate'],
]

/**
 * What is at fault where there is no TLS connection: by codes, and where Node gives none but that of the system (`EPROTO`), by
 * the reason within OpenSSL's text. Beyond this file nobody looks at texts of OpenSSL.
 */
export function tlsFault(cause: unknown): TlsFault {
  const code = codeOf(cause)
  const reason = /^ERR_SSL_(.+)$/.exec(code)?.[1] ?? handshakeReason(cause)?.toUpperCase().replaceAll(' ', '_') ?? ''
  const row = ofHandshakes.find(([found]) => found.test(reason)) ?? ofCertificates.find(([found]) => found.test(code))
  return row?.[1] ?? 'other'
}

/** What OpenSSL says of a handshake that failed, without where in its code: `wrong version number`. */
export function handshakeReason(cause: unknown): string | undefined {
  return cause instanceof Error ? /:SSL routines:[^:]*:([^:]+):/.exec(cause.message)?.[1] : undefined
}
