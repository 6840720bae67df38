import { lengthWithoutZeros } from '../../../src/base/trailing-zeros.ts'

const none = new Uint8Array(0)

/** The bytes that a change of a file replaces, so that it can be undone. */
export interface Before {
  /** The previous bytes from this position on, as far as any were written; zeros followed. */
  readonly at: number
  readonly bytes: Uint8Array
  readonly written: number
  readonly size: number
}

/** Bytes of a file: any length, with holes that read as zeros. Unwritten parts take no memory. */
export class GrowingBytes {
  #bytes: Uint8Array
  /** End of the written bytes; the rest of the size is zeros. */
  #written: number
  #size: number

  constructor(bytes: Uint8Array = none, size: number = bytes.length) {
    this.#bytes = bytes
    this.#written = bytes.length
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  /** A copy. */
  read(at: number, length: number): Uint8Array {
    const from = Math.min(at, this.#size)
    const to = Math.min(at + length, this.#size)
    if (to <= this.#written) return this.#bytes.slice(from, to)
    const read = new Uint8Array(to - from)
    if (from < this.#written) read.set(this.#bytes.subarray(from, this.#written))
    return read
  }

  /** A copy of the first `length` bytes, without the zeros at their end. */
  readWritten(length: number): Uint8Array {
    const written = this.#bytes.subarray(0, Math.min(length, this.#written))
    return written.slice(0, lengthWithoutZeros(written))
  }

  write(at: number, bytes: Uint8Array): void {
    const end = at + bytes.length
    if (bytes.length === 0) return
    this.#reserve(end)
    this.#bytes.set(bytes, at)
    this.#written = Math.max(this.#written, end)
    this.#size = Math.max(this.#size, end)
  }

  truncate(size: number): void {
    if (size < this.#written) {
      this.#bytes.fill(0, size, this.#written)
      this.#written = size
    }
    this.#size = size
  }

  /** Must be called before a change of the range from `at` up to `end`. */
  before(at: number, end: number): Before {
    const to = Math.min(end, this.#written)
    const bytes = at < to ? this.#bytes.slice(at, to) : none
    return { at, bytes, written: this.#written, size: this.#size }
  }

  /** Undoes the latest change that was not undone. */
  undo({ at, bytes, written, size }: Before): void {
    if (bytes.length > 0) {
      this.#reserve(at + bytes.length)
      this.#bytes.set(bytes, at)
    }
    if (written < this.#written) this.#bytes.fill(0, Math.max(written, at + bytes.length), this.#written)
    this.#written = written
    this.#size = size
  }

  copy(): GrowingBytes {
    return new GrowingBytes(this.#bytes.slice(0, this.#written), this.#size)
  }

  /**
   * Bytes beyond the written part are always zeros, because files grow into them. A file whose size was set beforehand
   * gets no more memory than that size.
   */
  #reserve(size: number): void {
    const { length } = this.#bytes
    if (size <= length) return
    const larger = new Uint8Array(Math.max(size, length + Math.max(256, length >> 1)))
    larger.set(this.#bytes.subarray(0, this.#written))
    this.#bytes = larger
  }
}
