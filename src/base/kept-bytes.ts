const bufferBytes = 16 << 10
/** A larger copy gets memory of its own. */
const sharedBytesMax = 1 << 10

/**
 * Copies of byte arrays that are kept for long and released in about the order of copying. Small ones share memory,
 * because a buffer for each would cost more than most contents; each may keep `bufferBytes` alive.
 */
export class KeptBytes {
  #buffer = new ArrayBuffer(bufferBytes)
  #used = 0

  copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (length > sharedBytesMax) return new Uint8Array(bytes)
    if (this.#used + length > bufferBytes) {
      this.#buffer = new ArrayBuffer(bufferBytes)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#buffer, this.#used, length)
    copy.set(bytes)
    this.#used += length
    return copy
  }
}
