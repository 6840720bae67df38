import { Pieces } from '../base/pieces.ts'
import { err, ok, type Result } from '../base/result.ts'
import { decodeFrame, type Frame, frameBytesMax } from './frame.ts'

export interface FrameReaderOptions {
  /** Whether this end has sent a request; an answer may have as many values as it has bytes. */
  readonly awaitsAnswers: () => boolean
  /** Maximum size of the frames to come. */
  readonly bytesMax?: () => number
}

/** Splits a byte stream into frames. Holds at most one unfinished frame, and no memory besides it. */
export class FrameReader {
  readonly #options: FrameReaderOptions
  readonly #pieces = new Pieces()
  /**
   * Number of bytes to collect before joining them is worthwhile: the unfinished frame's whole length once that is
   * known.
   */
  #wanted = 0

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** Size of the unfinished frame. */
  get held(): number {
    return this.#pieces.length
  }

  /**
   * Calls `use` for each frame that is now complete, with its size. An error means that the stream cannot recover.
   */
  push(bytes: Uint8Array, use: (frame: Frame, size: number) => void): Result<undefined, string> {
    let rest = bytes
    if (this.held > 0) {
      this.#pieces.push(bytes)
      if (this.held < this.#wanted) return ok(undefined)
      rest = this.#pieces.take()
    }
    let at = 0
    while (rest.length - at >= 4) {
      const length = lengthAt(rest, at)
      const max = this.#options.bytesMax?.() ?? frameBytesMax
      if (length > max) return err(`frame of ${length} bytes, at most ${max} are allowed`)
      if (rest.length - at - 4 < length) break
      const frame = decodeFrame(rest.subarray(at + 4, at + 4 + length), this.#options.awaitsAnswers())
      if (!frame.ok) return frame
      at += 4 + length
      use(frame.value, 4 + length)
    }
    // A part of the input would keep all of it alive, such as the long frame that came before.
    if (at < rest.length) this.#hold(at === 0 ? rest : rest.slice(at))
    return ok(undefined)
  }

  #hold(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
    this.#wanted = bytes.length >= 4 ? 4 + lengthAt(bytes, 0) : 4
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number, bytes[at + 3] as number]
  return a * 0x1000000 + ((b << 16) | (c << 8) | d)
}
