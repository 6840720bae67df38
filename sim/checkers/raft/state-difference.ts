import { equalBytes } from '../../../src/base/bytes.ts'
import { unpack } from '../../../src/base/msgpack.ts'
import { isList, isRecord } from '../../../src/base/shape.ts'

/** Maximum number of characters of a row in a message. */
const shownMax = 120

/** Rows of one table, as in a snapshot, by their position in it. */
export interface StoredTable {
  readonly name: string
  readonly about: string
  readonly rows: readonly Uint8Array[]
}

/**
 * The first table, and the first row in it, in which two snapshots differ, as a clause: `table kv, row 3: {…}, there
 * {…}`. Undefined: they have the same bytes. `upTo`: if one of the servers has gone on, rows that a later command has
 * written are skipped.
 */
export function stateDifference(
  own: Uint8Array,
  theirs: Uint8Array,
  upTo = Number.POSITIVE_INFINITY,
): string | undefined {
  if (equalBytes(own, theirs)) return undefined
  const others = new Map(tablesOf(theirs).map((table) => [table.name, table]))
  for (const table of tablesOf(own)) {
    const other = others.get(table.name)
    others.delete(table.name)
    const rows = other === undefined ? undefined : rowDifference(table, other, upTo)
    if (rows !== undefined) return `table ${table.name}, ${rows}`
    const isNow = upTo === Number.POSITIVE_INFINITY
    if (isNow && other?.about !== table.about)
      return `table ${table.name}: ${table.about}, there ${other?.about ?? 'none'}`
  }
  const [missing] = others.keys()
  if (upTo !== Number.POSITIVE_INFINITY) return undefined
  return missing === undefined ? 'the header' : `table ${missing}, which only one of them has`
}

function rowDifference(own: StoredTable, theirs: StoredTable, upTo: number): string | undefined {
  const isSettled = (row: Uint8Array): boolean => upTo === Number.POSITIVE_INFINITY || stampOf(row) <= upTo
  // Once a server has gone on, positions say nothing: the difference is then a settled row that the other side does not
  // have anywhere.
  const theirRows = new Set(theirs.rows.map(nameOf))
  for (const [place, row] of own.rows.entries()) {
    const there = theirs.rows[place]
    const isSame =
      upTo === Number.POSITIVE_INFINITY ? there !== undefined && equalBytes(row, there) : theirRows.has(nameOf(row))
    if (!isSame && isSettled(row))
      return `row ${place + 1}: ${textOf(row)}, there ${there === undefined ? 'none' : textOf(there)}`
  }
  const more = theirs.rows[own.rows.length]
  if (more === undefined || upTo !== Number.POSITIVE_INFINITY) return undefined
  return `row ${own.rows.length + 1}: none, there ${textOf(more)}`
}

function nameOf(row: Uint8Array): string {
  return row.join()
}

/** The index of the last command that wrote the row; infinite if the row does not contain it. */
function stampOf(bytes: Uint8Array): number {
  const row = unpack(bytes)
  const stamp = row.ok && isRecord(row.value) ? row.value['modifyIndex'] : undefined
  return typeof stamp === 'number' ? stamp : Number.POSITIVE_INFINITY
}

function textOf(bytes: Uint8Array): string {
  const row = unpack(bytes)
  const text = row.ok
    ? JSON.stringify(row.value, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    : '?'
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/** Reads the records of a snapshot: a header that names the tables, then their rows (`src/store/snapshot.ts`). */
export function tablesOf(snapshot: Uint8Array): readonly StoredTable[] {
  const records = recordsOf(snapshot)
  const header = records.next()
  const read = header.done === true ? undefined : unpack(header.value)
  const tables = read?.ok === true && isRecord(read.value) ? read.value['tables'] : undefined
  if (!isList(tables)) return []
  return tables.filter(isRecord).map((table) => {
    const rows: Uint8Array[] = []
    for (let left = Number(table['rows']); left > 0; left--) {
      const row = records.next()
      if (row.done !== true) rows.push(row.value)
    }
    return { name: String(table['name']), about: JSON.stringify(table), rows }
  })
}

function* recordsOf(snapshot: Uint8Array): Generator<Uint8Array, void> {
  const view = new DataView(snapshot.buffer, snapshot.byteOffset, snapshot.length)
  let at = 0
  while (at + 4 < snapshot.length) {
    const length = view.getUint32(at)
    yield snapshot.subarray(at + 4, at + 4 + length)
    at += 4 + length
  }
}
