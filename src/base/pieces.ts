import { concatBytes, emptyBytes } from './bytes.ts'

/** A shorter piece is copied into a block with others. */
const smallBytes = 1 << 10
const blockBytes = 4 << 10

/**
 * Bytes that arrive in pieces, until all of them are wanted in one. Small pieces are copied into common blocks, because
 * each piece costs some hundred bytes of memory besides its own: a sender that sends single bytes would make its reader
 * hold several hundred times as much.
 */
export class Pieces {
  #pieces: Uint8Array[] = []
  #block: Uint8Array | undefined
  /** Number of used bytes of the block. */
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The piece must not change afterwards. */
  push(piece: Uint8Array): void {
    const isFirst = this.#length === 0
    this.#length += piece.length
    // Most often the first piece is the only one.
    if (isFirst || piece.length >= smallBytes) {
      this.#endBlock()
      this.#pieces.push(piece)
      return
    }
    if (this.#used + piece.length > blockBytes) this.#endBlock()
    this.#block ??= new Uint8Array(blockBytes)
    this.#block.set(piece, this.#used)
    this.#used += piece.length
  }

  /** All of them. There are none afterwards. */
  take(): Uint8Array {
    this.#endBlock()
    const [first = emptyBytes, ...more] = this.#pieces
    this.#pieces = []
    this.#length = 0
    return more.length === 0 ? first : concatBytes([first, ...more])
  }

  /** The rest of a block that is mostly empty is given back. */
  #endBlock(): void {
    const block = this.#block
    if (block !== undefined) {
      const isFull = this.#used > blockBytes / 2
      this.#pieces.push(isFull ? block.subarray(0, this.#used) : block.slice(0, this.#used))
    }
    this.#block = undefined
    this.#used = 0
  }
}
