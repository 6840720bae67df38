import { concatBytes } from '../../../src/base/bytes.ts'
import type { EcKind } from '../../../src/env/crypto.ts'
import {
  around,
  asn1Null,
  bits,
  type Der,
  encoded,
  integer,
  objectId,
  octets,
  octetsOf,
  readDer,
  sequence,
  tags,
} from '../../../src/pki/der.ts'
import { DerReader } from '../../../src/pki/der-reader.ts'
import { curveIds, ids } from '../../../src/pki/object-ids.ts'
import { pem } from '../../../src/pki/pem.ts'
import { ecKinds, type RsaAlgorithm, type RsaNumbers } from './algorithms.ts'
import { digestOf } from './hashes.ts'

/** Private and public keys to and from the bytes that OpenSSL writes, so that both platforms have the same texts. */

const keyBytesMax = 8 * 1024
const numberBytesMax = 1024
const zero = integer(Uint8Array.of(0))
const one = integer(Uint8Array.of(1))

/** A private key as its file names it. */
export type PrivateKeyForm =
  | { readonly kind: 'ec'; readonly curve: EcKind; readonly secret: Uint8Array }
  | { readonly kind: 'rsa'; readonly numbers: RsaNumbers; readonly inner: Uint8Array }
  | { readonly kind: 'ed25519'; readonly secret: Uint8Array }

export type PublicKeyForm =
  | { readonly kind: 'ec'; readonly curve: EcKind; readonly point: Uint8Array }
  | { readonly kind: 'rsa'; readonly modulus: bigint; readonly publicExponent: bigint }
  | { readonly kind: 'ed25519'; readonly point: Uint8Array }

const ecAlgorithm = (curve: EcKind): Der => sequence(objectId(ids.ecPublicKey), objectId(curveIds[curve]))
const rsaAlgorithm = sequence(objectId(ids.rsa), asn1Null)
const ed25519Algorithm = sequence(objectId(ids.ed25519))

/** PKCS#8 (RFC 5208) of a key of a curve, with its point (RFC 5915). */
export function ecPrivatePem(curve: EcKind, secret: Uint8Array, point: Uint8Array): string {
  const key = sequence(one, octets(secret), around(1, bits(point)))
  return pem('PRIVATE KEY', encoded(sequence(zero, ecAlgorithm(curve), octetsOf(key))))
}

export function ecPublicKey(curve: EcKind, point: Uint8Array): Uint8Array {
  return encoded(sequence(ecAlgorithm(curve), bits(point)))
}

/** RFC 8410, section 7. */
export function ed25519PrivatePem(secret: Uint8Array): string {
  return pem('PRIVATE KEY', encoded(sequence(zero, ed25519Algorithm, octetsOf(octets(secret)))))
}

export function ed25519PublicKey(point: Uint8Array): Uint8Array {
  return encoded(sequence(ed25519Algorithm, bits(point)))
}

/** `inner`: the key as its own standard has it. RFC 8017, appendix A.1.2. */
export function rsaPrivatePem(inner: Uint8Array): string {
  return pem('PRIVATE KEY', encoded(sequence(zero, rsaAlgorithm, octets(inner))))
}

export function rsaPublicKey({ modulus, publicExponent }: RsaNumbers): Uint8Array {
  const key = sequence(integer(bytesOfNumber(modulus)), integer(bytesOfNumber(publicExponent)))
  return encoded(sequence(rsaAlgorithm, bits(encoded(key))))
}

/** What PKCS #1 v1.5 signs: the digest of the bytes, with the name of its algorithm. */
export function digestInfo(algorithm: RsaAlgorithm, bytes: Uint8Array): Uint8Array {
  const { id, digest } = digestOf[algorithm]
  return encoded(sequence(sequence(objectId(id), asn1Null), octets(digest(bytes))))
}

