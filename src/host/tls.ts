import { constants, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type TlsOptions as NodeTlsOptions,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls'
import { altNamesIn } from '../base/alt-names.ts'
import { equalPlain } from '../base/shape.ts'
import type { Endpoint, PeerCertificate, TlsOptions } from '../env/net.ts'
import { systemAuthorities } from './system-authorities.ts'
import { messageOf } from './system-error.ts'

/** A dialler that does not finish its handshake within this time is dropped. */
export const handshakeTimeoutMs = 10_000

/** Why OpenSSL cannot use these options, or would use only a part of them. */
export function tlsProblem(tls: TlsOptions): string | undefined {
  try {
    createSecureContext(contextOptions(tls))
  } catch (cause) {
    return messageOf(cause)
  }
  return tls.trustedPems.every(isReadable)
    ? undefined
    : 'a trusted certificate is damaged or cut off, or does not begin a line'
}

/**
 * OpenSSL skips certificate authorities that it cannot read, and then trusts fewer, or none. It does not see one that
 * begins within a line, such as an indented one.
 */
function isReadable(pem: string): boolean {
  const blocks = pem.match(/^\ufeff?-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/gm) ?? []
  if (blocks.length !== pem.split('-----BEGIN CERTIFICATE-----').length - 1) return false
  try {
    for (const block of blocks) new X509Certificate(block)
    return true
  } catch {
    // The reason depends on the version of OpenSSL.
    return false
  }
}

/**
 * The identity that the peer proved, if its certificate was verified. `getPeerX509Certificate` must not be used: it
 * removes the following certificates from OpenSSL's own list, which other code also uses, and the process crashes by a
 * bad pointer or leaks.
 */
export function provenPeer(socket: TLSSocket): PeerCertificate | undefined {
  return socket.authorized ? altNamesIn(socket.getPeerCertificate().subjectaltname) : undefined
}

/**
 * A peer that must present a certificate presents it at each connection. A resumed session does not: OpenSSL relies on
 * the earlier handshake, and a certificate that has expired since, or whose root is no longer trusted, would still
 * admit the holder of the session. Without tickets the session would have to be kept here, and Node keeps none.
 */
export function contextOptions(tls: TlsOptions): SecureContextOptions {
  return {
    ...versionsAndSuites(tls),
    // An empty list trusts nothing.
    ca: [...tls.trustedPems],
    ...(tls.requirePeerCertificate === true ? { secureOptions: constants.SSL_OP_NO_TICKET } : {}),
    ...(tls.certificateChainPem === undefined ? {} : { cert: tls.certificateChainPem }),
    ...(tls.privateKeyPem === undefined ? {} : { key: tls.privateKeyPem }),
  }
}

const versions = { tls10: 'TLSv1', tls11: 'TLSv1.1', tls12: 'TLSv1.2' } as const

/** OpenSSL considers versions older than 1.2 below its first security level, and speaks them only at level 0. */
function versionsAndSuites({ minVersion = 'tls12', cipherSuites, preferOwnOrder }: TlsOptions): SecureContextOptions {
  const named = cipherSuites ?? (minVersion === 'tls12' ? undefined : ['DEFAULT'])
  const suites = minVersion === 'tls12' ? named : [...(named ?? []), '@SECLEVEL=0']
  return {
    minVersion: versions[minVersion],
    ...(suites === undefined ? {} : { ciphers: suites.join(':') }),
    ...(preferOwnOrder === undefined ? {} : { honorCipherOrder: preferOwnOrder }),
  }
}

export function listenerTls(tls: TlsOptions): NodeTlsOptions {
  return { ...contextOptions(tls), ...askedOfDiallers(tls), handshakeTimeout: handshakeTimeoutMs }
}

export function askedOfDiallers(tls: TlsOptions): Pick<NodeTlsOptions, 'requestCert' | 'rejectUnauthorized'> {
  const required = tls.requirePeerCertificate === true
  return { requestCert: required, rejectUnauthorized: required }
}

/**
 * A context that OpenSSL makes from certificates and keys takes tens of kilobytes and a millisecond. Connections with
 * the same options object share it, for as long as the options are in use.
 */
const contexts = new WeakMap<TlsOptions, SecureContext>()

/**
 * Contexts with the machine's authorities, which are many: one takes some 30 ms to make. The last ones are kept by their
 * content, because each run of a check has options of its own.
 */
const withSystem: { readonly own: object; readonly context: SecureContext }[] = []
const withSystemMax = 8

function contextWithSystem({ serverName: _name, anyName: _any, ...own }: TlsOptions): SecureContext {
  const kept = withSystem.find((each) => equalPlain(each.own, own))
  if (kept !== undefined) return kept.context
  const context = createSecureContext({ ...contextOptions(own), ca: [...own.trustedPems, ...systemAuthorities()] })
  withSystem.unshift({ own, context })
  withSystem.splice(withSystemMax)
  return context
}

function contextOf(tls: TlsOptions): SecureContext {
  if (tls.trust === 'system') return contextWithSystem(tls)
  const kept = contexts.get(tls)
  if (kept !== undefined) return kept
  const made = createSecureContext(contextOptions(tls))
  contexts.set(tls, made)
  return made
}

/**
 * When a handshake ends, Node makes objects of the whole chain to check names, which takes longer than the handshake.
 * The names are in the first certificate, and the chain is verified by then.
 */
export function withoutChain(socket: TLSSocket): TLSSocket {
  const ofPeer = socket.getPeerCertificate.bind(socket)
  return Object.assign(socket, { getPeerCertificate: () => ofPeer() })
}

/** Without a name, the certificate must carry the address that is dialled. */
export function diallerTls(tls: TlsOptions, to: Endpoint): ConnectionOptions {
  const name = tls.serverName ?? to.host
  return {
    // Kept HTTP connections are distinguished by these options, not by the context made from them.
    ...contextOptions(tls),
    secureContext: contextOf(tls),
    rejectUnauthorized: tls.trust !== 'anyone',
    checkServerIdentity: (_host, certificate) =>
      tls.anyName === true ? undefined : checkServerIdentity(name, certificate),
    // An address is never sent as the server name. RFC 6066, section 3.
    ...(isIP(name) === 0 ? { servername: name } : {}),
  }
}
