import { invariant } from '../base/invariant.ts'
import { lastOf } from '../base/items.ts'
import { unpack } from '../base/msgpack.ts'
import { err, ok, type Result } from '../base/result.ts'
import { isList, isRecord } from '../base/shape.ts'
import { isCount, isModifyIndex, type ModifyIndex, noChange } from '../model/log-position.ts'
import { Draft } from './draft.ts'
import { type SnapshotHeader, type SnapshotTable, snapshotFormat } from './snapshot.ts'
import { SnapshotRecords } from './snapshot-records.ts'
import type { Row, TableDefinition } from './types.ts'
import { departuresOf, emptyTable, type TableState, type Version } from './version.ts'

/** A table being filled, and its facts in the header. */
interface Filling {
  readonly draft: Draft
  readonly announced: SnapshotTable
  rows: number
  lastKey: string | undefined
}

/**
 * Reads a snapshot in pieces split anywhere, beside the state in use. Anything wrong with the bytes ends it with a
 * permanent error; nothing is used before the whole has been checked.
 */
export class SnapshotReader {
  readonly #definitions: ReadonlyMap<string, TableDefinition<Row>>
  readonly #withSums: boolean
  readonly #records = new SnapshotRecords({
    record: (body) => this.#record(body),
    isLast: () => this.#header !== undefined && this.#filling === undefined,
  })
  #header: SnapshotHeader | undefined
  readonly #tables = new Map<string, TableState>()
  /** Tables whose rows are still to come, and the present one. */
  #coming: SnapshotTable[] = []
  #filling: Filling | undefined

  constructor(definitions: ReadonlyMap<string, TableDefinition<Row>>, withSums: boolean) {
    this.#definitions = definitions
    this.#withSums = withSums
  }

  write(bytes: Uint8Array): Result<undefined, string> {
    return this.#records.write(bytes)
  }

  /** The version in the snapshot. */
  finish(): Result<Version, string> {
    const whole = this.#records.finish()
    if (!whole.ok) return whole
    invariant(this.#header !== undefined, 'a snapshot ends with its rows, and begins with its header')
    const tables = new Map<string, TableState>()
    for (const [name, definition] of this.#definitions) {
      tables.set(name, this.#tables.get(name) ?? emptyTable(definition, this.#withSums))
    }
    return ok({ index: this.#header.index, tables })
  }

  #record(body: Uint8Array): string | undefined {
    const value = unpack(body)
    if (!value.ok) return `snapshot: ${value.error}`
    return this.#filling === undefined ? this.#begin(value.value) : this.#row(this.#filling, value.value)
  }

  #begin(value: unknown): string | undefined {
    const header = headerFrom(value)
    if (!header.ok) return header.error
    this.#header = header.value
    for (const { name } of header.value.tables) {
      if (!this.#definitions.has(name)) return `snapshot: table ${name} is unknown here: it is of a newer release`
    }
    this.#coming = [...header.value.tables]
    this.#nextTable()
    return undefined
  }

  #nextTable(): void {
    this.#filling = undefined
    while (this.#filling === undefined) {
      const announced = this.#coming.shift()
      if (announced === undefined) return
      const definition = this.#definitions.get(announced.name)
      invariant(definition !== undefined, 'a table that was found to be known', { table: announced.name })
      const { lastChange, departures = {} } = announced
      // A build that did not keep it has left it out: no row departed later than the table changed.
      const departed = departuresOf(definition, (name) => departures[name] ?? lastChange)
      const draft = new Draft({ ...emptyTable(definition, this.#withSums), lastChange, departures: departed })
      if (announced.rows === 0) this.#tables.set(announced.name, draft.finished())
      else this.#filling = { draft, announced, rows: 0, lastKey: undefined }
    }
  }

  #row(filling: Filling, value: unknown): string | undefined {
    const { draft, announced } = filling
    const row = decoded(draft.definition, value)
    if (!row.ok) return `snapshot: table ${announced.name}: ${row.error}`
    const index = this.#header?.index ?? noChange
    if (!isOfIndex(row.value, index, draft.definition.stamps)) {
      return `snapshot: table ${announced.name}: a row of an index that the state has not come to`
    }
    const key = draft.definition.key(row.value)
    if (filling.lastKey !== undefined && key <= filling.lastKey)
      return `snapshot: table ${announced.name}: rows out of order`
    filling.lastKey = key
    draft.restore(key, Object.freeze(row.value))
    filling.rows++
    if (filling.rows < announced.rows) return undefined
    this.#tables.set(announced.name, draft.finished())
    this.#nextTable()
    return undefined
  }
}

const usualStamps = ['createIndex', 'modifyIndex'] as const

/** An index from the future would reach clients, which would then wait for ever. */
function isOfIndex(row: Row, index: number, stamps: readonly string[] = usualStamps): boolean {
  const members = row as Readonly<Record<string, unknown>>
  return stamps.every((name) => members[name] === undefined || (members[name] as number) <= index)
}

/** `decode` throws on what it cannot read, which here is a fault of the snapshot, and is reported as such. */
function decoded(definition: TableDefinition<Row>, value: unknown): Result<Row, string> {
  try {
    return ok(definition.decode(value))
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : 'a row that cannot be')
  }
}

export function headerFrom(value: unknown): Result<SnapshotHeader, string> {
  const malformed = err('snapshot: malformed header')
  if (!isRecord(value)) return malformed
  const { format, index, tables } = value
  if (format !== snapshotFormat)
    return err(`snapshot: format ${String(format)} is not understood, only ${snapshotFormat}`)
  if (!isModifyIndex(index) || !isList(tables)) return malformed
  const read: SnapshotTable[] = []
  for (const table of tables) {
    if (!isRecord(table)) return malformed
    const { name, rows, lastChange, departures } = table
    if (typeof name !== 'string' || !isCount(rows) || !isModifyIndex(lastChange) || lastChange > index) return malformed
    if (read.length > 0 && name <= lastOf(read).name) return malformed
    if (departures !== undefined && !areDepartures(departures, lastChange)) return malformed
    read.push({ name, rows, lastChange, ...(departures === undefined ? {} : { departures }) })
  }
  return ok({ format: snapshotFormat, index, tables: read })
}

function areDepartures(value: unknown, lastChange: ModifyIndex): value is Readonly<Record<string, ModifyIndex>> {
  return isRecord(value) && Object.values(value).every((index) => isModifyIndex(index) && index <= lastChange)
}
