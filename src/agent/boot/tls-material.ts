import { textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { TlsOptions } from '../../env/net.ts'
import type { RpcTls } from '../../rpc/tls.ts'
import { type TlsFiles, type TlsMaterial, type TlsSettings, withFilesOf } from '../settings/tls-settings.ts'
import type { StartFailure } from './lifecycle.ts'
import { readWholeFile } from './whole-file.ts'

/** Maximum number of files in `ca_path`: the directory of a system has some 300, each certificate under two names. */
const authoritiesMax = 1_024

type Loaded<T> = Result<T, StartFailure>

/**
 * Reads the files of the settings. Refused if a file cannot be used, or the settings need a file that is not
 * configured.
 */
export async function loadTls(env: Env, settings: TlsSettings): Promise<Loaded<TlsMaterial>> {
  const certificate = await pemOf(env, 'cert_file', settings.certificate)
  if (!certificate.ok) return certificate
  const privateKey = await pemOf(env, 'key_file', settings.privateKey)
  if (!privateKey.ok) return privateKey
  const trusted = await authoritiesOf(env, settings)
  if (!trusted.ok) return trusted
  const identity =
    certificate.value === undefined || privateKey.value === undefined
      ? undefined
      : { certificateChainPem: certificate.value, privateKeyPem: privateKey.value }
  const material = { settings, identity, trustedPems: trusted.value }
  const problem = env.tcp.tlsProblem({ ...identity, trustedPems: trusted.value, ...versionsAndSuites(settings) })
  if (problem === undefined) return ok(material)
  const key = keyAtFault(env, material)
  return err(refused(`TLS cannot be used: ${problem}`, remedyFor(key), key))
}

/** The key whose content cannot be used: each is tried without the ones after it. */
function keyAtFault(env: Env, { settings, identity }: TlsMaterial): string {
  const cannot = (tls: Partial<TlsOptions>): boolean =>
    env.tcp.tlsProblem({ trustedPems: [], ...versionsAndSuites(settings), ...tls }) !== undefined
  if (cannot({})) return 'tls_cipher_suites'
  if (cannot({ ...identity })) return 'cert_file'
  return settings.authorities === undefined ? 'ca_path' : 'ca_file'
}

function remedyFor(key: string): string {
  return key === 'tls_cipher_suites'
    ? 'correct tls_cipher_suites: name suites that this version of OpenSSL has, or leave it out'
    : 'correct cert_file, key_file and ca_file: each must be a whole PEM file, and the key must belong to the certificate'
}

function versionsAndSuites({ minVersion, cipherSuites }: TlsSettings): Pick<TlsOptions, 'minVersion' | 'cipherSuites'> {
  return { minVersion, ...(cipherSuites === undefined ? {} : { cipherSuites }) }
}

/**
 * Reads the files of a reload. Files of the start may be renewed but not removed: listeners would be left without a
 * certificate or authorities.
 */
export async function reloadTls(env: Env, before: TlsMaterial, files: TlsFiles): Promise<Loaded<TlsMaterial>> {
  const loaded = await loadTls(env, withFilesOf(before.settings, files))
  if (!loaded.ok) return loaded
  const { identity, trustedPems } = loaded.value
  const remedy = 'put it back, or restart the agent without it'
  if (before.identity !== undefined && identity === undefined)
    return err(refused('cert_file was removed from the configuration', remedy, 'cert_file'))
  if (before.trustedPems.length > 0 && trustedPems.length === 0)
    return err(refused('ca_file was removed from the configuration', remedy, 'ca_file'))
  return loaded
}

export function differ(one: TlsMaterial, other: TlsMaterial): boolean {
  const texts = ({ identity, trustedPems }: TlsMaterial): string =>
    [identity?.certificateChainPem ?? '', identity?.privateKeyPem ?? '', ...trustedPems].join('\n')
  return texts(one) !== texts(other)
}

/** The settings of the HTTPS listeners. `own` is the identity that is used if the operator has configured none. */
export function httpsTls({ settings, identity, trustedPems }: TlsMaterial, own?: TlsMaterial['identity']): TlsOptions {
  const { verifyIncomingHttps, preferOwnOrder } = settings
  return {
    ...(identity ?? own),
    trustedPems,
    requirePeerCertificate: verifyIncomingHttps,
    ...versionsAndSuites(settings),
    preferOwnOrder,
  }
}

/** For checks over HTTP and gRPC. Without authorities of its own the agent trusts those of the machine. */
export function checkTls({ settings, identity, trustedPems }: TlsMaterial): TlsOptions {
  const { serverName } = settings
  return {
    ...identity,
    trustedPems,
    ...(trustedPems.length === 0 ? { trust: 'system' } : {}),
    ...(serverName === undefined ? {} : { serverName }),
  }
}

export function rpcTls({ settings, identity, trustedPems }: TlsMaterial): RpcTls {
  const { verifyIncomingRpc: verifyIncoming, verifyOutgoing, verifyServerHostname, serverName, domain } = settings
  const { minVersion, cipherSuites, preferOwnOrder } = settings
  const asked = { verifyIncoming, verifyOutgoing, verifyServerHostname, serverName, domain }
  return { identity, trustedPems, ...asked, minVersion, cipherSuites, preferOwnOrder }
}

/** The files of a directory in order of name, without directories and files that hold no certificate. */
async function authoritiesOf(env: Env, settings: TlsSettings): Promise<Loaded<readonly string[]>> {
  const { authorities, authoritiesPath: path } = settings
  const file = await pemOf(env, 'ca_file', authorities)
  if (!file.ok) return file
  const pems = file.value === undefined ? [] : [file.value]
  if (path === undefined) return ok(pems)
  const names = await env.disk.list(path)
  if (!names.ok) return err(unreadable('ca_path', path, names.error.message))
  if (names.value.length > authoritiesMax) {
    const remedy = `name a directory with at most ${authoritiesMax} files`
    return err(refused(`ca_path ${path} holds ${names.value.length} files`, remedy, 'ca_path'))
  }
  for (const name of names.value) {
    const read = await readWholeFile(env.disk, `${path}/${name}`)
    if (!read.ok && read.error.kind === 'is-directory') continue
    if (!read.ok) return err(unreadable('ca_path', read.error.path, read.error.message))
    const pem = textOf(read.value)
    if (holdsCertificate(pem) && !pems.includes(pem)) pems.push(pem)
  }
  if (pems.length > 0) return ok(pems)
  const remedy = 'name a directory of PEM files of authorities'
  return err(refused(`ca_path ${path} holds no certificate`, remedy, 'ca_path'))
}

async function pemOf(env: Env, key: string, path: string | undefined): Promise<Loaded<string | undefined>> {
  if (path === undefined) return ok(undefined)
  const bytes = await readWholeFile(env.disk, path)
  if (!bytes.ok) return err(unreadable(key, path, bytes.error.message))
  const pem = textOf(bytes.value)
  if (key === 'key_file') {
    if (holdsKey(pem)) return ok(pem)
    return err(refused(`${key} ${path} holds no private key`, 'name a PEM file with a BEGIN PRIVATE KEY line', key))
  }
  if (holdsCertificate(pem)) return ok(pem)
  return err(refused(`${key} ${path} holds no certificate`, 'name a PEM file with a BEGIN CERTIFICATE line', key))
}

function holdsKey(pem: string): boolean {
  return /-----BEGIN ([A-Z]+ )*PRIVATE KEY-----/.test(pem)
}

function holdsCertificate(pem: string): boolean {
  return pem.includes('-----BEGIN CERTIFICATE-----')
}

/** The message for an unreadable authority is the field's. Reference: configuration.md#fact-85. */
function unreadable(key: string, path: string, why: string): StartFailure {
  const message =
    key === 'ca_file' ? `Error loading CA File: open ${path}: ${why}` : `${key} ${path} cannot be read: ${why}`
  return refused(message, 'name a PEM file that this user may read', key)
}

function refused(message: string, remedy: string, key: string): StartFailure {
  return { kind: 'configuration', message, remedy, key }
}
