/** Time that a body has in any case. */
const bodyTimeoutMs = 120_000
/**
 * Bytes with which a body gains a further millisecond: one of 64 KiB/s or more, such as a snapshot that is restored over
 * a slow link, is never cut off for its size, and a client that sends a byte now and then holds its connection no longer
 * than one that sends none.
 */
const bytesPerMs = 64
const lookEveryMs = 5_000

/** A body that is being read, or read and dropped. */
export interface PacedBody {
  readonly beganMs: number
  bytes: number
  tooSlow: () => void
}

/**
 * The bodies that one listener reads, each with its own time to come. Node's own limit is one for all requests, whatever
 * their size, and also runs while a request waits behind others of its connection.
 */
export class BodyPace {
  readonly #bodies = new Set<PacedBody>()
  #looks: NodeJS.Timeout | undefined

  begin(tooSlow: () => void): PacedBody {
    const body = { beganMs: performance.now(), bytes: 0, tooSlow }
    this.#bodies.add(body)
    this.#looks ??= setInterval(() => this.#look(), lookEveryMs).unref()
    return body
  }

  end(body: PacedBody): void {
    this.#bodies.delete(body)
  }

  #look(): void {
    const now = performance.now()
    for (const body of this.#bodies) {
      if (now - body.beganMs <= bodyTimeoutMs + body.bytes / bytesPerMs) continue
      this.#bodies.delete(body)
      body.tooSlow()
    }
    if (this.#bodies.size > 0) return
    clearInterval(this.#looks)
    this.#looks = undefined
  }
}
