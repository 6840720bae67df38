import { concatBytes, textOf } from '../../../src/base/bytes.ts'
import type { StreamEnd, TcpStream } from '../../../src/env/net.ts'

/** Sets every handler of a stream and keeps what they are told, in order. */
export class ObservedStream {
  readonly stream: TcpStream
  /** `end`, `drain` and `close:<why>` as they came; data is in `bytes`. */
  readonly events: string[] = []
  readonly closed: Promise<StreamEnd>
  readonly #pieces: Uint8Array[] = []
  readonly #waiting: { readonly until: () => boolean; readonly go: () => void }[] = []

  constructor(stream: TcpStream) {
    this.stream = stream
    stream.onData((bytes) => {
      this.#pieces.push(bytes)
      this.#look()
    })
    stream.onEnd(() => this.#event('end'))
    stream.onDrain(() => this.#event('drain'))
    this.closed = new Promise((resolve) => {
      stream.onClose((why) => {
        this.#event(`close:${why}`)
        resolve(why)
      })
    })
  }

  get bytes(): Uint8Array {
    return concatBytes(this.#pieces)
  }

  get text(): string {
    return textOf(this.bytes)
  }

  /** Resolves once `condition` holds, looked at after everything that happens to the stream. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ until: condition, go: resolve })
      this.#look()
    })
  }

  happened(event: string): Promise<void> {
    return this.until(() => this.events.includes(event))
  }

  #event(event: string): void {
    this.events.push(event)
    this.#look()
  }

  #look(): void {
    for (const each of [...this.#waiting]) {
      if (!each.until()) continue
      this.#waiting.splice(this.#waiting.indexOf(each), 1)
      each.go()
    }
  }
}
