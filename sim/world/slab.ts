const slabBytes = 64 << 10
/** A larger copy gets memory of its own. */
const sharedBytesMax = 4 << 10

/**
 * Copies of small byte arrays, many in one buffer: allocating memory outside the engine's heap for each takes many
 * times longer than copying the bytes.
 */
export class Slab {
  #buffer = new ArrayBuffer(slabBytes)
  #used = 0

  copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (length > sharedBytesMax) return bytes.slice()
    if (this.#used + length > slabBytes) {
      this.#buffer = new ArrayBuffer(slabBytes)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#buffer, this.#used, length)
    copy.set(bytes)
    this.#used += length
    return copy
  }
}
