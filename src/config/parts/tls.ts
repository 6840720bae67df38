import { defaultTls, type TlsSettings } from '../../agent/settings/tls-settings.ts'
import type { SocketAccess } from '../../env/http.ts'
import type { TlsVersion } from '../../env/net.ts'
import type { FileConfig } from '../schema.ts'
import type { Report, Reports, Shown } from './values.ts'

/** Keys that decide whether a certificate, or authorities, are required. */
const asking = ['ports', 'ports.*', 'server'] as const
const ownPair = ['cert_file', 'key_file'] as const
const authoritiesAsked = ['ca_file', 'ca_path', ...asking] as const

/** Reference: configuration.md#tls. */
export function tlsOf(
  file: FileConfig,
  server: boolean,
  https: boolean,
  defaults: Pick<TlsSettings, 'domain'>,
  { problem, warn }: Reports,
): TlsSettings {
  const { cert_file: certificate, key_file: privateKey, ca_file: authorities, ca_path: authoritiesPath } = named(file)
  // The general setting cannot be turned off by a specific one.
  const verifyIncoming = file.verify_incoming ?? false
  const verifyIncomingHttps = verifyIncoming || (file.verify_incoming_https ?? false)
  const verifyIncomingRpc = server && (verifyIncoming || (file.verify_incoming_rpc ?? false))
  const verifyServerHostname = file.verify_server_hostname ?? false
  const verifyOutgoing = verifyServerHostname || (file.verify_outgoing ?? false)
  const trusts = authorities !== undefined || authoritiesPath !== undefined
  if ((certificate === undefined) !== (privateKey === undefined)) {
    const given = certificate === undefined ? 'key_file' : 'cert_file'
    problem('cert_file and key_file go together', 'name both, or neither', given, ownPair)
  } else {
    const isVerified = verifyIncomingRpc || (https && verifyIncomingHttps)
    if (https && certificate === undefined && !isVerified) {
      const effect = 'the agent signs a certificate for itself at each start, which no client can verify'
      warn(
        'ports.https is open, and no Cert/Key pair provided',
        `${effect}: name cert_file and key_file`,
        'ports.https',
      )
    }
    if (isVerified && certificate === undefined) {
      const part = verifyIncomingRpc ? 'verify_incoming_rpc' : 'verify_incoming_https'
      const key = askedBy(file, 'verify_incoming', part)
      problem('VerifyIncoming set, and no Cert/Key pair provided!', 'name cert_file and key_file', key, [
        ...ownPair,
        ...asking,
      ])
    }
  }
  if (!trusts && (verifyIncomingRpc || (https && verifyIncomingHttps))) {
    const part = verifyIncomingRpc ? 'verify_incoming_rpc' : 'verify_incoming_https'
    const key = askedBy(file, 'verify_incoming', part)
    problem('VerifyIncoming set, and no CA certificate provided!', 'name ca_file or ca_path', key, authoritiesAsked)
  }
  if (!trusts && verifyOutgoing) {
    const key = askedBy(file, 'verify_outgoing', 'verify_server_hostname')
    problem('VerifyOutgoing set, and no CA certificate provided!', 'name ca_file or ca_path', key, authoritiesAsked)
  }
  return {
    certificate,
    privateKey,
    authorities,
    authoritiesPath,
    verifyIncomingHttps,
    verifyIncomingRpc,
    verifyOutgoing,
    verifyServerHostname,
    serverName: file.server_name === '' ? undefined : file.server_name,
    domain: (file.domain ?? defaults.domain).toLowerCase().replace(/^\.+|\.+$/g, ''),
    minVersion: minVersionOf(file, problem),
    cipherSuites: cipherSuitesOf(file, problem),
    preferOwnOrder: file.tls_prefer_server_cipher_suites ?? defaultTls.preferOwnOrder,
  }
}

/** Which of two keys requested something that both can request. */
function askedBy<K extends keyof FileConfig>(file: FileConfig, one: K, other: K): K {
  return file[one] === true ? one : other
}

