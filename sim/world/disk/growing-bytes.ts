/** Bytes of a file: any length, holes read as zeros. */
export class GrowingBytes {
  #bytes: Uint8Array
  #size: number

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes
    this.#size = bytes.length
  }

  get size(): number {
    return this.#size
  }

  /** A copy. */
  read(at: number, length: number): Uint8Array {
    return this.#bytes.slice(Math.min(at, this.#size), Math.min(at + length, this.#size))
  }

  write(at: number, bytes: Uint8Array): void {
    const end = at + bytes.length
    if (bytes.length === 0) return
    this.#reserve(end)
    this.#bytes.set(bytes, at)
    this.#size = Math.max(this.#size, end)
  }

  truncate(size: number): void {
    this.#reserve(size)
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    this.#size = size
  }

  copy(): GrowingBytes {
    return new GrowingBytes(this.#bytes.slice(0, this.#size))
  }

  /** What lies beyond the size is zeros, always: files grow into it. */
  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length, 256))
    larger.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = larger
  }
}
