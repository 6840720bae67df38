import type { TlsVersion } from '../../env/net.ts'

/** PEM files with this agent's certificate and key, and with the authorities that it trusts. Reference: configuration.md#tls. */
export interface TlsFiles {
  /** With the certificates that lead to its authority. */
  readonly certificate: string | undefined
  readonly privateKey: string | undefined
  /** Authorities whose certificates are trusted: a file, and a directory of files. */
  readonly authorities: string | undefined
  readonly authoritiesPath: string | undefined
}

/** How this agent secures HTTPS and its connections with other agents. Only the files follow a reload. */
export interface TlsSettings extends TlsFiles {
  /** Clients of the HTTP API with TLS must show a certificate of these authorities. */
  readonly verifyIncomingHttps: boolean
  /** So must agents that connect to this server, and without TLS they are not taken. */
  readonly verifyIncomingRpc: boolean
  /** TLS is spoken to every server, and its certificate must be of these authorities. */
  readonly verifyOutgoing: boolean
  /** It must be for `server.<datacenter>.<domain>`, too. */
  readonly verifyServerHostname: boolean
  /** The name that servers must prove where `verifyServerHostname` says none. */
  readonly serverName: string | undefined
  /** The last part of that name, without dots around it. */
  readonly domain: string
  readonly minVersion: TlsVersion
  /** Of TLS up to 1.2, as OpenSSL names them, the preferred ones first; undefined: those that are safe. */
  readonly cipherSuites: readonly string[] | undefined
  /** The order of the agent counts, not that of its client. */
  readonly preferOwnOrder: boolean
}

/** What the PEM files of an agent hold, read and tried. */
export interface TlsMaterial {
  readonly settings: TlsSettings
  readonly identity: { readonly certificateChainPem: string; readonly privateKeyPem: string } | undefined
  readonly trustedPems: readonly string[]
}

export const defaultTls: TlsSettings = {
  certificate: undefined,
  privateKey: undefined,
  authorities: undefined,
  authoritiesPath: undefined,
  verifyIncomingHttps: false,
  verifyIncomingRpc: false,
  verifyOutgoing: false,
  verifyServerHostname: false,
  serverName: undefined,
  domain: 'svc',
  minVersion: 'tls12',
  cipherSuites: undefined,
  preferOwnOrder: false,
}

/** The settings of the start with the files of a reload: what is verified of others changes with a restart alone. */
export function withFilesOf(settings: TlsSettings, next: TlsFiles): TlsSettings {
  const { certificate, privateKey, authorities, authoritiesPath } = next
  return { ...settings, certificate, privateKey, authorities, authoritiesPath }
}
