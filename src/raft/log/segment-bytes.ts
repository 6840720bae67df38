import type { Result } from '../../base/result.ts'

/**
 * The content of a segment's file. An allocated file is zeros after what was written, and these megabytes are made only
 * where something cannot be read without them.
 */
export class SegmentBytes {
  /** All, or only those up to the last one that is not zero. */
  #bytes: Uint8Array
  readonly sizeBytes: number
  readonly writtenBytes: number

  constructor(written: Uint8Array, sizeBytes: number) {
    this.#bytes = written
    this.writtenBytes = written.length
    this.sizeBytes = sizeBytes
  }

  /** What `read` makes of the bytes. Those that it needs may end in zeros, so where it fails, it gets the zeros, too. */
  read<T, E>(read: (bytes: Uint8Array) => Result<T, E>): Result<T, E> {
    const first = read(this.#bytes)
    return first.ok || this.#bytes.length === this.sizeBytes ? first : read(this.whole())
  }

  /** With the zeros at its end. */
  whole(): Uint8Array {
    if (this.#bytes.length === this.sizeBytes) return this.#bytes
    const whole = new Uint8Array(this.sizeBytes)
    whole.set(this.#bytes)
    this.#bytes = whole
    return whole
  }

  /** A copy of a range that was read. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.slice(from, to)
  }
}
