import 'node-forge/lib/aes.js'
import ciphers from 'node-forge/lib/cipher.js'
import util from 'node-forge/lib/util.js'
import { byteStringOf, bytesOf } from '../../../src/base/bytes.ts'

const tagBytes = 16

export function sealAesGcm(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, additional: Uint8Array): Uint8Array {
  const cipher = ciphers.createCipher('AES-GCM', byteStringOf(key))
  cipher.start({ ...beginning(nonce, additional) })
  cipher.update(util.createBuffer(byteStringOf(plain)))
  cipher.finish()
  return bytesOf(cipher.output.getBytes() + cipher.mode.tag.getBytes())
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
  const cipher = ciphers.createDecipher('AES-GCM', byteStringOf(key))
  cipher.start({ ...beginning(nonce, additional), tag: util.createBuffer(byteStringOf(sealed.subarray(text))) })
  cipher.update(util.createBuffer(byteStringOf(sealed.subarray(0, text))))
  return cipher.finish() ? bytesOf(cipher.output.getBytes()) : undefined
}

function beginning(nonce: Uint8Array, additional: Uint8Array) {
  return { iv: byteStringOf(nonce), additionalData: byteStringOf(additional), tagLength: tagBytes * 8 }
}
