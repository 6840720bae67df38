import { compareText, SpelledBytes } from '../base/bytes.ts'
import { packAfter } from '../base/msgpack.ts'
import { isList, isRecord } from '../base/shape.ts'
import type { Row, TableDefinition } from './types.ts'

/**
 * A row in the form of snapshots and hashes. It depends only on the row's value, and not on the order in which it was
 * built, nor on whether it was in a snapshot before, so that servers with equal states have equal bytes. `room`: number
 * of bytes before the row that are left for the caller to write.
 */
export function storedBytes(table: TableDefinition<Row>, row: Row, room = 0): Uint8Array {
  return packAfter(room, canonical(table.encode === undefined ? row : table.encode(row)))
}

/** Integers up to this value, 2^53, are decoded from MessagePack as numbers, larger ones as bigints. */
const numberUpTo = 0x20_0000_0000_0000n

/** Members in order of name, without undefined ones; an integer has the type that decoding gives it. */
function canonical(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return value >= -numberUpTo && value <= numberUpTo ? Number(value) : value
  }
  if (isList(value)) return value.map(canonical)
  if (!isRecord(value) || value instanceof Uint8Array || value instanceof SpelledBytes) return value
  if (isCanonical(value)) return value
  const members = new Map<string, unknown>()
  for (const name of Object.keys(value).sort(compareText)) {
    const member = value[name]
    if (member !== undefined) members.set(name, canonical(member))
  }
  return members
}

/** The usual case: neither the content nor the order would change. */
function isCanonical(value: Readonly<Record<string, unknown>>): boolean {
  let last = ''
  for (const name in value) {
    const member = value[name]
    const kind = typeof member
    const stays =
      kind === 'string' || kind === 'number' || kind === 'boolean' || member === null || member instanceof SpelledBytes
    // Names with a special meaning for the packer are allowed only in maps.
    if (!stays || name < last || name === 'toJSON' || name === 'constructor') return false
    last = name
  }
  return true
}
