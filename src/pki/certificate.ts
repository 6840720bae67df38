import { err, ok, type Result } from '../base/result.ts'
import { namesOf } from '../base/shape.ts'
import type { SignatureAlgorithm } from '../env/crypto.ts'
import { type Der, derText, encoded, readDer, tags } from './der.ts'
import { DerReader } from './der-reader.ts'
import { type ExtensionFacts, readExtensions } from './extension-reader.ts'
import { commonNameIn } from './name.ts'
import { hasNullParameters, signatureIds } from './object-ids.ts'
import { certificatePem, pemBlocks } from './pem.ts'
import { type PublicKeyKind, publicKeyFacts } from './public-key.ts'

/** A parsed X.509 certificate. RFC 5280. */
export interface Certificate extends ExtensionFacts {
  readonly der: Uint8Array
  readonly pem: string
  readonly serial: bigint
  /** Names in DER; two names are equal if their bytes are. */
  readonly subject: Uint8Array
  readonly issuer: Uint8Array
  /** The common name of the subject; empty if it has none. */
  readonly commonName: string
  readonly notBeforeMs: number
  /** The last second of validity; the certificate is valid through that second. */
  readonly notAfterMs: number
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  readonly keyKind: PublicKeyKind
  readonly keyBits: number
  /** Undefined: the algorithm is not supported. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined
  /** The signed bytes, including the algorithm. */
  readonly signedBytes: Uint8Array
  readonly signature: Uint8Array
}

/**
 * Longer certificates are refused unread: those of a mesh have less than one thousand bytes, with long keys two
 * thousand.
 */
export const certificateBytesMax = 16 * 1024
const serialBytesMax = 20

/** Returns the parsed certificate, or why the bytes are not one. */
export function readCertificate(der: Uint8Array): Result<Certificate, string> {
  const whole = readDer(der, certificateBytesMax)
  if (!whole.ok) return err(`the certificate cannot be read: ${whole.error}`)
  const read = new DerReader()
  const certificate = fieldsOf(read, whole.value, der)
  return read.problem === undefined ? ok(certificate) : err(`the certificate cannot be read: ${read.problem}`)
}

/** All certificates that a PEM text holds, in order: at least one, and nothing else. */
export function readCertificates(text: string): Result<readonly Certificate[], string> {
  const blocks = pemBlocks(text)
  if (!blocks.ok) return blocks
  const certificates: Certificate[] = []
  for (const { label, der } of blocks.value) {
    if (label !== 'CERTIFICATE') {
      return err(`the PEM text contains a block of type ${label}, but only certificates are allowed`)
    }
    const certificate = readCertificate(der)
    if (!certificate.ok) return certificate
    certificates.push(certificate.value)
  }
  return certificates.length === 0 ? err('the PEM text contains no certificate') : ok(certificates)
}

function fieldsOf(read: DerReader, whole: Der, der: Uint8Array): Certificate {
  const [content, outer, signature, more] = read.parts(whole, tags.sequence, 'outer sequence')
  if (more !== undefined) read.fail('there is data after its signature')
  const fields = read.parts(content, tags.sequence, 'content')
  // The oldest certificates, which have no extensions, leave the version out.
  const version = fields[0]?.tag === 0xa0 ? versionOf(read, fields[0]) : 1
  const [serial, inner, issuer, validity, subject, publicKey, ...rest] = version === 1 ? fields : fields.slice(1)
  const [notBefore, notAfter] = read.parts(validity, tags.sequence, 'validity')
  commonNameIn(read, issuer, 'issuer')
  const facts = publicKeyFacts(read, publicKey)
  const algorithm = signatureAlgorithm(read, outer)
  if (inner === undefined || outer === undefined || derText(inner) !== derText(outer)) {
    read.fail('its two fields for the algorithm of its signature differ')
  }
  return {
    der,
    pem: certificatePem(der),
    serial: read.unsigned(serial, 'serial number', serialBytesMax),
    subject: bytesOfPart(subject),
    issuer: bytesOfPart(issuer),
    commonName: commonNameIn(read, subject, 'subject'),
    notBeforeMs: read.timeMs(notBefore, 'not before'),
    notAfterMs: read.timeMs(notAfter, 'not after'),
    publicKey: bytesOfPart(publicKey),
    ...facts,
    signatureAlgorithm: algorithm,
    signedBytes: bytesOfPart(content),
    signature: wholeBytes(read, signature),
    ...readExtensions(read, extensionsIn(read, version, rest)),
  }
}

function bytesOfPart(part: Der | undefined): Uint8Array {
  return part === undefined ? new Uint8Array(0) : encoded(part)
}

function versionOf(read: DerReader, around: Der): number {
  const [number] = around.parts
  const version = Number(read.unsigned(number, 'version', 1)) + 1
  if ((version !== 2 && version !== 3) || around.parts.length !== 1) read.fail('its version is not 1, 2 or 3')
  return version
}

/** After the key come two obsolete identifiers, and the extensions. */
function extensionsIn(read: DerReader, version: number, rest: readonly Der[]): readonly Der[] {
  const left = rest.filter(({ tag }) => tag !== 0x81 && tag !== 0x82)
  const [extensions] = left
  if (extensions === undefined) return []
  if (left.length > 1 || rest.length > 3 || rest.at(-1) !== extensions) read.fail('there is data after its extensions')
  if (version !== 3) read.fail('it has extensions, which only version 3 allows')
  const [list, more] = read.parts(extensions, 0xa3, 'extensions')
  if (more !== undefined) read.fail('there is data after its extensions')
  return read.parts(list, tags.sequence, 'extensions')
}

const algorithms = namesOf(signatureIds)

/** Undefined if the algorithm is not supported. */
export function signatureAlgorithm(read: DerReader, value: Der | undefined): SignatureAlgorithm | undefined {
  const [id, parameters, more] = read.parts(value, tags.sequence, 'signature algorithm')
  const dotted = read.objectId(id, 'signature algorithm')
  const found = algorithms.find((each) => signatureIds[each] === dotted)
  if (found === undefined) return undefined
  const isNull = parameters?.tag === tags.asn1Null && parameters.content === ''
  if (more !== undefined || (parameters !== undefined) !== hasNullParameters(found) || (parameters && !isNull)) {
    read.fail('the parameters of its signature algorithm are missing or not allowed')
  }
  return found
}

export function wholeBytes(read: DerReader, value: Der | undefined): Uint8Array {
  const { bytes, unused } = read.bits(value, 'signature')
  if (unused !== 0) read.fail('the length of its signature is not a whole number of bytes')
  return bytes
}
