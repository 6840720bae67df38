import { sourceOf } from './source-shares.ts'

/** A connection as far as its memory is concerned. */
export interface Holder {
  readonly remote: { readonly host: string }
  /** Number of bytes that are held for its peer now. */
  readonly heldBytes: number
}

/** A connection for which fewer bytes are held is not counted. */
const countedBytesMin = 16 << 10
/** Beyond the maximum, connections are closed until at most this fraction of it is held. */
const relievedFraction = 7 / 8

/**
 * Limits the memory that the peers of many connections make this agent hold. Beyond it, the source for which most is held
 * loses its largest connection, so that a stranger with many connections displaces itself and not others.
 */
export class HeldMemory<Connection extends Holder> {
  readonly #bytesMax: number
  readonly #close: (largest: Connection, heldBytes: number) => void
  /** As of the last look. */
  readonly #counted = new Map<Connection, number>()
  #total = 0
  #isRelieving = false

  constructor(bytesMax: number, close: (largest: Connection, heldBytes: number) => void) {
    this.#bytesMax = bytesMax
    this.#close = close
  }

  /** More may be held for this connection than before. */
  grown(connection: Connection): void {
    this.#look(connection)
    if (this.#total <= this.#bytesMax || this.#isRelieving) return
    this.#isRelieving = true
    try {
      this.#relieve()
    } finally {
      this.#isRelieving = false
    }
  }

  gone(connection: Connection): void {
    this.#total -= this.#counted.get(connection) ?? 0
    this.#counted.delete(connection)
  }

  #look(connection: Connection): void {
    const before = this.#counted.get(connection) ?? 0
    const { heldBytes } = connection
    const now = heldBytes < countedBytesMin ? 0 : heldBytes
    if (now === before) return
    this.#total += now - before
    if (now === 0) this.#counted.delete(connection)
    else this.#counted.set(connection, now)
  }

  /**
   * Peers may have read what was queued for them since the last look. What is held may also grow meanwhile, such as by the
   * log line about a closed connection for a reader of the log.
   */
  #relieve(): void {
    for (const connection of [...this.#counted.keys()]) this.#look(connection)
    if (this.#total <= this.#bytesMax) return
    while (this.#total > this.#bytesMax * relievedFraction) {
      const largest = this.#largest()
      if (largest === undefined) return
      const { heldBytes } = largest
      this.#close(largest, heldBytes)
      this.gone(largest)
    }
  }

  /** The largest connection of the source for which most is held. */
  #largest(): Connection | undefined {
    const bySource = new Map<string, number>()
    for (const [{ remote }, bytes] of this.#counted) {
      const source = sourceOf(remote.host)
      bySource.set(source, (bySource.get(source) ?? 0) + bytes)
    }
    let found: Connection | undefined
    let sums = 0
    let most = 0
    for (const [connection, bytes] of this.#counted) {
      const sum = bySource.get(sourceOf(connection.remote.host)) ?? 0
      if (sum < sums || (sum === sums && bytes <= most)) continue
      found = connection
      sums = sum
      most = bytes
    }
    return found
  }
}
