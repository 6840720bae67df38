import { concatBytes, utf8 } from '../../base/bytes.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'

/** Output is written when it reaches this size, or after this time. Each piece is an entry of the Raft log. */
const pieceBytes = 4 << 10
const pieceMs = 500
const pieceBytesMax = 64 << 10
/** Maximum size of output that waits to be written; the rest is dropped, and the output says so. */
const unwrittenMax = 1 << 20

/** Writes output in pieces, one after the other, and a sign of life while there is no output. */
export class Pieces {
  /** Settles when a piece could not be written, or the job is closed. */
  readonly lost: Promise<void>
  readonly #env: Env
  readonly #write: (number: number, piece: Uint8Array) => Promise<boolean>
  readonly #beatMs: number
  readonly #end: () => void
  #waiting: Uint8Array[] = []
  #bytes = 0
  #leftOut = 0
  #number = 0
  #isLost = false
  #finishing = false
  #timer: Closable | undefined
  #writing: Promise<void> | undefined

  constructor(env: Env, write: (number: number, piece: Uint8Array) => Promise<boolean>, waitMs: number) {
    const lost = env.deferred<void>()
    this.lost = lost.promise
    this.#end = () => lost.resolve(undefined)
    this.#env = env
    this.#write = write
    this.#beatMs = Math.max(pieceMs, waitMs)
    this.#arm(this.#beatMs)
  }

  push(piece: Uint8Array): void {
    if (this.#bytes + piece.length > unwrittenMax) {
      this.#leftOut += piece.length
      return
    }
    // The sender may reuse this memory.
    this.#waiting.push(piece.slice())
    this.#bytes += piece.length
    if (this.#bytes >= pieceBytes) this.#flush()
    else if (this.#waiting.length === 1) this.#arm(pieceMs)
  }

  close(): void {
    this.#isLost = true
    this.#timer?.close()
    this.#end()
  }

  /** Settles when all output is written; false if it could not be. */
  async finished(): Promise<boolean> {
    this.#finishing = true
    await this.#writing
    if (this.#leftOut > 0) this.#waiting.push(utf8(`\n[${this.#leftOut} bytes left out]\n`))
    while (this.#waiting.length > 0 && !this.#isLost) await this.#writeNext()
    const written = !this.#isLost
    this.close()
    return written
  }

  #arm(afterMs: number): void {
    this.#timer?.close()
    this.#timer = this.#env.timers.after(afterMs, () => this.#flush())
  }

  /** Writes waiting output, or a sign of life if there is none. */
  #flush(): void {
    if (this.#writing !== undefined || this.#isLost || this.#finishing) return
    this.#timer?.close()
    this.#writing = this.#writeAll()
    this.#env.detach(this.#writing)
  }

  async #writeAll(): Promise<void> {
    do await this.#writeNext()
    while (this.#bytes >= pieceBytes && !this.#isLost && !this.#finishing)
    this.#writing = undefined
    if (!this.#isLost && !this.#finishing) this.#arm(this.#waiting.length > 0 ? pieceMs : this.#beatMs)
  }

  async #writeNext(): Promise<void> {
    const all = concatBytes(this.#waiting)
    const piece = all.subarray(0, pieceBytesMax)
    const rest = all.subarray(pieceBytesMax)
    this.#waiting = rest.length > 0 ? [rest] : []
    this.#bytes = rest.length
    if (!(await this.#write(this.#number++, piece))) this.close()
  }
}
