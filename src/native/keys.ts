import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { SignatureAlgorithm, SigningKey } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'

/** Limits for RSA: fewer bits are too weak, more take too long to sign with. */
const rsaBitsMin = 2048
const rsaBitsMax = 8192

/** Signature algorithms by OpenSSL's names of curves. */
const byCurve: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: 'ecdsa-sha256',
  secp384r1: 'ecdsa-sha384',
  secp521r1: 'ecdsa-sha512',
}

/** Node's names of hash functions; null: the algorithm hashes by itself. */
export const hashes: Readonly<Record<SignatureAlgorithm, string | null>> = {
  'ecdsa-sha256': 'sha256',
  'ecdsa-sha384': 'sha384',
  'ecdsa-sha512': 'sha512',
  'rsa-sha256': 'sha256',
  'rsa-sha384': 'sha384',
  'rsa-sha512': 'sha512',
  ed25519: null,
}

/** A private key, and the algorithm with which it signs. */
export interface PrivateKey {
  readonly key: KeyObject
  readonly algorithm: SignatureAlgorithm
}

/** Undefined: not a key, or of an unsupported type or size. */
export function readPrivateKey(pem: string): PrivateKey | undefined {
  try {
    return privateKeyOf(createPrivateKey(pem))
  } catch {
    // Node throws if the text is not a key.
    return undefined
  }
}

/** Undefined: the key has an unsupported type or size. */
export function privateKeyOf(key: KeyObject): PrivateKey | undefined {
  const algorithm = algorithmOf(key)
  return algorithm === undefined ? undefined : { key, algorithm }
}

function algorithmOf(key: KeyObject): SignatureAlgorithm | undefined {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'ec':
      return byCurve[namedCurve]
    case 'rsa':
      return modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax ? 'rsa-sha256' : undefined
    case 'ed25519':
      return 'ed25519'
    default:
      return undefined
  }
}

/** Node's signatures of RSA (PKCS #1 v1.5) and Ed25519 are deterministic; those of ECDSA are random. */
export function nativeKey({ key, algorithm }: PrivateKey): SigningKey {
  const hash = hashes[algorithm]
  return { algorithm, ...textOf(key), sign: (bytes) => plainBytes(sign(hash, bytes, key)) }
}

/** Both halves of a key pair in the formats that other programs read. */
export function textOf(key: KeyObject): Pick<SigningKey, 'privateKeyPem' | 'publicKey'> {
  return {
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: plainBytes(createPublicKey(key).export({ type: 'spki', format: 'der' })),
  }
}
