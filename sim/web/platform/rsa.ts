import { pow } from '@noble/curves/abstract/modular.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { concatBytes, equalBytes } from '../../../src/base/bytes.ts'
import type { RsaAlgorithm, RsaNumbers } from './algorithms.ts'
import { digestInfo } from './key-forms.ts'

/**
 * A signature by PKCS #1 v1.5 (RFC 8017, section 8.2.1), by the Chinese remainders. Not for production: its timing
 * reveals the key.
 */
export function signRsa(key: RsaNumbers, algorithm: RsaAlgorithm, bytes: Uint8Array): Uint8Array {
  const { modulus, prime1, prime2, exponent1, exponent2, coefficient } = key
  const length = bytesIn(modulus)
  const message = bytesToNumberBE(encodedMessage(algorithm, bytes, length))
  const first = pow(message % prime1, exponent1, prime1)
  const second = pow(message % prime2, exponent2, prime2)
  const difference = (((first - second) % prime1) + prime1) % prime1
  return numberToBytesBE(second + prime2 * ((difference * coefficient) % prime1), length)
}

export function verifyRsa(
  { modulus, publicExponent }: Pick<RsaNumbers, 'modulus' | 'publicExponent'>,
  algorithm: RsaAlgorithm,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const length = bytesIn(modulus)
  const number = bytesToNumberBE(signature)
  if (signature.length !== length || number >= modulus) return false
  const message = numberToBytesBE(pow(number, publicExponent, modulus), length)
  return equalBytes(message, encodedMessage(algorithm, bytes, length))
}

/** RFC 8017, section 9.2. */
function encodedMessage(algorithm: RsaAlgorithm, bytes: Uint8Array, length: number): Uint8Array {
  const info = digestInfo(algorithm, bytes)
  const filling = new Uint8Array(length - info.length - 3).fill(0xff)
  return concatBytes([Uint8Array.of(0, 1), filling, Uint8Array.of(0), info])
}

function bytesIn(modulus: bigint): number {
  return Math.ceil(modulus.toString(16).length / 2)
}
