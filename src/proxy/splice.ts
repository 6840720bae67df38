import type { Closable } from '../env/async.ts'
import type { StreamEnd, TcpStream } from '../env/net.ts'

/**
 * Two streams, each of which sends what the other receives: pieces in order, the end of one direction as the end of
 * only that direction, and never more in memory than the high-water mark of each (the writing side waits). It begins
 * with one stream, which sends nothing until the other has joined. A break of one breaks the other.
 */
export class Splice implements Closable {
  readonly #first: TcpStream
  readonly #onOver: () => void
  #second: TcpStream | undefined
  #firstEnded = false
  #open = 1

  /** Must be called in the turn in which the stream is received. `onOver`: called once, when both are over. */
  constructor(first: TcpStream, onOver: () => void) {
    this.#first = first
    this.#onOver = onOver
    first.onData((bytes) => this.#pass(bytes, first, this.#second))
    first.onEnd(() => {
      this.#firstEnded = true
      this.#second?.end()
    })
    first.onDrain(() => this.#second?.resume())
    first.onClose((why) => this.#closed(this.#second, why))
    first.pause()
  }

  get isOver(): boolean {
    return this.#open === 0
  }

  /** Must be called in the turn in which the stream is received. */
  join(second: TcpStream): void {
    if (this.isOver) {
      second.onClose(() => undefined)
      second.close()
      return
    }
    const first = this.#first
    this.#second = second
    this.#open++
    second.onData((bytes) => this.#pass(bytes, second, first))
    second.onEnd(() => first.end())
    second.onDrain(() => first.resume())
    second.onClose((why) => this.#closed(first, why))
    if (this.#early.length > 0) for (const bytes of this.#early.splice(0)) this.#pass(bytes, first, second)
    if (this.#firstEnded) second.end()
    first.resume()
  }

  close(): void {
    this.#first.close()
    this.#second?.close()
  }

  /** Bytes that arrived in the very turn in which the first stream was received. */
  readonly #early: Uint8Array[] = []

  #pass(bytes: Uint8Array, from: TcpStream, to: TcpStream | undefined): void {
    if (to === undefined) this.#early.push(bytes)
    else if (!to.write(bytes)) from.pause()
  }

  #closed(other: TcpStream | undefined, why: StreamEnd): void {
    this.#open--
    if (why !== 'ended') other?.close()
    if (this.#open === 0) this.#onOver()
  }
}
