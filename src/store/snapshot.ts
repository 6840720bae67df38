import { crc32c } from '../base/crc32c.ts'
import { packAfter } from '../base/msgpack.ts'
import type { ModifyIndex } from '../model/log-position.ts'
import { storedBytes } from './row-codec.ts'
import type { Version } from './version.ts'

/**
 * Format of snapshots: records of a length (u32, big-endian) and MessagePack; first a header, then the rows of each
 * table; at the end the CRC-32C of everything before it.
 */
export const snapshotFormat = 1

/** Number of bytes in one piece; the last has fewer. */
export const snapshotPieceBytes = 64 << 10

/** First record of a snapshot. Tables in order of name, each with the stated number of rows, in order of key. */
export interface SnapshotHeader {
  readonly format: number
  readonly index: ModifyIndex
  readonly tables: readonly SnapshotTable[]
}

export interface SnapshotTable {
  readonly name: string
  readonly rows: number
  readonly lastChange: ModifyIndex
  /** Absent if the table declares none, and in snapshots of builds without departures, which skip this member. */
  readonly departures?: Readonly<Record<string, ModifyIndex>>
}

/** Encodes a version piece by piece, each on demand. Equal states give equal bytes. */
export class SnapshotWriter {
  readonly #records: Iterator<Uint8Array>
  /** The record being split into pieces, and the position in it. */
  #record: Uint8Array = new Uint8Array(0)
  #at = 0
  #over = false

  constructor(version: Version) {
    this.#records = recordsOf(version)
  }

  /** `undefined` after the last piece. */
  next(): Uint8Array | undefined {
    if (this.#over) return undefined
    const piece = new Uint8Array(snapshotPieceBytes)
    let filled = 0
    while (filled < piece.length) {
      if (this.#at === this.#record.length && !this.#take()) break
      const part = this.#record.subarray(this.#at, this.#at + piece.length - filled)
      piece.set(part, filled)
      filled += part.length
      this.#at += part.length
    }
    if (filled === piece.length) return piece
    this.#over = true
    return filled === 0 ? undefined : piece.slice(0, filled)
  }

  #take(): boolean {
    const next = this.#records.next()
    if (next.done === true) return false
    this.#record = next.value
    this.#at = 0
    return true
  }
}

function* recordsOf(version: Version): Generator<Uint8Array, void> {
  let crc = 0
  const summed = (record: Uint8Array): Uint8Array => {
    crc = crc32c(record, crc)
    return record
  }
  yield summed(framed(packAfter(lengthBytes, headerOf(version))))
  for (const { definition, rows } of version.tables.values()) {
    for (const row of rows.values()) yield summed(framed(storedBytes(definition, row, lengthBytes)))
  }
  yield u32(crc)
}

function headerOf(version: Version): SnapshotHeader {
  const named = [...version.tables.values()].filter(
    ({ definition, lastChange }) => definition.fromFirstWrite !== true || lastChange > 0,
  )
  const tables = named.map(({ definition, rows, lastChange, departures }) => {
    const table = { name: definition.name, rows: rows.size, lastChange }
    return departures.size === 0 ? table : { ...table, departures: Object.fromEntries(departures) }
  })
  return { format: snapshotFormat, index: version.index, tables }
}

const lengthBytes = 4

/** Writes the length of the following bytes into the space that was left for it. */
function framed(record: Uint8Array): Uint8Array {
  record.set(u32(record.length - lengthBytes))
  return record
}

function u32(value: number): Uint8Array {
  return new Uint8Array([value >>> 24, value >>> 16, value >>> 8, value])
}
