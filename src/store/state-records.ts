import { unpack } from '../base/msgpack.ts'
import { err, type Result } from '../base/result.ts'
import { headerFrom } from './restore.ts'
import type { SnapshotTable } from './snapshot.ts'
import { SnapshotRecords } from './snapshot-records.ts'
import type { Row, TableDefinition } from './types.ts'

/** Reads a snapshot record by record, without a store, to count or compare its content. */
export class StateRecords {
  readonly #use: (table: string, record: Uint8Array) => void
  readonly #records = new SnapshotRecords({
    record: (body) => this.#record(body),
    isLast: () => this.#tables !== undefined && this.#tables.length === 0,
  })
  #tables: SnapshotTable[] | undefined
  /** Number of rows of the first table that have come. */
  #rows = 0

  /** `use` gets the row's bytes, which are equal for equal rows. */
  constructor(use: (table: string, record: Uint8Array) => void) {
    this.#use = use
  }

  /** Decodes a row's bytes; undefined if this release cannot read it. */
  static row(table: TableDefinition<Row>, record: Uint8Array): Row | undefined {
    const value = unpack(record)
    if (!value.ok) return undefined
    try {
      return table.decode(value.value)
    } catch {
      // `decode` throws on what it cannot read.
      return undefined
    }
  }

  write(bytes: Uint8Array): void {
    // Errors are reported at the end.
    this.#records.write(bytes)
  }

  finish(): Result<undefined, string> {
    return this.#records.finish()
  }

  #record(body: Uint8Array): string | undefined {
    if (this.#tables === undefined) return this.#begin(body)
    const [table] = this.#tables
    if (table === undefined) return undefined
    this.#use(table.name, body)
    this.#rows++
    if (this.#rows === table.rows) this.#next()
    return undefined
  }

  #begin(body: Uint8Array): string | undefined {
    const value = unpack(body)
    const header = value.ok ? headerFrom(value.value) : err(`snapshot: ${value.error}`)
    if (!header.ok) return header.error
    this.#tables = header.value.tables.filter(({ rows }) => rows > 0)
    return undefined
  }

  #next(): void {
    this.#tables?.shift()
    this.#rows = 0
  }
}
