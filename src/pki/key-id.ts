import { hex } from '../base/bytes.ts'
import type { Crypto } from '../env/crypto.ts'

/**
 * The key identifier of a certificate: the first 160 bits of the SHA-256 of its SubjectPublicKeyInfo. RFC 7093, section
 * 2 (4).
 */
export function keyIdOf(crypto: Pick<Crypto, 'sha256'>, publicKey: Uint8Array): Uint8Array {
  return crypto.sha256(publicKey).slice(0, 20)
}

/** Writes bytes as `c9:7f:75`, in lower case. */
export function colonHex(bytes: Uint8Array): string {
  return (hex(bytes).match(/../g) ?? []).join(':')
}

/**
 * The hexadecimal form of a serial number's bytes in DER, without the leading zero that only marks it as positive:
 * `08`, `01:a4`.
 */
export function serialHex(serial: bigint): string {
  const digits = serial.toString(16)
  return (digits.padStart(digits.length + (digits.length % 2), '0').match(/../g) ?? []).join(':')
}
