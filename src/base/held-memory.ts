import { sourceOf } from './source-shares.ts'

/** A connection as far as its memory is concerned. */
export interface Holder {
  readonly remote: { readonly host: string }
  /** Number of bytes that are held for its peer now. */
  readonly heldBytes: number
}

interface Source<Connection> {
  bytes: number
  /** The largest one is the last. */
  readonly connections: { readonly connection: Connection; readonly bytes: number }[]
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
    const sources = this.#bySource()
    while (this.#total > this.#bytesMax * relievedFraction) {
      let most: Source<Connection> | undefined
      for (const source of sources) if (source.bytes > (most?.bytes ?? 0)) most = source
      const largest = most?.connections.pop()
      if (most === undefined || largest === undefined) return
      most.bytes -= largest.bytes
      if (!this.#counted.has(largest.connection)) continue
      this.#close(largest.connection, largest.connection.heldBytes)
      this.gone(largest.connection)
    }
  }

  /** What is held for each source, found once for all connections that are closed now. */
  #bySource(): readonly Source<Connection>[] {
    const sources = new Map<string, Source<Connection>>()
    for (const [connection, bytes] of this.#counted) {
      const name = sourceOf(connection.remote.host)
      const source = sources.get(name) ?? { bytes: 0, connections: [] }
      sources.set(name, source)
      source.bytes += bytes
      source.connections.push({ connection, bytes })
    }
    for (const { connections } of sources.values()) connections.sort((one, other) => one.bytes - other.bytes)
    return [...sources.values()]
  }
}
