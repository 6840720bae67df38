import { invariant } from '../../src/base/invariant.ts'
import type { Json } from '../../src/base/json.ts'
import type { SigningKey } from '../../src/env/crypto.ts'
import type { Env } from '../../src/env/env.ts'
import { type Certificate, readCertificate, readCertificates } from '../../src/pki/certificate.ts'
import { serialBytes, writeCertificate } from '../../src/pki/certificate-writer.ts'
import { type Der, parsed, sequence, yes } from '../../src/pki/der.ts'
import * as extension from '../../src/pki/extensions.ts'
import { keyIdOf, serialHex } from '../../src/pki/key-id.ts'
import { nameOf } from '../../src/pki/name.ts'
import { type CertificateRequest, makeRequest, readRequest, requestPem } from '../../src/pki/request.ts'

/** The certificate and key that sign. */
export interface Authority {
  readonly key: SigningKey
  readonly certificate: Certificate
}

/** How far certificates are back-dated, unless a role says otherwise. */
const backMs = 30_000
export const authorityUses: readonly extension.KeyUsage[] = ['keyCertSign', 'cRLSign']

export function rootOf(
  env: Env,
  key: SigningKey,
  commonName: string,
  uris: readonly string[],
  ttl: number,
): Certificate {
  const subject = nameOf(commonName)
  const keyId = keyIdOf(env.crypto, key.publicKey)
  const extensions = [
    extension.keyUsage(authorityUses),
    extension.basicConstraints(true),
    extension.subjectKeyId(keyId),
    extension.authorityKeyId(keyId),
    ...(uris.length === 0 ? [] : [extension.subjectNames({ uris })]),
  ]
  return written(env, key, { subject, issuer: subject, publicKey: key.publicKey, extensions }, backMs, ttl)
}

export function requestFor(key: SigningKey, commonName: string, uris: readonly string[]): string {
  return requestPem(makeRequest(key, { commonName, uris }))
}

export function intermediateFor(
  env: Env,
  authority: Authority,
  csr: CertificateRequest,
  wish: {
    readonly commonName: string
    readonly ttl: number
    readonly pathLength: number | undefined
    readonly uses: readonly extension.KeyUsage[]
  },
): Certificate {
  const extensions = [
    extension.keyUsage(wish.uses),
    extension.basicConstraints(true, wish.pathLength),
    ...keyIds(env, authority, csr.publicKey),
    ...(csr.uris.length === 0 ? [] : [extension.subjectNames({ uris: csr.uris })]),
  ]
  const subject = nameOf(wish.commonName)
  const bearer = { subject, issuer: subjectOf(authority), publicKey: csr.publicKey, extensions }
  return written(env, authority.key, bearer, backMs, wish.ttl)
}

export interface LeafTerms {
  /** Empty: none. */
  readonly commonName: string
  /** Also becomes a DNS name; empty: none. */
  readonly named: string
  readonly ttl: number
  readonly backSeconds: number
  readonly uses: readonly extension.KeyUsage[]
}

export function leafFor(env: Env, authority: Authority, csr: CertificateRequest, terms: LeafTerms): Certificate {
  const dnsNames = terms.named === '' ? [] : [terms.named]
  const extensions = [
    extension.keyUsage(terms.uses),
    extension.extendedUses(['server', 'client']),
    ...keyIds(env, authority, csr.publicKey),
    ...(csr.uris.length + dnsNames.length === 0 ? [] : [names(csr.uris, dnsNames, terms.commonName === '')]),
  ]
  const subject = terms.commonName === '' ? sequence() : nameOf(terms.commonName)
  const bearer = { subject, issuer: subjectOf(authority), publicKey: csr.publicKey, extensions }
  return written(env, authority.key, bearer, terms.backSeconds * 1000, terms.ttl)
}

/** The extension is critical if the certificate has no other names. RFC 5280, section 4.2.1.6. */
function names(uris: readonly string[], dnsNames: readonly string[], isCritical: boolean): Der {
  const written = extension.subjectNames({ uris, dnsNames })
  const [id, value] = written.parts
  invariant(id !== undefined && value !== undefined, 'an extension has a name and a value')
  return isCritical ? sequence(id, yes, value) : written
}

/** Undefined between kinds of keys: the given certificate's algorithm is kept, and the key must fit it. */
export function crossed(env: Env, authority: Authority, given: Certificate): Certificate | undefined {
  if (authority.certificate.keyKind !== given.keyKind) return undefined
  const extensions = [
    extension.keyUsage(given.keyUsages ?? authorityUses),
    extension.basicConstraints(true, given.pathLength),
    extension.subjectKeyId(given.subjectKeyId ?? keyIdOf(env.crypto, given.publicKey)),
    extension.authorityKeyId(keyIdOfAuthority(env, authority)),
    ...(given.uris.length === 0 ? [] : [extension.subjectNames({ uris: given.uris })]),
  ]
  const { notBeforeMs, notAfterMs } = given
  const parts = { subject: parsed(given.subject), issuer: subjectOf(authority), publicKey: given.publicKey, extensions }
  const serial = serialBytes(given.serial)
  return asRead(writeCertificate({ ...parts, serial, notBeforeMs, notAfterMs }, authority.key))
}

/** The request, or what is wrong with it, in the recorded texts as far as they are the manager's own. */
export function readCsr(env: Env, given: Json | undefined): CertificateRequest | string {
  if (given === undefined || given === '') return '"csr" is empty'
  if (typeof given !== 'string' || !given.includes('-----BEGIN ')) return 'csr contains no data'
  const read = readRequest(given, env.crypto)
  if (read.ok) return read.value
  // A request that can be read if any signature is accepted was signed by another key.
  const isReadable = readRequest(given, { verify: () => true }).ok
  return isReadable ? 'request signature invalid' : 'certificate request could not be parsed: asn1: structure error'
}

export function readChain(text: string): readonly Certificate[] | undefined {
  const read = readCertificates(text)
  return read.ok ? read.value : undefined
}

/** Bytes separated by colons, as many as the number has. */
export function serialText(serial: bigint): string {
  return serialHex(serial)
}

/** PEM of a certificate authority that no verifier trusts. */
export async function unrelatedAuthority(env: Env): Promise<string> {
  const key = await env.crypto.generateKey('ec-256', 'issued')
  return rootOf(env, key, 'Somebody Else', [], 3_600).pem.trimEnd()
}

interface Bearer {
  readonly subject: Der
  readonly issuer: Der
  readonly publicKey: Uint8Array
  readonly extensions: readonly Der[]
}

function written(env: Env, signer: SigningKey, bearer: Bearer, back: number, ttl: number): Certificate {
  const nowMs = env.clock.wallMs()
  const serial = env.crypto.randomBytes(20, 'serial', bearer.publicKey)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const times = { notBeforeMs: nowMs - back, notAfterMs: nowMs + ttl * 1000 }
  return asRead(writeCertificate({ ...bearer, ...times, serial }, signer))
}

function asRead(der: Uint8Array): Certificate {
  const read = readCertificate(der)
  invariant(read.ok, 'what was written here can be read')
  return read.value
}

function subjectOf({ certificate }: Authority): Der {
  return parsed(certificate.subject)
}

function keyIds(env: Env, authority: Authority, publicKey: Uint8Array): readonly Der[] {
  return [
    extension.subjectKeyId(keyIdOf(env.crypto, publicKey)),
    extension.authorityKeyId(keyIdOfAuthority(env, authority)),
  ]
}

function keyIdOfAuthority(env: Env, { certificate }: Authority): Uint8Array {
  return certificate.subjectKeyId ?? keyIdOf(env.crypto, certificate.publicKey)
}
