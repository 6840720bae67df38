/** Bytes on their way or not yet read by the peer, of one direction. */
const windowBytes = 256 << 10

/**
 * What one direction of a connection may have under way: bytes take room when they are sent, and free it when the
 * sender hears that the peer's application has read them.
 */
export class TcpWindow {
  #used = 0
  /** Bytes that get free, in order of time. */
  readonly #freed: { readonly atUs: number; readonly bytes: number }[] = []
  /** Bytes that the peer has read, but whose window update was lost. */
  #unheard = 0
  #wordLost = false

  /** Bytes that may be sent now, as far as `update` has got. */
  get room(): number {
    return windowBytes - this.#used
  }

  /** When room gets free next; undefined: nothing that was read is on its way to the sender. */
  get opensAtUs(): number | undefined {
    return this.#freed[0]?.atUs
  }

  sent(bytes: number): void {
    this.#used += bytes
  }

  /** At this time the sender learns that these bytes were read. */
  read(bytes: number, heardAtUs: number): void {
    this.#freed.push({ atUs: heardAtUs, bytes })
  }

  /** The peer's word does not get back: neither that these bytes were read, nor any other until `heard`. */
  lostWord(bytes = 0): void {
    this.#unheard += bytes
    this.#wordLost = true
  }

  /** Window updates of the peer arrive again. */
  heard(): void {
    if (!this.#wordLost) return
    this.#wordLost = false
    this.#used -= this.#unheard
    this.#unheard = 0
  }

  /** Frees the bytes of all window updates received by now. */
  update(nowUs: number): void {
    while (this.#freed.length > 0) {
      const first = this.#freed[0] as { atUs: number; bytes: number }
      if (first.atUs > nowUs) return
      this.#used -= first.bytes
      this.#freed.shift()
    }
  }
}