/** An empty name counts as absent. */
function named(file: FileConfig): Pick<FileConfig, 'cert_file' | 'key_file' | 'ca_file' | 'ca_path'> {
  const of = (value: string | undefined): string | undefined => (value === '' ? undefined : value)
  return {
    cert_file: of(file.cert_file),
    key_file: of(file.key_file),
    ca_file: of(file.ca_file),
    ca_path: of(file.ca_path),
  }
}

const versions: readonly TlsVersion[] = ['tls10', 'tls11', 'tls12']

function minVersionOf({ tls_min_version: given }: FileConfig, problem: Report): TlsVersion {
  if (given === undefined || given === '') return defaultTls.minVersion
  const version = versions.find((each) => each === given)
  const remedy = `please specify one of [${versions.join(',')}]`
  if (version === undefined) problem(`TLSMinVersion: value ${given} not supported`, remedy, 'tls_min_version')
  return version ?? defaultTls.minVersion
}

/** Cipher suites by their names in the field, which are those of OpenSSL. Reference: configuration.md#fact-81. */
const suites: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA', 'ECDHE-RSA-DES-CBC3-SHA'],
  ['TLS_RSA_WITH_3DES_EDE_CBC_SHA', 'DES-CBC3-SHA'],
  ['TLS_RSA_WITH_RC4_128_SHA', 'RC4-SHA'],
  ['TLS_ECDHE_RSA_WITH_RC4_128_SHA', 'ECDHE-RSA-RC4-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_RC4_128_SHA', 'ECDHE-ECDSA-RC4-SHA'],
])

function cipherSuitesOf({ tls_cipher_suites: given }: FileConfig, problem: Report): readonly string[] | undefined {
  if (given === undefined || given.trim() === '') return undefined
  return given.split(',').flatMap((each) => {
    const name = each.trim()
    const known = suites.get(name)
    const message = `tls_cipher_suites: invalid tls cipher suites: unsupported cipher ${JSON.stringify(name)}`
    const remedy = `write some of ${[...suites.keys()].slice(0, 4).join(', ')}, …`
    if (known === undefined) problem(message, remedy, 'tls_cipher_suites')
    return known ?? []
  })
}

/** Reference: configuration.md#unix-sockets. */
export function socketAccessOf(
  { unix_sockets: given, addresses }: FileConfig,
  { problem, warn }: Reports,
): SocketAccess {
  const { user = '', group = '', mode = '' } = given ?? {}
  // Without a socket, a wrong value gives no user access to anything.
  const isUsed = [addresses?.http, addresses?.https].some((face) => face?.includes('unix:') === true)
  const say = isUsed ? problem : warn
  const isMode = /^[0-7]{1,4}$/.test(mode)
  const isGroup = /^\d{1,9}$/.test(group)
  if (mode !== '' && !isMode)
    say(`unix_sockets.mode: invalid mode specified: ${mode}`, 'write an octal number such as 0770', 'unix_sockets.mode')
  if (group !== '' && !isGroup)
    say(`unix_sockets.group "${group}" is not a number`, 'write the number of the group', 'unix_sockets.group')
  return {
    ...(user === '' ? {} : { user }),
    ...(isGroup ? { group: Number(group) } : {}),
    ...(isMode ? { mode: Number.parseInt(mode, 8) } : {}),
  }
}

/** The settings as `/v1/agent/self` shows them. */
export function shownTls(tls: TlsSettings): Shown {
  return {
    CAFile: tls.authorities ?? '',
    CAPath: tls.authoritiesPath ?? '',
    CertFile: tls.certificate ?? '',
    KeyFile: tls.privateKey ?? '',
    TLSCipherSuites: tls.cipherSuites ?? [],
    TLSDomain: tls.domain,
    TLSMinVersion: tls.minVersion,
    TLSPreferServerCipherSuites: tls.preferOwnOrder,
    ServerName: tls.serverName ?? '',
    VerifyIncoming: tls.verifyIncomingHttps && tls.verifyIncomingRpc,
    VerifyIncomingHTTPS: tls.verifyIncomingHttps,
    VerifyIncomingRPC: tls.verifyIncomingRpc,
    VerifyOutgoing: tls.verifyOutgoing,
    VerifyServerHostname: tls.verifyServerHostname,
  }
}
