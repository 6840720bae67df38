import { concatBytes } from '../../../src/base/bytes.ts'

/** Bytes that were written to a stream and not sent yet: kept in pieces, taken by length. */
export class WaitingBytes {
  readonly #pieces: Uint8Array[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
    this.#length += bytes.length
  }

  clear(): void {
    this.#pieces.length = 0
    this.#length = 0
  }

  /** Takes at most `room` of the bytes, as one piece. There must be waiting bytes. */
  take(room: number): Uint8Array {
    const pieces = this.#pieces
    const first = pieces[0] as Uint8Array
    if (first.length >= room || pieces.length === 1) {
      if (first.length <= room) pieces.shift()
      else pieces[0] = first.subarray(room)
      const taken = first.length <= room ? first : first.subarray(0, room)
      this.#length -= taken.length
      return taken
    }
    const parts: Uint8Array[] = []
    let left = room
    for (let part = pieces[0]; part !== undefined && left > 0; part = pieces[0]) {
      if (part.length <= left) {
        parts.push(part)
        pieces.shift()
      } else {
        parts.push(part.subarray(0, left))
        pieces[0] = part.subarray(left)
      }
      left -= Math.min(left, part.length)
    }
    this.#length -= room - left
    return concatBytes(parts)
  }
}
