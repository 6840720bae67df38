import { lowerAscii } from '../../../../base/letter-case.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import type { ProviderOptions } from '../../model.ts'
import { leafTtlMs } from '../../options.ts'

/** Address of the secrets manager: one scheme, one host (a name, or an IP address without brackets), one port. */
export interface ManagerAddress {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

/** Names of files on this server, or PEM itself. Empty: none. */
export interface ManagerTls {
  readonly trusted: string
  readonly certificate: string
  readonly key: string
  /** The name that its certificate must have; empty: that of the address. */
  readonly serverName: string
  readonly skipVerify: boolean
}

export interface ManagerOptions {
  readonly address: ManagerAddress
  readonly token: string
  /** Mount of the root, `mesh/root`; without slashes at its ends. */
  readonly rootPath: string
  /** Mount of the intermediate that signs leaves. */
  readonly intermediatePath: string
  /** Checked by the authority, because every provider has this option. */
  readonly leafTtlMs: number
  readonly keyType: 'ec' | 'rsa'
  readonly keyBits: number
  readonly tls: ManagerTls
}

const defaultAddress = 'http://127.0.0.1:8200'
const defaultPort = 8200
/** Maximum length of an option, enough for a few certificates in PEM. */
const optionCharactersMax = 64 << 10
const pathCharactersMax = 256

/** Parses the options; the error is one line without secrets. Reference: mesh.md#option-external. */
export function readManagerOptions(options: ProviderOptions): Result<ManagerOptions, string> {
  const wrong = wrongType(options)
  if (wrong !== undefined) return err(wrong)
  const address = addressOf(textOf(options, 'Address') || defaultAddress)
  if (!address.ok) return address
  const token = textOf(options, 'Token')
  if (token === '') return err('must provide a Vault token')
  if (!/^[\x21-\x7e]+$/.test(token)) return err('the Vault token has a character that no token has')
  const paths = pathsOf(options)
  if (!paths.ok) return paths
  const key = keyOf(options)
  if (!key.ok) return key
  const tls = tlsOf(options, address.value.scheme)
  if (!tls.ok) return tls
  return ok({
    address: address.value,
    token,
    ...paths.value,
    leafTtlMs: leafTtlMs(options),
    ...key.value,
    tls: tls.value,
  })
}

const textOptions = [
  'Address',
  'Token',
  'RootPKIPath',
  'IntermediatePKIPath',
  'PrivateKeyType',
  'CAFile',
  'CertFile',
  'KeyFile',
  'TLSServerName',
]

function wrongType(options: ProviderOptions): string | undefined {
  for (const name of textOptions) {
    const value = options[name] ?? ''
    if (typeof value !== 'string') return `${name} is not a string`
    if (value.length > optionCharactersMax) return `${name} is longer than ${optionCharactersMax} characters`
  }
  const skip = options['TLSSkipVerify'] ?? false
  return typeof skip === 'boolean' ? undefined : 'TLSSkipVerify is neither true nor false'
}

function textOf(options: ProviderOptions, name: string): string {
  const value = options[name]
  return typeof value === 'string' ? value : ''
}

function addressOf(text: string): Result<ManagerAddress, string> {
  const [, scheme, host = '', digits] =
    /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?\/?$/.exec(text) ?? []
  if (scheme !== 'http' && scheme !== 'https') return err('Address must be such as https://vault.internal:8200')
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port < 1 || port > 65_535) return err('Address has an invalid port')
  return ok({ scheme, host: host.replace(/^\[|\]$/g, ''), port })
}

/** The normalized address of the options; undefined if it cannot be parsed. */
export function readAddress(options: ProviderOptions): string | undefined {
  const read = addressOf(textOf(options, 'Address') || defaultAddress)
  return read.ok ? `${read.value.scheme}://${lowerAscii(read.value.host)}:${read.value.port}` : undefined
}

function pathsOf(options: ProviderOptions): Result<Pick<ManagerOptions, 'rootPath' | 'intermediatePath'>, string> {
  const rootPath = mountPath(textOf(options, 'RootPKIPath'))
  if (rootPath === undefined) return err('must provide a valid path to a root PKI backend')
  const intermediatePath = mountPath(textOf(options, 'IntermediatePKIPath'))
  if (intermediatePath === undefined) return err('must provide a valid path for the intermediate PKI backend')
  // No mount may equal another or lie below it: the secrets manager refuses that.
  const within = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`)
  if (within(rootPath, intermediatePath) || within(intermediatePath, rootPath)) {
    return err('RootPKIPath and IntermediatePKIPath must be two mounts, neither within the other')
  }
  return ok({ rootPath, intermediatePath })
}

/** Becomes part of request paths as it is. */
function mountPath(text: string): string | undefined {
  const path = text.replace(/^\/+|\/+$/g, '')
  const sound =
    path.length <= pathCharactersMax && /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/.test(path)
  return sound ? path : undefined
}

const keyBits = { ec: [256, 384, 521], rsa: [2048, 4096] } as const

function keyOf(options: ProviderOptions): Result<Pick<ManagerOptions, 'keyType' | 'keyBits'>, string> {
  const keyType = textOf(options, 'PrivateKeyType') || 'ec'
  if (keyType !== 'ec' && keyType !== 'rsa') return err('PrivateKeyType must be ec or rsa')
  const known: readonly number[] = keyBits[keyType]
  const given = options['PrivateKeyBits'] ?? known[0] ?? 0
  const bits = typeof given === 'string' ? Number(given) : given
  if (typeof bits !== 'number' || !known.includes(bits)) return err(`PrivateKeyBits must be one of ${known.join(', ')}`)
  return ok({ keyType, keyBits: bits })
}

function tlsOf(options: ProviderOptions, scheme: string): Result<ManagerTls, string> {
  const tls = {
    trusted: textOf(options, 'CAFile'),
    certificate: textOf(options, 'CertFile'),
    key: textOf(options, 'KeyFile'),
    serverName: textOf(options, 'TLSServerName'),
    skipVerify: options['TLSSkipVerify'] === true,
  }
  if ((tls.certificate === '') !== (tls.key === '')) return err('CertFile and KeyFile belong together')
  const any = tls.trusted !== '' || tls.certificate !== '' || tls.serverName !== '' || tls.skipVerify
  if (any && scheme === 'http') return err('Address must begin with https:// where options of TLS are given')
  return ok(tls)
}
