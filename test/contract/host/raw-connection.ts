import { connect, type Socket } from 'node:net'
import type { Endpoint } from '../../../src/env/net.ts'

/** A plain connection on which a test writes and reads HTTP, or anything else, by the byte. */
export class RawConnection {
  readonly socket: Socket
  #text = ''
  #ended = false
  readonly #waiting: { readonly until: (text: string, ended: boolean) => boolean; readonly go: () => void }[] = []

  constructor({ host, port }: Endpoint) {
    this.socket = connect({ host, port, allowHalfOpen: true })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.#text += text
      this.#look()
    })
    for (const event of ['end', 'close', 'error']) {
      this.socket.on(event, () => {
        this.#ended = true
        this.#look()
      })
    }
  }

  get text(): string {
    return this.#text
  }

  write(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** Ends the own side only. */
  end(text = ''): void {
    this.socket.end(text, 'latin1')
  }

  /** Everything received, once it satisfies `pattern`, or the peer ended. */
  async received(pattern: RegExp): Promise<string> {
    await this.#until((text, ended) => ended || pattern.test(text))
    return this.#text
  }

  /** Everything received until the peer ended. */
  async all(): Promise<string> {
    await this.#until((_text, ended) => ended)
    return this.#text
  }

  close(): void {
    this.socket.destroy()
  }

  #until(until: (text: string, ended: boolean) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ until, go: resolve })
      this.#look()
    })
  }

  #look(): void {
    for (const each of [...this.#waiting]) {
      if (!each.until(this.#text, this.#ended)) continue
      this.#waiting.splice(this.#waiting.indexOf(each), 1)
      each.go()
    }
  }
}
