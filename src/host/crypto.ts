import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { Crypto, SigningKey } from '../env/crypto.ts'
import { plainBytes } from './plain-bytes.ts'

const tagBytes = 16

export const hostCrypto: Crypto = {
  sha256: (bytes) => plainBytes(createHash('sha256').update(bytes).digest()),
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
  makeSigningKey: () => signingKey(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey, 'ecdsa-sha256'),
  readSigningKey: (pem) => {
    try {
      const key = createPrivateKey(pem)
      if (key.asymmetricKeyType === 'ec') return signingKey(key, 'ecdsa-sha256')
      return key.asymmetricKeyType === 'rsa' ? signingKey(key, 'rsa-sha256') : undefined
    } catch {
      // Node says by a throw that this is no key.
      return undefined
    }
  },
}

function signingKey(key: KeyObject, algorithm: SigningKey['algorithm']): SigningKey {
  return {
    algorithm,
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: plainBytes(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    sign: (bytes) => plainBytes(sign('sha256', bytes, key)),
  }
}

function cipherFor(key: Uint8Array): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (key.length === 16) return 'aes-128-gcm'
  return key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm'
}
