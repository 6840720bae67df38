/** Bytes of a file: any length, holes read as zeros. What was never written takes no memory. */
export class GrowingBytes {
  #bytes: Uint8Array
  /** Up to here there are bytes; the rest of the size is zeros. */
  #written: number
  #size: number

  constructor(bytes: Uint8Array = new Uint8Array(0), size: number = bytes.length) {
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

  copy(): GrowingBytes {
    return new GrowingBytes(this.#bytes.slice(0, this.#written), this.#size)
  }

  /** What lies beyond what was written is zeros, always: files grow into it. */
  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length, 256))
    larger.set(this.#bytes.subarray(0, this.#written))
    this.#bytes = larger
  }
}
