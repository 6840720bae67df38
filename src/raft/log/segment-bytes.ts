import type { Result } from '../../base/result.ts'

/** Zeros that are tried before all of them. */
const littleBytes = 4096

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
    let result = read(this.#bytes)
    while (!result.ok && this.#bytes.length < this.sizeBytes) {
      // A header ends in a few zeros, a batch in as many as a client wrote.
      const isLittle = this.#bytes.length < this.writtenBytes + littleBytes
      result = read(this.#padded(isLittle ? this.writtenBytes + littleBytes : this.sizeBytes))
    }
    return result
  }

  /** With the zeros at its end. */
  whole(): Uint8Array {
    return this.#padded(this.sizeBytes)
  }

  #padded(wantedBytes: number): Uint8Array {
    const length = Math.min(wantedBytes, this.sizeBytes)
    if (length <= this.#bytes.length) return this.#bytes
    const padded = new Uint8Array(length)
    padded.set(this.#bytes)
    this.#bytes = padded
    return padded
  }

  /** A copy of a range that was read. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.slice(from, to)
  }
}
