import { concatBytes, emptyBytes } from '../base/bytes.ts'
import { crc32c } from '../base/crc32c.ts'
import { unpack } from '../base/msgpack.ts'
import { done, err, type Result } from '../base/result.ts'
import { headerFrom, recordBytesMax, u32At } from './restore.ts'
import type { SnapshotTable } from './snapshot.ts'
import type { Row, TableDefinition } from './types.ts'

/** Looks at a snapshot record by record, without a store: for who counts or compares what is in it. */
export class StateRecords {
  readonly #use: (table: string, record: Uint8Array) => void
  #held: Uint8Array = emptyBytes
  #crc = 0
  #tables: SnapshotTable[] | undefined
  /** Rows of the first of them that have come. */
  #rows = 0
  #isOver = false
  #failure: string | undefined

  /** `use` gets the row's bytes, which are equal for equal rows. */
  constructor(use: (table: string, record: Uint8Array) => void) {
    this.#use = use
  }

  /** The row of such bytes; undefined where this release cannot read it. */
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
    if (this.#failure !== undefined) return
    this.#held = this.#held.length === 0 ? bytes : concatBytes([this.#held, bytes])
    let at = 0
    while (this.#failure === undefined && this.#held.length - at >= 4) {
      const size = this.#atTrailer() ? 4 : 4 + u32At(this.#held, at)
      if (size > recordBytesMax) this.#failure = 'snapshot: a record longer than any row'
      if (this.#held.length - at < size) break
      this.#record(this.#held.subarray(at, at + size))
      at += size
    }
    this.#held = this.#held.slice(at)
  }

  finish(): Result<undefined, string> {
    if (this.#failure !== undefined) return err(this.#failure)
    return this.#isOver && this.#held.length === 0 ? done : err('snapshot: cut short')
  }

  #atTrailer(): boolean {
    return this.#tables !== undefined && this.#tables.length === 0
  }

  #record(record: Uint8Array): void {
    if (this.#atTrailer()) {
      if (this.#isOver || u32At(record, 0) !== this.#crc) this.#failure = 'snapshot: checksum does not hold'
      this.#isOver = true
      return
    }
    this.#crc = crc32c(record, this.#crc)
    const body = record.subarray(4)
    if (this.#tables === undefined) return this.#begin(body)
    const [table] = this.#tables
    if (table === undefined) return
    this.#use(table.name, body)
    this.#rows++
    if (this.#rows === table.rows) this.#next()
  }

  #begin(body: Uint8Array): void {
    const value = unpack(body)
    const header = value.ok ? headerFrom(value.value) : err(`snapshot: ${value.error}`)
    if (!header.ok) this.#failure = header.error
    else this.#tables = header.value.tables.filter(({ rows }) => rows > 0)
  }

  #next(): void {
    this.#tables?.shift()
    this.#rows = 0
  }
}
