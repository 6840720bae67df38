import { concatBytes, emptyBytes } from '../base/bytes.ts'
import { crc32c } from '../base/crc32c.ts'
import { done, err, type Result } from '../base/result.ts'

/** Maximum size of a record; a longer one is refused before it is collected, and no row comes near it. */
const recordBytesMax = 16 << 20

const lengthBytes = 4

export interface RecordUse {
  /** Takes the content of a record, which it must not keep; returns what is wrong with it. */
  record(body: Uint8Array): string | undefined
  /** Whether all records have come, so that the checksum follows. */
  isLast(): boolean
}

/**
 * Splits a snapshot, whose pieces are split anywhere, into its records, and verifies its checksum. Anything wrong ends
 * it with a permanent error.
 */
export class SnapshotRecords {
  readonly #use: RecordUse
  #held: Uint8Array = emptyBytes
  #crc = 0
  #isOver = false
  #failure: string | undefined

  constructor(use: RecordUse) {
    this.#use = use
  }

  write(bytes: Uint8Array): Result<undefined, string> {
    if (this.#failure === undefined && bytes.length > 0) this.#failure = this.#take(bytes)
    return this.#failure === undefined ? done : err(this.#failure)
  }

  finish(): Result<undefined, string> {
    if (this.#failure !== undefined) return err(this.#failure)
    return this.#isOver ? done : err('snapshot: cut short')
  }

  #take(bytes: Uint8Array): string | undefined {
    if (this.#isOver) return 'snapshot: bytes after its end'
    this.#held = this.#held.length === 0 ? bytes : concatBytes([this.#held, bytes])
    let at = 0
    let failure: string | undefined
    while (failure === undefined && !this.#isOver) {
      const size = this.#nextSize(at)
      if (size > recordBytesMax) return 'snapshot: a record longer than any row'
      if (this.#held.length - at < size) break
      failure = this.#record(this.#held.subarray(at, at + size))
      at += size
    }
    this.#held = this.#held.slice(at)
    if (failure === undefined && this.#isOver && this.#held.length > 0) return 'snapshot: bytes after its end'
    return failure
  }

  /**
   * Size of the record that begins at `at`, including its length; the size of the length itself if that is incomplete.
   */
  #nextSize(at: number): number {
    if (this.#use.isLast() || this.#held.length - at < lengthBytes) return lengthBytes
    return lengthBytes + u32At(this.#held, at)
  }

  #record(record: Uint8Array): string | undefined {
    if (this.#use.isLast()) {
      this.#isOver = true
      return u32At(record, 0) === this.#crc ? undefined : 'snapshot: checksum does not hold'
    }
    this.#crc = crc32c(record, this.#crc)
    return this.#use.record(record.subarray(lengthBytes))
  }
}

function u32At(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + lengthBytes)
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}
