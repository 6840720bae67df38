import { z } from 'zod'
import { base64, byteStringOf, bytesOf, SpelledBytes, textOfByteString } from '../../base/bytes.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { indexValue, uint64Value } from '../http/declared.ts'

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

/** A key and its value. */
export interface KvRow {
  /** A byte string: keys are in byte order. */
  readonly key: string
  readonly value: KvValue
  /** A 64-bit number that the client stores beside the value. */
  readonly flags: bigint
  /** How many holders the lock of this key has had since the key was created. */
  readonly lockIndex: number
  /** ID of the session that holds the lock, or empty. */
  readonly session: string
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

/** A row as a server sends it: the value as bytes, and flags as a number if a double can hold them. */
export type KvEntry = Omit<KvRow, 'flags'> & { readonly flags: bigint | number }

/** Reference: keys.md#key-entry. */
export const kvEntryShape = z
  .strictObject({
    LockIndex: indexValue,
    Key: z.string(),
    Flags: uint64Value,
    Value: z.string().meta({ contentEncoding: 'base64' }).nullable(),
    Session: z.string().optional(),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'KeyEntry' })

export function kvEntryJson(entry: KvEntry): z.infer<typeof kvEntryShape> {
  return {
    LockIndex: entry.lockIndex,
    Key: textOfByteString(entry.key),
    Flags: entry.flags,
    Value: entry.value.length === 0 ? null : valueBase64(entry.value),
    Session: entry.session === '' ? undefined : entry.session,
    CreateIndex: entry.createIndex,
    ModifyIndex: entry.modifyIndex,
  }
}
