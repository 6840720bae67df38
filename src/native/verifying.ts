import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Crypto, SignatureAlgorithm } from '../env/crypto.ts'
import { hashes } from './keys.ts'

const readKeysMax = 64

/**
 * Caches parsed public keys: parsing one takes three times as long as verifying with it, and the keys of authorities
 * are used again and again.
 */
class ReadKeys {
  readonly #keys = new Map<string, KeyObject>()

  /** Throws if the key cannot be parsed. */
  keyOf(publicKey: Uint8Array): KeyObject {
    // Makes no copy: Node requires the class Buffer, not other memory.
    const der = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength)
    const name = der.toString('latin1')
    const before = this.#keys.get(name)
    if (before !== undefined) return before
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (this.#keys.size >= readKeysMax) this.#keys.clear()
    this.#keys.set(name, key)
    return key
  }
}

export function verifier(): Crypto['verify'] {
  const keys = new ReadKeys()
  return (publicKey, algorithm, bytes, signature) => {
    try {
      const key = keys.keyOf(publicKey)
      return fits(key, algorithm) && verify(hashes[algorithm], bytes, key, signature)
    } catch {
      // Node throws if the bytes are not a key, or if they cannot be a signature.
      return false
    }
  }
}

/** The key's type must match the algorithm, because Node would go by the key alone. */
function fits(key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  const kind = key.asymmetricKeyType
  if (kind === 'rsa') return algorithm.startsWith('rsa-')
  return kind === 'ec' ? algorithm.startsWith('ecdsa-') : kind === algorithm
}
