import { createECDH, createHash, createHmac } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { bytesToNumberBE, createHmacDrbg, numberToBytesBE } from '@noble/curves/utils.js'
import { concatBytes } from '../../src/base/bytes.ts'
import type { EcKind } from '../../src/env/crypto.ts'

interface Curve {
  /** Arithmetic modulo the order of the curve. */
  readonly scalars: typeof p256.Point.Fn
  /** OpenSSL's name, and that of RFC 7518. */
  readonly name: string
  readonly jwk: string
  readonly secretBytes: number
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  readonly hashBytes: number
}

const [sha256, sha384, sha512] = [
  { hash: 'sha256', hashBytes: 32 },
  { hash: 'sha384', hashBytes: 48 },
  { hash: 'sha512', hashBytes: 64 },
] as const

export const curves: Readonly<Record<EcKind, Curve>> = {
  'ec-256': { scalars: p256.Point.Fn, name: 'prime256v1', jwk: 'P-256', secretBytes: 32, ...sha256 },
  'ec-384': { scalars: p384.Point.Fn, name: 'secp384r1', jwk: 'P-384', secretBytes: 48, ...sha384 },
  'ec-521': { scalars: p521.Point.Fn, name: 'secp521r1', jwk: 'P-521', secretBytes: 66, ...sha512 },
}

/**
 * ECDSA with a nonce derived from key and message, so that a signature is deterministic (RFC 6979, section 3.2), as two
 * numbers in DER. The multiplication on the curve is Node's, by ECDH, which is twenty times as fast as JavaScript, and
 * draws nothing. Not for production: its timing reveals secrets.
 */
export function signRepeatably(kind: EcKind, secret: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { scalars, name, secretBytes, hash, hashBytes } = curves[kind]
  const [key, digest] = [bytesToNumberBE(secret), createHash(hash).update(bytes).digest()]
  // No hash here is longer than the order of its curve, so none is cut.
  const message = scalars.create(bytesToNumberBE(digest))
  const hmac = (by: Uint8Array, text: Uint8Array): Uint8Array =>
    new Uint8Array(createHmac(hash, by).update(text).digest())
  const nonces = createHmacDrbg<Uint8Array>(hashBytes, secretBytes, hmac)
  return nonces(concatBytes([secret, numberToBytesBE(message, secretBytes)]), (drawn) => {
    const nonce = bytesToNumberBE(drawn) >> BigInt(drawn.length * 8 - scalars.BITS)
    if (nonce === 0n || nonce >= scalars.ORDER) return undefined
    const point = createECDH(name)
    point.setPrivateKey(numberToBytesBE(nonce, secretBytes))
    const r = scalars.create(bytesToNumberBE(point.getPublicKey().subarray(1, 1 + secretBytes)))
    const s = scalars.mul(scalars.inv(nonce), scalars.add(message, scalars.mul(r, key)))
    return r === 0n || s === 0n ? undefined : derOf(r, s)
  })
}

/** A sequence of two positive integers; for P-521 it is longer than 127 bytes. */
function derOf(r: bigint, s: bigint): Uint8Array {
  const body = concatBytes([integer(r), integer(s)])
  const head = body.length < 0x80 ? [0x30, body.length] : [0x30, 0x81, body.length]
  return concatBytes([Uint8Array.from(head), body])
}

function integer(value: bigint): Uint8Array {
  // One byte more if the highest bit is set; otherwise the number would be negative.
  const bytes = numberToBytesBE(value, Math.floor(value.toString(2).length / 8) + 1)
  return concatBytes([Uint8Array.of(0x02, bytes.length), bytes])
}
