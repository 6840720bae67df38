import { concatBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../env/crypto.ts'

/**
 * Encrypted bytes in memberlist's form: version, nonce of 12 bytes, ciphertext, tag of 16. Version 0 pads the text to
 * blocks of 16 bytes, as older agents do. We read both, and write version 1, without padding.
 */
const sentVersion = 1
const nonceBytes = 12
const tagBytes = 16
const blockBytes = 16

/** Size that sealing adds. */
export const sealBytes = 1 + nonceBytes + tagBytes

export type SealCrypto = Pick<Crypto, 'randomBytes' | 'sealAesGcm' | 'openAesGcm'>

export function seal(crypto: SealCrypto, key: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array {
  const nonce = crypto.randomBytes(nonceBytes, 'nonce', plain)
  return concatBytes([Uint8Array.of(sentVersion), nonce, crypto.sealAesGcm(key, nonce, plain, additional)])
}

/** The text, if this key decrypts it; undefined if it does not, or if the bytes are malformed. */
export function unseal(
  crypto: Pick<SealCrypto, 'openAesGcm'>,
  key: Uint8Array,
  sealed: Uint8Array,
  additional: Uint8Array,
): Uint8Array | undefined {
  const version = sealed[0]
  if (sealed.length < sealBytes || version === undefined || version > sentVersion) return undefined
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const plain = crypto.openAesGcm(key, nonce, sealed.subarray(1 + nonceBytes), additional)
  return version === 0 && plain !== undefined ? withoutPadding(plain) : plain
}

/** PKCS #7 (RFC 5652, section 6.3): the last byte says how many bytes were added, each of them the same. */
function withoutPadding(padded: Uint8Array): Uint8Array | undefined {
  const added = padded.at(-1) ?? 0
  if (added === 0 || added > blockBytes || padded.length % blockBytes !== 0) return undefined
  const length = padded.length - added
  for (let at = length; at < padded.length; at++) if (padded[at] !== added) return undefined
  return padded.subarray(0, length)
}
