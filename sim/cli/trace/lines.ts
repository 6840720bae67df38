import { concatBytes, textOf } from '../../../src/base/bytes.ts'

/** Longer lines were not written by this program. */
export const lineBytesMax = 4 << 20
const newline = 0x0a

/** Splits pieces of a text into lines. Holds at most one unfinished line. */
export class LineCutter {
  #parts: Uint8Array[] = []
  #held = 0

  /** Whether there is text after the last end of a line. */
  get rest(): string | undefined {
    return this.#held === 0 ? undefined : textOf(concatBytes(this.#parts))
  }

  /** Number of bytes after the last end of a line. */
  get heldBytes(): number {
    return this.#held
  }

  /** The lines that are now complete; undefined: one is longer than allowed. */
  push(piece: Uint8Array): readonly string[] | undefined {
    const lines: string[] = []
    let at = 0
    for (let end = piece.indexOf(newline, at); end >= 0; end = piece.indexOf(newline, at)) {
      lines.push(this.#line(piece.subarray(at, end)))
      at = end + 1
    }
    if (at < piece.length) {
      this.#parts.push(piece.subarray(at))
      this.#held += piece.length - at
    }
    return this.#held > lineBytesMax ? undefined : lines
  }

  #line(end: Uint8Array): string {
    if (this.#held === 0) return textOf(end)
    const line = textOf(concatBytes([...this.#parts, end]))
    this.#parts = []
    this.#held = 0
    return line
  }
}