/** Undefined: the bytes are no private key of a supported kind. `label`: that of the PEM block. */
export function readPrivateForm(label: string, der: Uint8Array): PrivateKeyForm | undefined {
  if (label === 'EC PRIVATE KEY') return ecForm(der, undefined)
  if (label === 'RSA PRIVATE KEY') return rsaForm(der)
  if (label !== 'PRIVATE KEY') return undefined
  const read = new DerReader()
  const [, algorithm, key] = partsOf(read, der)
  const [id, curve] = read.parts(algorithm, tags.sequence, 'algorithm')
  const kind = read.objectId(id, 'algorithm')
  const inner = read.bytes(key, tags.octets, 'key')
  if (read.problem !== undefined) return undefined
  if (kind === ids.rsa) return rsaForm(inner)
  if (kind === ids.ecPublicKey) return ecForm(inner, curve)
  return kind === ids.ed25519 ? ed25519Form(inner) : undefined
}

function ed25519Form(inner: Uint8Array): PrivateKeyForm | undefined {
  const read = new DerReader()
  const whole = readDer(inner, keyBytesMax)
  const secret = read.bytes(whole.ok ? whole.value : undefined, tags.octets, 'key')
  return read.problem === undefined && secret.length === 32 ? { kind: 'ed25519', secret } : undefined
}

function ecForm(der: Uint8Array, outerCurve: Der | undefined): PrivateKeyForm | undefined {
  const read = new DerReader()
  const [, secret, ...rest] = partsOf(read, der)
  const named = outerCurve ?? rest.find(({ tag }) => tag === 0xa0)?.parts[0]
  const curve = curveOf(read, named)
  const bytes = read.bytes(secret, tags.octets, 'key')
  return read.problem !== undefined || curve === undefined ? undefined : { kind: 'ec', curve, secret: bytes }
}

function rsaForm(inner: Uint8Array): PrivateKeyForm | undefined {
  const read = new DerReader()
  const numbers = partsOf(read, inner)
    .slice(1)
    .map((part) => read.unsigned(part, 'number', numberBytesMax))
  const [modulus, publicExponent, , prime1, prime2, exponent1, exponent2, coefficient] = numbers
  if (read.problem !== undefined || modulus === undefined || publicExponent === undefined) return undefined
  if (prime1 === undefined || prime2 === undefined || exponent1 === undefined) return undefined
  if (exponent2 === undefined || coefficient === undefined) return undefined
  const bitsOf = modulus.toString(2).length
  if (bitsOf < rsaBitsMin || bitsOf > rsaBitsMax) return undefined
  return {
    kind: 'rsa',
    inner,
    numbers: { modulus, publicExponent, prime1, prime2, exponent1, exponent2, coefficient },
  }
}

/** Limits for RSA, the same as with Node. */
const rsaBitsMin = 2048
const rsaBitsMax = 8192

/** Undefined: the bytes are no SubjectPublicKeyInfo of a supported kind. */
export function readPublicForm(publicKey: Uint8Array): PublicKeyForm | undefined {
  const read = new DerReader()
  const [algorithm, key] = partsOf(read, publicKey)
  const [id, curveId] = read.parts(algorithm, tags.sequence, 'algorithm')
  const kind = read.objectId(id, 'algorithm')
  const { bytes: point } = read.bits(key, 'key')
  if (read.problem !== undefined) return undefined
  if (kind === ids.ed25519) return { kind: 'ed25519', point }
  if (kind === ids.rsa) return rsaPublicForm(point)
  const curve = kind === ids.ecPublicKey ? curveOf(read, curveId) : undefined
  return curve === undefined ? undefined : { kind: 'ec', curve, point }
}

function rsaPublicForm(der: Uint8Array): PublicKeyForm | undefined {
  const read = new DerReader()
  const [n, e] = partsOf(read, der)
  const modulus = read.unsigned(n, 'modulus', numberBytesMax)
  const publicExponent = read.unsigned(e, 'exponent', numberBytesMax)
  return read.problem === undefined ? { kind: 'rsa', modulus, publicExponent } : undefined
}

function partsOf(read: DerReader, der: Uint8Array): readonly Der[] {
  const whole = readDer(der, keyBytesMax)
  return read.parts(whole.ok ? whole.value : undefined, tags.sequence, 'whole')
}

function curveOf(read: DerReader, named: Der | undefined): EcKind | undefined {
  const id = read.objectId(named, 'curve')
  return ecKinds.find((each) => curveIds[each] === id)
}

function bytesOfNumber(number: bigint): Uint8Array {
  const digits = number.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return concatBytes((even.match(/../g) ?? []).map((pair) => Uint8Array.of(Number.parseInt(pair, 16))))
}
