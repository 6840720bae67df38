import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { indexValue, uint64Value } from '../http/declared-answers.ts'
import { type KvValue, valueBase64 } from './value.ts'

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
  readonly createIndex: number
  readonly modifyIndex: number
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
