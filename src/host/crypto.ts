import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Crypto } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'
import { generateKey, makeSigningKey, readSigningKey, verifier } from './signing-keys.ts'

const tagBytes = 16

export const hostCrypto: Crypto = {
  sha256: (bytes) => plainBytes(createHash('sha256').update(bytes).digest()),
  sha1: (bytes) => plainBytes(createHash('sha1').update(bytes).digest()),
  runningSha256: () => {
    const hash = createHash('sha256')
    return {
      update: (bytes) => {
        hash.update(bytes)
      },
      digest: () => plainBytes(hash.digest()),
    }
  },
  randomBytes: (length) => plainBytes(randomBytes(length)),
  sealAesGcm: (key, nonce, plain, additional) => {
    const cipher = createCipheriv(cipherFor(key), key, nonce).setAAD(additional)
    return plainBytes(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
  },
  openAesGcm: (key, nonce, sealed, additional) => {
    if (sealed.length < tagBytes) return undefined
    const text = sealed.length - tagBytes
    const cipher = createDecipheriv(cipherFor(key), key, nonce, { authTagLength: tagBytes })
    cipher.setAAD(additional).setAuthTag(sealed.subarray(text))
    const opened = cipher.update(sealed.subarray(0, text))
    try {
      cipher.final()
    } catch {
      // Node says by a throw that the tag does not fit: an answer here.
      return undefined
    }
    return plainBytes(opened)
  },
  makeSigningKey,
  generateKey,
  readSigningKey,
  verify: verifier(),
}

function cipherFor(key: Uint8Array): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (key.length === 16) return 'aes-128-gcm'
  return key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm'
}
