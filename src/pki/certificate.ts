import { base64, concatBytes, equalBytes, fromBase64, utf8 } from '../base/bytes.ts'
import { utcText } from '../base/utc-text.ts'
import type { Crypto, SignatureAlgorithm, SigningKey } from '../env/crypto.ts'
import {
  bits,
  type DerValue,
  integer,
  objectId,
  octets,
  readDer,
  sequence,
  setOf,
  tagged,
  time,
  utf8Text,
  yes,
} from './der.ts'

/** What a certificate says. RFC 5280, section 4. */
export interface CertificateContent {
  readonly commonName: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** An authority: it may sign, below itself only certificates of no authorities. */
  readonly authority: boolean
  /** Of an authority: names in these domains alone may be signed. None: any. */
  readonly permittedDomains?: readonly string[]
  readonly dnsNames?: readonly string[]
  /** 4 or 16 bytes each. */
  readonly addresses?: readonly Uint8Array[]
  readonly uses?: readonly ('server' | 'client')[]
}

/** Who signs: a key with the certificate that it belongs to, as DER. */
export interface Issuer {
  readonly key: SigningKey
  readonly certificate: Uint8Array
}

/** What of an authority goes into what it signs; undefined: this is no certificate. */
interface IssuerNames {
  readonly subject: Uint8Array
  /** How it names its key, if it does: whoever verifies may compare that. */
  readonly keyId: Uint8Array | undefined
}

type Hashing = Pick<Crypto, 'sha256' | 'randomBytes'>

/** Signs a certificate for this public key, and gives it in DER; undefined where the issuer's is none. `issuer` undefined: by itself. */
export function signCertificate(
  crypto: Hashing,
  content: CertificateContent,
  key: SigningKey,
  issuer: Issuer | undefined,
): Uint8Array | undefined {
  const signer = issuer?.key ?? key
  const own = { subject: nameOf(content.commonName), keyId: crypto.sha256(key.publicKey).subarray(0, 20) }
  const by = issuer === undefined ? own : issuerNames(issuer.certificate)
  if (by === undefined) return undefined
  const algorithm = sequence(...algorithmOf(signer.algorithm))
  const toSign = sequence(
    tagged(0, integer(Uint8Array.of(2)), true),
    integer(serialOf(crypto)),
    algorithm,
    by.subject,
    sequence(time(utcText(content.notBeforeMs)), time(utcText(content.notAfterMs))),
    own.subject,
    key.publicKey,
    tagged(3, sequence(...extensionsOf(content, own.keyId, by.keyId)), true),
  )
  return sequence(toSign, algorithm, bits(signer.sign(toSign)))
}

/** Unguessable and positive, in 16 bytes. */
function serialOf(crypto: Hashing): Uint8Array {
  const serial = crypto.randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial
}

function nameOf(commonName: string): Uint8Array {
  return sequence(setOf(sequence(objectId('2.5.4.3'), utf8Text(commonName))))
}

const asn1Null = Uint8Array.of(0x05, 0x00)

function algorithmOf(algorithm: SignatureAlgorithm): readonly Uint8Array[] {
  switch (algorithm) {
    case 'ecdsa-sha256':
      return [objectId('1.2.840.10045.4.3.2')]
    case 'ecdsa-sha384':
      return [objectId('1.2.840.10045.4.3.3')]
    case 'ecdsa-sha512':
      return [objectId('1.2.840.10045.4.3.4')]
    case 'rsa-sha256':
      return [objectId('1.2.840.113549.1.1.11'), asn1Null]
    case 'rsa-sha384':
      return [objectId('1.2.840.113549.1.1.12'), asn1Null]
    case 'rsa-sha512':
      return [objectId('1.2.840.113549.1.1.13'), asn1Null]
    case 'ed25519':
      return [objectId('1.3.101.112')]
  }
}

const critical = true
const subjectKeyId = '2.5.29.14'
const basicConstraints = '2.5.29.19'
const authorityKeyId = '2.5.29.35'

