import { base64, byteStringOf, bytesOf } from '../../base/bytes.ts'
import { SpelledBytes } from '../../base/spelled-bytes.ts'

/**
 * Values up to this long, in bytes, are held as byte strings: an array buffer costs some 350 B beside its bytes, part of it
 * outside the heap. Longer ones are held as bytes, where the engine's limit of the heap does not count them.
 */
const spelledBytesMax = 1024

declare const isValue: unique symbol

/** A byte string that is nobody's text. */
type SpelledValue = string & { readonly [isValue]: true }

/** A value as rows hold it: which of the two depends on its length alone. Never changed. */
export type KvValue = SpelledValue | Uint8Array

/** Copies: `bytes` may be a part of something larger. */
export function kvValue(bytes: Uint8Array): KvValue {
  return bytes.length > spelledBytesMax ? bytes.slice() : (byteStringOf(bytes) as SpelledValue)
}

export function valueBytes(value: KvValue): Uint8Array {
  return typeof value === 'string' ? bytesOf(value) : value
}

/** As it goes into snapshots, hashes and messages: as bytes. */
export function packedValue(value: KvValue): Uint8Array | SpelledBytes {
  return typeof value === 'string' ? new SpelledBytes(value) : value
}

export function valueBase64(value: KvValue): string {
  return base64(valueBytes(value))
}
