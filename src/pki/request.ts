import { err, ok, type Result } from '../base/result.ts'
import type { Crypto, SigningKey } from '../env/crypto.ts'
import { signatureAlgorithm, wholeBytes } from './certificate.ts'
import { signed } from './certificate-writer.ts'
import { around, type Der, encoded, integer, objectId, parsed, readDer, sequence, setOf, tags } from './der.ts'
import { DerReader } from './der-reader.ts'
import { readExtensions } from './extension-reader.ts'
import * as extension from './extensions.ts'
import { commonNameIn, nameOf } from './name.ts'
import { ids } from './object-ids.ts'
import { pem, pemBlocks } from './pem.ts'
import { type PublicKeyKind, publicKeyFacts } from './public-key.ts'

/** A request for a certificate, whose signature by its own key has been verified. RFC 2986. */
export interface CertificateRequest {
  readonly der: Uint8Array
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  readonly keyKind: Exclude<PublicKeyKind, 'unknown'>
  readonly keyBits: number
  /** A name in DER. */
  readonly subject: Uint8Array
  readonly commonName: string
  readonly uris: readonly string[]
  /** Whether the request asks for an authority's certificate. */
  readonly wantsAuthority: boolean
}

/** Longer requests are refused unread. */
export const requestBytesMax = 16 * 1024
const attributesMax = 16

/** Returns the parsed CSR, from DER or from the single block of a PEM text, or why the input is not one. */
export function readRequest(
  given: Uint8Array | string,
  crypto: Pick<Crypto, 'verify'>,
): Result<CertificateRequest, string> {
  const der = typeof given === 'string' ? requestIn(given) : ok(given)
  if (!der.ok) return der
  const whole = readDer(der.value, requestBytesMax)
  if (!whole.ok) return err(`the certificate request cannot be read: ${whole.error}`)
  const read = new DerReader()
  const { request, algorithm, signedBytes, signature } = fieldsOf(read, whole.value, der.value)
  if (read.problem !== undefined) return err(`the certificate request cannot be read: ${read.problem}`)
  const { keyKind } = request
  if (keyKind === 'unknown') {
    return err(
      'the key of the certificate request is not ECDSA (P-256, P-384, P-521), RSA (2048 to 8192 bits) or Ed25519',
    )
  }
  if (algorithm === undefined) return err('the signature algorithm of the certificate request is not supported')
  if (!crypto.verify(request.publicKey, algorithm, signedBytes, signature)) {
    return err('the certificate request is not signed with its own key')
  }
  return ok({ ...request, keyKind })
}

function requestIn(text: string): Result<Uint8Array, string> {
  const blocks = pemBlocks(text)
  if (!blocks.ok) return blocks
  const [first, second] = blocks.value
  if (first === undefined) return err('the PEM text contains no certificate request')
  if (second !== undefined) {
    return err('the PEM text contains more than one block, but only one certificate request is allowed')
  }
  const isRequest = first.label === 'CERTIFICATE REQUEST' || first.label === 'NEW CERTIFICATE REQUEST'
  return isRequest
    ? ok(first.der)
    : err(`the PEM text contains a block of type ${first.label} instead of a certificate request`)
}

function fieldsOf(read: DerReader, whole: Der, der: Uint8Array) {
  const [content, outer, signature, more] = read.parts(whole, tags.sequence, 'outer sequence')
  if (more !== undefined) read.fail('there is data after its signature')
  const [version, subject, publicKey, attributes, rest] = read.parts(content, tags.sequence, 'content')
  if (read.unsigned(version, 'version', 1) !== 0n) read.fail('its version is not 1')
  if (rest !== undefined) read.fail('there is data after its attributes')
  const facts = publicKeyFacts(read, publicKey)
  const { uris, authority } = readExtensions(read, extensionsIn(read, attributes))
  const request = {
    der,
    publicKey: publicKey === undefined ? new Uint8Array(0) : encoded(publicKey),
    ...facts,
    subject: subject === undefined ? new Uint8Array(0) : encoded(subject),
    commonName: commonNameIn(read, subject, 'subject'),
    uris,
    wantsAuthority: authority,
  }
  const algorithm = signatureAlgorithm(read, outer)
  const signedBytes = content === undefined ? new Uint8Array(0) : encoded(content)
  return { request, algorithm, signedBytes, signature: wholeBytes(read, signature) }
}

/** The one attribute that counts. Some writers leave out an empty list. */
function extensionsIn(read: DerReader, attributes: Der | undefined): readonly Der[] {
  if (attributes === undefined) return []
  const list = read.parts(attributes, 0xa0, 'attributes')
  if (list.length > attributesMax) read.fail(`it has more than ${attributesMax} attributes`)
  let found: readonly Der[] | undefined
  for (const attribute of list.slice(0, attributesMax)) {
    const [id, values, more] = read.parts(attribute, tags.sequence, 'attribute')
    const [value, second] = read.parts(values, tags.setOf, 'attribute')
    if (read.objectId(id, 'attribute') !== ids.extensionRequest) continue
    if (found !== undefined || second !== undefined || more !== undefined) {
      read.fail('it has more than one list of requested extensions')
    }
    found = read.parts(value, tags.sequence, 'extensions')
  }
  return found ?? []
}

export interface RequestWishes {
  readonly commonName: string
  readonly uris: readonly string[]
  /** Whether to ask for an authority's certificate. */
  readonly authority?: boolean
}

/** A certificate request (CSR) for this key, in DER. */
export function makeRequest(key: SigningKey, wishes: RequestWishes): Uint8Array {
  const { commonName, uris, authority = false } = wishes
  const wanted: Der[] = []
  if (uris.length > 0) wanted.push(extension.subjectNames({ uris }))
  if (authority) wanted.push(extension.basicConstraints(true), extension.keyUsage(extension.usesOfAuthority))
  const attribute = sequence(objectId(ids.extensionRequest), setOf(sequence(...wanted)))
  const attributes = around(0, ...(wanted.length === 0 ? [] : [attribute]))
  return signed(sequence(integer(Uint8Array.of(0)), nameOf(commonName), parsed(key.publicKey), attributes), key)
}

export function requestPem(request: Uint8Array): string {
  return pem('CERTIFICATE REQUEST', request)
}
