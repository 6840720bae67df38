import { base64, byteStringOf, bytesOf } from '../../base/bytes.ts'
import { SpelledBytes } from '../../base/spelled-bytes.ts'

/**
 * Values up to this number of bytes are stored as byte strings: an array buffer costs some 350 B beside its bytes, part
 * of it outside the heap. Longer ones are stored as bytes, which do not count for the engine's heap limit.
 */
const spelledBytesMax = 1024

declare const isValue: unique symbol

/** A byte string, which is not text. */
type SpelledValue = string & { readonly [isValue]: true }

/** A value as rows hold it: its length alone decides between the two forms. Never modified. */
export type KvValue = SpelledValue | Uint8Array

/** Copies the bytes, which may be part of a larger buffer. */
export function kvValue(bytes: Uint8Array): KvValue {
  return bytes.length > spelledBytesMax ? bytes.slice() : (byteStringOf(bytes) as SpelledValue)
}

export function valueBytes(value: KvValue): Uint8Array {
  return typeof value === 'string' ? bytesOf(value) : value
}

/** The form in snapshots, hashes and messages: bytes. */
export function packedValue(value: KvValue): Uint8Array | SpelledBytes {
  return typeof value === 'string' ? new SpelledBytes(value) : value
}

export function valueBase64(value: KvValue): string {
  return base64(valueBytes(value))
}
