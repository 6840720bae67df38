import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { concatBytes } from '../../src/base/bytes.ts'
import type { Crypto, EcKind, RsaKind, SignatureAlgorithm, SigningKey } from '../../src/env/crypto.ts'
import { curves, signRepeatably } from './ecdsa.ts'
import { rsaPool } from './rsa-pool.ts'

/**
 * Keys whose signatures are the same each time: runs must be, too. Node's own of ECDSA are random; those of Ed25519 and RSA
 * by PKCS #1 v1.5 draw nothing.
 */

const byCurve: Readonly<Record<EcKind, SignatureAlgorithm>> = {
  'ec-256': 'ecdsa-sha256',
  'ec-384': 'ecdsa-sha384',
  'ec-521': 'ecdsa-sha512',
}

const ecKinds = ['ec-256', 'ec-384', 'ec-521'] as const

/** As in production. */
const rsaBitsMin = 2048
const rsaBitsMax = 8192

const hashes: Readonly<Record<SignatureAlgorithm, string | null>> = {
  'ecdsa-sha256': 'sha256',
  'ecdsa-sha384': 'sha384',
  'ecdsa-sha512': 'sha512',
  'rsa-sha256': 'sha256',
  'rsa-sha384': 'sha384',
  'rsa-sha512': 'sha512',
  ed25519: null,
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS#8. RFC 8410, section 7. */
const pkcs8Head = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20])

export function signingKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.from(concatBytes([pkcs8Head, seed])), format: 'der', type: 'pkcs8' })
  return nativeKey(key, 'ed25519')
}

/** Bytes are hashed until they spell a number below the order of the curve: nearly always the first time. */
export function ecKey(kind: EcKind, seed: Uint8Array): SigningKey {
  const { scalars, name, jwk, secretBytes } = curves[kind]
  for (let round = 0; ; round++) {
    const stretched = createHash('shake256', { outputLength: secretBytes })
    const secret = new Uint8Array(stretched.update(seed).update(Uint8Array.of(round)).digest())
    // Of the order of P-521 the highest byte is 1.
    if (secretBytes === 66) secret[0] = (secret[0] ?? 0) & 1
    const number = bytesToNumberBE(secret)
    if (number === 0n || number >= scalars.ORDER) continue
    const ecdh = createECDH(name)
    ecdh.setPrivateKey(secret)
    const point = ecdh.getPublicKey()
    const [x, y] = [point.subarray(1, 1 + secretBytes), point.subarray(1 + secretBytes)]
    const key = { kty: 'EC', crv: jwk, d: inJwk(secret), x: inJwk(x), y: inJwk(y) }
    const made = ellipticKey(createPrivateKey({ key, format: 'jwk' }))
    if (made === undefined) throw new Error(`Node made no ${kind} key`)
    return made
  }
}

function inJwk(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

export function rsaKey(kind: RsaKind, nth: number): SigningKey {
  const pool = rsaPool[kind]
  return nativeKey(createPrivateKey(pool[nth % pool.length] ?? ''), 'rsa-sha256')
}

export function readSigningKey(pem: string): SigningKey | undefined {
  try {
    const key = createPrivateKey(pem)
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    switch (key.asymmetricKeyType) {
      case 'ec':
        return ellipticKey(key)
      case 'rsa':
        return modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax ? nativeKey(key, 'rsa-sha256') : undefined
      case 'ed25519':
        return nativeKey(key, 'ed25519')
      default:
        return undefined
    }
  } catch {
    // Node says by a throw that this is no key.
    return undefined
  }
}

/**
 * Public keys that were read: reading one takes three times as long as verifying with it, and those of authorities come again
 * and again.
 */
class ReadKeys {
  readonly #keys = new Map<string, KeyObject>()

  /** Throws where it cannot be read. */
  keyOf(publicKey: Uint8Array): KeyObject {
    const der = Buffer.from(publicKey)
    const name = der.toString('latin1')
    const before = this.#keys.get(name)
    if (before !== undefined) return before
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (this.#keys.size >= readKeysMax) this.#keys.clear()
    this.#keys.set(name, key)
    return key
  }
}

const readKeysMax = 64

/** Draws nothing, so Node does it. */
export function verifier(): Crypto['verify'] {
  const keys = new ReadKeys()
  return (publicKey, algorithm, bytes, signature) => {
    try {
      const key = keys.keyOf(publicKey)
      return fits(key, algorithm) && verify(hashes[algorithm], bytes, key, signature)
    } catch {
      // Node says by a throw that this is no key, or that no signature looks like this.
      return false
    }
  }
}

function fits(key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  const kind = key.asymmetricKeyType
  if (kind === 'rsa') return algorithm.startsWith('rsa-')
  return kind === 'ec' ? algorithm.startsWith('ecdsa-') : kind === algorithm
}

function ellipticKey(key: KeyObject): SigningKey | undefined {
  const kind = ecKinds.find((each) => curves[each].name === key.asymmetricKeyDetails?.namedCurve)
  if (kind === undefined) return undefined
  const given = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  const secret = new Uint8Array(curves[kind].secretBytes)
  // Some writers leave leading zeros out.
  secret.set(given, secret.length - given.length)
  return { ...facts(key), algorithm: byCurve[kind], sign: (bytes) => signRepeatably(kind, secret, bytes) }
}

function nativeKey(key: KeyObject, algorithm: SignatureAlgorithm): SigningKey {
  const hash = hashes[algorithm]
  return { ...facts(key), algorithm, sign: (bytes) => new Uint8Array(sign(hash, bytes, key)) }
}

function facts(key: KeyObject): Pick<SigningKey, 'privateKeyPem' | 'publicKey'> {
  return {
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' })),
  }
}
