import { createECDH, createHash, createPrivateKey } from 'node:crypto'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { concatBytes } from '../../src/base/bytes.ts'
import type { EcKind, RsaKind, SigningKey } from '../../src/env/crypto.ts'
import { nativeKey, type PrivateKey, privateKeyOf, readPrivateKey, textOf } from '../../src/native/keys.ts'
import { curves, signRepeatably } from './ecdsa.ts'
import { rsaPool } from './pure/rsa-pool.ts'

/**
 * Keys with deterministic signatures, because runs must be deterministic. Node's own ECDSA signatures are random; those
 * of Ed25519 and of RSA by PKCS #1 v1.5 draw nothing.
 */

const ecKinds = ['ec-256', 'ec-384', 'ec-521'] as const

/** The bytes before the 32 bytes of an Ed25519 key in PKCS#8. RFC 8410, section 7. */
const pkcs8Head = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20])

export function signingKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.from(concatBytes([pkcs8Head, seed])), format: 'der', type: 'pkcs8' })
  return nativeKey({ key, algorithm: 'ed25519' })
}

/** Bytes are hashed until they are a number below the order of the curve: nearly always the first time. */
export function ecKey(kind: EcKind, seed: Uint8Array): SigningKey {
  const { scalars, name, jwk, secretBytes } = curves[kind]
  for (let round = 0; ; round++) {
    const stretched = createHash('shake256', { outputLength: secretBytes })
    const secret = new Uint8Array(stretched.update(seed).update(Uint8Array.of(round)).digest())
    // The highest byte of P-521's order is 1.
    if (secretBytes === 66) secret[0] = (secret[0] ?? 0) & 1
    const number = bytesToNumberBE(secret)
    if (number === 0n || number >= scalars.ORDER) continue
    const ecdh = createECDH(name)
    ecdh.setPrivateKey(secret)
    const point = ecdh.getPublicKey()
    const [x, y] = [point.subarray(1, 1 + secretBytes), point.subarray(1 + secretBytes)]
    const key = { kty: 'EC', crv: jwk, d: inJwk(secret), x: inJwk(x), y: inJwk(y) }
    const read = privateKeyOf(createPrivateKey({ key, format: 'jwk' }))
    const made = read === undefined ? undefined : ellipticKey(read)
    if (made === undefined) throw new Error(`Node made no ${kind} key`)
    return made
  }
}

function inJwk(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

export function rsaKey(kind: RsaKind, nth: number): SigningKey {
  const pool = rsaPool[kind]
  return nativeKey({ key: createPrivateKey(pool[nth % pool.length] ?? ''), algorithm: 'rsa-sha256' })
}

export function readSigningKey(pem: string): SigningKey | undefined {
  const read = readPrivateKey(pem)
  if (read === undefined) return undefined
  return read.key.asymmetricKeyType === 'ec' ? ellipticKey(read) : nativeKey(read)
}

function ellipticKey({ key, algorithm }: PrivateKey): SigningKey | undefined {
  const kind = ecKinds.find((each) => curves[each].name === key.asymmetricKeyDetails?.namedCurve)
  if (kind === undefined) return undefined
  const given = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  const secret = new Uint8Array(curves[kind].secretBytes)
  // Some writers leave out leading zeros.
  secret.set(given, secret.length - given.length)
  return { algorithm, ...textOf(key), sign: (bytes) => signRepeatably(kind, secret, bytes) }
}
