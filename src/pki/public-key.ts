import { bytesOf } from '../base/bytes.ts'
import type { EcKind } from '../env/crypto.ts'
import { type Der, readDer, tags } from './der.ts'
import { DerReader } from './der-reader.ts'
import { curveIds, ids } from './object-ids.ts'

/** `unknown`: a kind that is not supported, or a key too weak or too long: no signature by it is verified. */
export type PublicKeyKind = 'ec' | 'rsa' | 'ed25519' | 'unknown'

export interface PublicKeyFacts {
  readonly keyKind: PublicKeyKind
  /** Size of the curve or of the modulus, in bits. */
  readonly keyBits: number
}

const unknown: PublicKeyFacts = { keyKind: 'unknown', keyBits: 0 }
const ecKinds = ['ec-256', 'ec-384', 'ec-521'] as const
const ecBits: Readonly<Record<EcKind, number>> = { 'ec-256': 256, 'ec-384': 384, 'ec-521': 521 }
/** Limits for RSA. Verifying takes longer with more bits. */
const rsaBitsMin = 2048
const rsaBitsMax = 8192
/** Maximum number of bytes of the public exponent; nearly all keys have 65537. */
const exponentBytesMax = 8

/**
 * The facts of a SubjectPublicKeyInfo. RFC 5280, section 4.1.2.7. Whether the point is on its curve shows only when the
 * key is used.
 */
export function publicKeyFacts(read: DerReader, value: Der | undefined): PublicKeyFacts {
  const [algorithm, key] = read.parts(value, tags.sequence, 'public key')
  const [id, parameters] = read.parts(algorithm, tags.sequence, "public key's algorithm")
  const { bytes, unused } = read.bits(key, "public key's bits")
  const kind = read.objectId(id, "public key's algorithm")
  if (read.problem !== undefined || unused !== 0) return unknown
  if (kind === ids.ed25519) return bytes.length === 32 ? { keyKind: 'ed25519', keyBits: 256 } : unknown
  if (kind === ids.rsa) return rsaFacts(bytes)
  return kind === ids.ecPublicKey && parameters?.tag === tags.objectId ? ecFacts(read, parameters, bytes) : unknown
}

function ecFacts(read: DerReader, curve: Der, point: Uint8Array): PublicKeyFacts {
  const id = read.objectId(curve, "public key's curve")
  const kind = ecKinds.find((each) => curveIds[each] === id)
  if (kind === undefined) return unknown
  const bytes = Math.ceil(ecBits[kind] / 8)
  const isWhole = point[0] === 4 && point.length === 1 + 2 * bytes
  const isHalf = (point[0] === 2 || point[0] === 3) && point.length === 1 + bytes
  return isWhole || isHalf ? { keyKind: 'ec', keyBits: ecBits[kind] } : unknown
}

/** The facts of an RSA key. RFC 8017, appendix A.1.1. */
function rsaFacts(bytes: Uint8Array): PublicKeyFacts {
  const whole = readDer(bytes, rsaBitsMax / 8 + 64)
  if (!whole.ok) return unknown
  const read = new DerReader()
  const [modulus, exponent, more] = read.parts(whole.value, tags.sequence, 'key')
  read.unsigned(modulus, 'modulus', rsaBitsMax / 8)
  const power = read.unsigned(exponent, 'exponent', exponentBytesMax)
  if (read.problem !== undefined || more !== undefined || power < 3n || power % 2n === 0n) return unknown
  const digits = bytesOf(modulus?.content ?? '')
  const keyBits = bitsOf(digits)
  return keyBits >= rsaBitsMin && keyBits <= rsaBitsMax ? { keyKind: 'rsa', keyBits } : unknown
}

/** Number of bits of an unsigned number in DER, which has at most one byte before its first bit. */
function bitsOf(digits: Uint8Array): number {
  const from = digits[0] === 0 ? 1 : 0
  return (digits.length - from) * 8 - Math.clz32(digits[from] ?? 0) + 24
}

/** The kind of a SubjectPublicKeyInfo in DER. */
export function publicKeyKindOf(publicKey: Uint8Array): PublicKeyKind {
  const read = new DerReader()
  const value = readDer(publicKey, rsaBitsMax / 8 + 128)
  const { keyKind } = publicKeyFacts(read, value.ok ? value.value : undefined)
  return read.problem === undefined ? keyKind : 'unknown'
}
