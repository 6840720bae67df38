import { createCipheriv, createDecipheriv } from 'node:crypto'
import { plainBytes } from './plain-bytes.ts'

const tagBytes = 16

export function sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array {
  const cipher = createCipheriv(cipherFor(key), key, nonce).setAAD(additional)
  return plainBytes(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
}

/** Undefined: it was not sealed with this key, or has been changed. */
export function openAesGcm(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  additional: Uint8Array,
): Uint8Array | undefined {
  if (sealed.length < tagBytes) return undefined
  const text = sealed.length - tagBytes
  const cipher = createDecipheriv(cipherFor(key), key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(additional).setAuthTag(sealed.subarray(text))
  const opened = cipher.update(sealed.subarray(0, text))
  try {
    cipher.final()
  } catch {
    // Node throws if the tag does not fit; here that is an ordinary result.
    return undefined
  }
  return plainBytes(opened)
}

function cipherFor(key: Uint8Array): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (key.length === 16) return 'aes-128-gcm'
  return key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm'
}
