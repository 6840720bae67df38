import type { TlsVersion } from '../../env/net.ts'

/**
 * PEM files with this agent's certificate and key, and with the authorities that it trusts. Reference:
 * configuration.md#tls.
 */
export interface TlsFiles {
  /** May include intermediate certificates. */
  readonly certificate: string | undefined
  readonly privateKey: string | undefined
  /** Trusted authorities: a file, and a directory of files. */
  readonly authorities: string | undefined
  readonly authoritiesPath: string | undefined
}

/** TLS settings for HTTPS and for connections between agents. A reload changes only the files. */
export interface TlsSettings extends TlsFiles {
  /** Clients of the HTTPS API must show a certificate of these authorities. */
  readonly verifyIncomingHttps: boolean
  /** Agents that connect to this server must, too; connections without TLS are refused. */
  readonly verifyIncomingRpc: boolean
  /** Connections to servers use TLS, and their certificate must be of these authorities. */
  readonly verifyOutgoing: boolean
  /** The certificate must also be for `server.<datacenter>.<domain>`. */
  readonly verifyServerHostname: boolean
  /** The name that servers must prove if `verifyServerHostname` is off. */
  readonly serverName: string | undefined
  /** The last part of that name, without dots around it. */
  readonly domain: string
  readonly minVersion: TlsVersion
  /** For TLS up to 1.2, as OpenSSL names them, preferred ones first; undefined: the safe defaults. */
  readonly cipherSuites: readonly string[] | undefined
  /** The agent's order of preference counts, not the client's. */
  readonly preferOwnOrder: boolean
}

/** The content of an agent's PEM files, read and checked. */
export interface TlsMaterial {
  readonly settings: TlsSettings
  readonly identity: { readonly certificateChainPem: string; readonly privateKeyPem: string } | undefined
  readonly trustedPems: readonly string[]
}

export const defaultTls: Omit<TlsSettings, 'domain'> = {
  certificate: undefined,
  privateKey: undefined,
  authorities: undefined,
  authoritiesPath: undefined,
  verifyIncomingHttps: false,
  verifyIncomingRpc: false,
  verifyOutgoing: false,
  verifyServerHostname: false,
  serverName: undefined,
  minVersion: 'tls12',
  cipherSuites: undefined,
  preferOwnOrder: false,
}

/** The settings of the start with the files of a reload: verification settings change only with a restart. */
export function withFilesOf(settings: TlsSettings, next: TlsFiles): TlsSettings {
  const { certificate, privateKey, authorities, authoritiesPath } = next
  return { ...settings, certificate, privateKey, authorities, authoritiesPath }
}
