/** Maximum number of bytes of one direction that are under way or not yet read by the peer. */
const windowBytes = 256 << 10

/**
 * How much one direction of a connection may have under way: bytes take space when they are sent, and free it when the
 * sender learns that the peer's application has read them.
 */
export class TcpWindow {
  #used = 0
  /** Bytes that become free, in order of time. */
  readonly #freed: { readonly atUs: number; readonly bytes: number }[] = []
  /** Number of bytes that the peer has read, but whose window update was lost. */
  #unheard = 0
  #wordLost = false

  /** Number of bytes that may be sent now, as of the last `update`. */
  get room(): number {
    return windowBytes - this.#used
  }

  /** When space becomes free next; undefined: no window update is under way to the sender. */
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

  /** The peer's acknowledgements are lost: of these bytes, and of any others until `heard`. */
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