function extensionsOf(
  content: CertificateContent,
  ownKeyId: Uint8Array,
  issuerKeyId: Uint8Array | undefined,
): readonly Uint8Array[] {
  const { authority, permittedDomains = [], dnsNames = [], addresses = [], uses = [] } = content
  const extensions = [
    // Digital signature; of an authority, those under certificates and revocations too.
    extension('2.5.29.15', bits(Uint8Array.of(authority ? 0x86 : 0x80), authority ? 1 : 7), critical),
    extension(basicConstraints, authority ? sequence(yes, integer(Uint8Array.of(0))) : sequence(), critical),
    extension(subjectKeyId, octets(ownKeyId)),
  ]
  if (issuerKeyId !== undefined) extensions.push(extension(authorityKeyId, sequence(tagged(0, issuerKeyId, false))))
  if (uses.length > 0) {
    const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const
    extensions.push(extension('2.5.29.37', sequence(...uses.map((use) => objectId(purposes[use])))))
  }
  const names = [...dnsNames.map(dnsName), ...addresses.map((address) => tagged(7, address, false))]
  if (names.length > 0) extensions.push(extension('2.5.29.17', sequence(...names)))
  if (permittedDomains.length > 0) {
    const permitted = permittedDomains.map((domain) => sequence(dnsName(domain)))
    extensions.push(extension('2.5.29.30', sequence(tagged(0, concatBytes(permitted), true)), critical))
  }
  return extensions
}

function dnsName(name: string): Uint8Array {
  return tagged(2, utf8(name), false)
}

function extension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  return sequence(objectId(id), ...(isCritical ? [yes] : []), octets(value))
}

/** It holds version, serial number, algorithm, issuer, validity, subject, key: the version is left out of the oldest. */
function issuerNames(certificate: Uint8Array): IssuerNames | undefined {
  const fields = signedFields(certificate)
  const first = fields[0]?.tag === 0xa0 ? 1 : 0
  const subject = fields[first + 4]
  if (subject === undefined || fields[first + 5] === undefined) return undefined
  const [keyId] = extensionIn(certificate, fields, subjectKeyId) ?? []
  return {
    subject: certificate.subarray(subject.at, subject.to),
    keyId: keyId === undefined ? undefined : certificate.subarray(keyId.from, keyId.to),
  }
}

/** None, where these bytes are no certificate. */
function signedFields(certificate: Uint8Array): readonly DerValue[] {
  const [whole] = readDer(certificate) ?? []
  const [toSign] = (whole === undefined ? undefined : readDer(certificate, whole.from, whole.to)) ?? []
  return (toSign === undefined ? undefined : readDer(certificate, toSign.from, toSign.to)) ?? []
}

/** Whether a certificate in DER may stand under others. RFC 5280, section 4.2.1.9. */
export function isAuthority(certificate: Uint8Array): boolean {
  const [constraints] = extensionIn(certificate, signedFields(certificate), basicConstraints) ?? []
  const [first] = (constraints === undefined ? undefined : readDer(certificate, constraints.from, constraints.to)) ?? []
  return first?.tag === 0x01 && certificate[first.from] !== 0
}

/** What an extension says. In the fields is a list of them: an object ID, perhaps whether it is critical, its value as octets. */
function extensionIn(bytes: Uint8Array, fields: readonly DerValue[], name: string): readonly DerValue[] | undefined {
  const within = ({ from, to }: DerValue): readonly DerValue[] => readDer(bytes, from, to) ?? []
  const wanted = objectId(name)
  const extensions = fields.filter(({ tag }) => tag === 0xa3)
  for (const each of extensions.flatMap(within).flatMap(within)) {
    const [id, ...rest] = within(each)
    const value = rest.at(-1)
    if (id === undefined || value === undefined || !equalBytes(bytes.subarray(id.at, id.to), wanted)) continue
    return within(value)
  }
  return undefined
}

/** RFC 7468. */
export function certificatePem(certificate: Uint8Array): string {
  const lines = base64(certificate).match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** The first certificate that a PEM text holds, in DER. */
export function certificateIn(pem: string): Uint8Array | undefined {
  const found = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/.exec(pem)
  return found === null ? undefined : fromBase64((found[1] ?? '').replace(/\s/g, ''))
}
