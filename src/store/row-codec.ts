import { compareText } from '../base/bytes.ts'
import { pack } from '../base/msgpack.ts'
import type { Row, TableDefinition } from './types.ts'

/**
 * A row as snapshots and hashes have it. Depends on the row's value alone: not on the order in which it was built, nor on
 * whether it has been through a snapshot before, so that servers with equal states have equal bytes.
 */
export function storedBytes(table: TableDefinition<Row>, row: Row): Uint8Array {
  return pack(canonical(table.encode === undefined ? row : table.encode(row)))
}

/** Members in order of name, none that is undefined; an integer is a bigint only where a double cannot hold it, as it is when read back. */
function canonical(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const small = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    return small ? Number(value) : value
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(canonical)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => compareText(a, b))
  return new Map(members.map(([name, member]) => [name, canonical(member)]))
}
