import { readWholeFile } from '../../agent/boot/whole-file.ts'
import { compareText, textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type TlsOptions } from '../../env/net.ts'
import { isAddress, parseEndpoint } from '../../rpc/address.ts'
import type { Invocation } from '../command.ts'
import { ClientSettings } from './client-settings.ts'

/** The address of the agent's API, and the credentials for it. */
export interface ApiAddress {
  /** `host` may be `unix://` and the path of a socket. */
  readonly to: Endpoint
  /** `http://127.0.0.1:8500`, as errors name it. */
  readonly url: string
  readonly tls: TlsOptions | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The caller's token; undefined: none is given. */
  readonly token: string | undefined
}

const schemes = ['http', 'https', 'unix'] as const

/**
 * Reads the address from the client flags, and from the environment and the profile where a flag is not given. The error
 * is the line to print. Reference: command-line.md#client-flags, command-line.md#environment.
 */
export async function apiAddress(invocation: Invocation): Promise<Result<ApiAddress, string>> {
  const read = await ClientSettings.read(invocation)
  if (!read.ok) return read
  const settings = read.value
  const given = settings.text('http-addr', 'HTTP_ADDR') ?? '127.0.0.1:8500'
  const [, scheme, rest = given] = /^([a-z]+):\/\/(.*)$/s.exec(given) ?? []
  if (scheme !== undefined && !schemes.some((known) => known === scheme)) {
    return err(`-http-addr ${given}: Unknown protocol scheme: ${scheme}`)
  }
  const ssl = settings.truth('HTTP_SSL')
  if (!ssl.ok) return ssl
  const secure = scheme === 'https' || (scheme !== 'http' && ssl.value === true)
  const socket = scheme === 'unix'
  const shown = rest.replace(/\/$/, '').replace(/^localhost:/, '127.0.0.1:')
  const named = socket ? { host: given, port: 0 } : parseEndpoint(withPort(shown, scheme))
  if (named === undefined || (socket && rest === '')) return err(`-http-addr "${given}" is not host:port`)
  const host = socket
    ? 'localhost'
    : rest
        .replace(/\/$/, '')
        .replace(/:\d*$/, '')
        .replace(/^\[|\]$/g, '')
  const tls = secure ? await tlsOf(invocation.env, settings, host) : ok(undefined)
  if (!tls.ok) return tls
  const url = `${secure ? 'https' : 'http'}://${socket ? encodeURIComponent(rest) : shown}`
  const found = await findAgent(invocation.env, named)
  if (!found.ok) return err(`${url}: ${found.error}`)
  const token = await settings.token()
  if (!token.ok) return token
  const headers = [...found.value.headers, ...settings.authorization()]
  return ok({ to: found.value.to, url, tls: tls.value, headers, token: token.value })
}

/** A URL without a port names that of its scheme. RFC 9110, section 4.2. */
function withPort(place: string, scheme: string | undefined): string {
  if (scheme === undefined || place === '' || /:\d+$/.test(place)) return place
  return `${place}:${scheme === 'https' ? 443 : 80}`
}

async function tlsOf(env: Env, settings: ClientSettings, host: string): Promise<Result<TlsOptions, string>> {
  const verify = settings.truth('HTTP_SSL_VERIFY')
  if (!verify.ok) return verify
  const trusted = await trustedOf(env, settings)
  if (!trusted.ok) return trusted
  const certificate = await pemOf(env, 'client-cert', settings.text('client-cert', 'CLIENT_CERT'))
  if (!certificate.ok) return certificate
  const key = await pemOf(env, 'client-key', settings.text('client-key', 'CLIENT_KEY'))
  if (!key.ok) return key
  if ((certificate.value === undefined) !== (key.value === undefined)) {
    return err('-client-cert and -client-key belong together: give both or neither')
  }
  const trust = verify.value === false ? 'anyone' : trusted.value.length === 0 ? 'system' : undefined
  return ok({
    trustedPems: trusted.value,
    serverName: settings.text('tls-server-name', 'TLS_SERVER_NAME') ?? host,
    ...(trust === undefined ? {} : { trust }),
    ...(certificate.value === undefined ? {} : { certificateChainPem: certificate.value }),
    ...(key.value === undefined ? {} : { privateKeyPem: key.value }),
  })
}

/** As in the field, a file of authorities takes precedence over a directory of them. */
async function trustedOf(env: Env, settings: ClientSettings): Promise<Result<readonly string[], string>> {
  const file = await pemOf(env, 'ca-file', settings.text('ca-file', 'CACERT'))
  if (!file.ok) return file
  if (file.value !== undefined) return ok([file.value])
  const directory = settings.text('ca-path', 'CAPATH')
  if (directory === undefined) return ok([])
  const names = await env.disk.list(directory)
  if (!names.ok) return err(`-ca-path ${directory} cannot be read: ${names.error.message}`)
  const pems: string[] = []
  for (const name of [...names.value].sort(compareText)) {
    const path = `${directory.replace(/\/$/, '')}/${name}`
    const bytes = await readWholeFile(env.disk, path)
    // As for ca_path of an agent: mounted directories hold links to others, and people put more beside certificates.
    if (!bytes.ok && bytes.error.kind === 'is-directory') continue
    if (!bytes.ok) return err(`-ca-path ${path} cannot be read: ${bytes.error.message}`)
    const pem = textOf(bytes.value)
    if (pem.includes(pemMark)) pems.push(pem)
  }
  return pems.length > 0 ? ok(pems) : err(`-ca-path ${directory} holds no certificate`)
}

/** What begins each part of a PEM file. */
const pemMark = '-----BEGIN '

async function pemOf(env: Env, flag: string, path: string | undefined): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined)
  const bytes = await readWholeFile(env.disk, path)
  if (!bytes.ok) return err(`-${flag} ${path} cannot be read: ${bytes.error.message}`)
  const pem = textOf(bytes.value)
  // Node treats a file without a certificate as an empty list, which trusts nothing, and reports no file name.
  return pem.includes(pemMark) ? ok(pem) : err(`-${flag} ${path} is not PEM`)
}

const lookupTimeoutMs = 10_000
/** Time limit for each address of a name that has several; the last one has no such limit. */
const tryTimeoutMs = 2_000

/** An agent whose host was given by name or address, and the authority that requests must name. */
interface FoundAgent {
  readonly to: Endpoint
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/**
 * Finds the address of the agent. A name is looked up once for a command; of several addresses the first that accepts a
 * connection is used, or else the last. The error is a clause.
 */
async function findAgent(env: Pick<Env, 'names' | 'tcp'>, named: Endpoint): Promise<Result<FoundAgent, string>> {
  const { host, port } = named
  if (host.startsWith('unix://') || isAddress(host.replace(/%.*$/, ''))) return ok({ to: named, headers: [] })
  const found = await env.names.lookup(host, lookupTimeoutMs)
  if (!found.ok) {
    const why = found.error.kind === 'not-found' ? 'no such host' : found.error.message
    return err(`dial tcp: lookup ${host}: ${why}`)
  }
  const address = await reachable(env, found.value, port)
  return ok({ to: { host: address, port }, headers: [['Host', endpointText(named)]] })
}

async function reachable(env: Pick<Env, 'tcp'>, addresses: readonly string[], port: number): Promise<string> {
  const last = addresses.at(-1) ?? ''
  for (const host of addresses) {
    if (host === last) break
    const dialled = await env.tcp.dial({ host, port }, { timeoutMs: tryTimeoutMs })
    if (!dialled.ok) continue
    dialled.value.onClose(() => undefined)
    dialled.value.close()
    return host
  }
  return last
}
