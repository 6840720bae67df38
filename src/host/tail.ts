/** The last `bytesMax` bytes of a stream of any length, in memory of at most twice that. */
export class Tail {
  readonly #bytesMax: number
  readonly #pieces: Uint8Array[] = []
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  push(piece: Uint8Array): void {
    const kept = piece.length > this.#bytesMax ? piece.subarray(piece.length - this.#bytesMax) : piece
    // A copy, because a part of a large buffer would keep all of it in memory.
    this.#pieces.push(new Uint8Array(kept))
    this.#length += kept.length
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#length - first.length < this.#bytesMax) break
      this.#pieces.shift()
      this.#length -= first.length
    }
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#length)
    let at = 0
    for (const piece of this.#pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return all.slice(Math.max(0, this.#length - this.#bytesMax))
  }
}
