import type { TlsVersion } from '../env/net.ts'

/** How this agent serves HTTPS: PEM files, read at start, and what they are used for. Reference: configuration 8. */
export interface TlsSettings {
  /** With the certificates that lead to its authority. */
  readonly certificate: string | undefined
  readonly privateKey: string | undefined
  /** Authorities whose certificates are trusted. */
  readonly authorities: string | undefined
  /** Clients of the HTTP API with TLS must show a certificate of these authorities. */
  readonly verifyIncomingHttps: boolean
  readonly minVersion: TlsVersion
  /** Of TLS up to 1.2, as OpenSSL names them, the preferred ones first; undefined: those that are safe. */
  readonly cipherSuites: readonly string[] | undefined
  /** The order of the agent counts, not that of its client. */
  readonly preferOwnOrder: boolean
}

export const defaultTls: TlsSettings = {
  certificate: undefined,
  privateKey: undefined,
  authorities: undefined,
  verifyIncomingHttps: false,
  minVersion: 'tls12',
  cipherSuites: undefined,
  preferOwnOrder: false,
}
