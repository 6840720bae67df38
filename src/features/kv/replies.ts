import { isCount } from '../../model/log-position.ts'
import { type Is, isIndex, isText, membersAre } from '../contract/reply.ts'
import type { KvEntry, KvValue } from './model.ts'

/** Bytes, as other agents send them, or a byte string, as a server keeps short values. */
const isValue: Is<KvValue> = (value): value is KvValue => value instanceof Uint8Array || isText(value)

/** MessagePack gives a number where a double can hold it. */
const isFlags: Is<bigint | number> = (value) => typeof value === 'number' || typeof value === 'bigint'

/** An entry in a reply; a transaction answers with them, too. */
export const isKvEntry = membersAre<KvEntry>({
  key: isText,
  value: isValue,
  flags: isFlags,
  lockIndex: isCount,
  session: isText,
  createIndex: isIndex,
  modifyIndex: isIndex,
})
