import { sourceOf } from '../base/source-shares.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText } from '../env/net.ts'

/**
 * Maximum number of bytes that this agent holds for the peers of all its connections. Without TLS anyone can be a peer,
 * and each connection has bounds of its own, whose sum over all connections would fill the memory.
 */
const heldBytesMax = 512 << 20
/** A connection for which fewer bytes are held is not counted. */
const countedBytesMin = 16 << 10
/** Beyond the maximum, connections are closed until at most this fraction of it is held. */
const relievedFraction = 7 / 8

/** A connection as far as its memory is concerned. */
export interface Holder {
  readonly remote: Endpoint
  /** Number of bytes that are held for its peer now. */
  readonly heldBytes: number
  close(why: string): void
}

/**
 * Limits the memory that the peers of all connections make this agent hold. Beyond it, the source for which most is held
 * loses its largest connection, so that a stranger with many connections displaces itself and not the other agents.
 */
export class HeldMemory {
  readonly #env: Pick<Env, 'log'>
  readonly #bytesMax: number
  /** As of the last look. */
  readonly #counted = new Map<Holder, number>()
  #total = 0

  constructor(env: Pick<Env, 'log'>, bytesMax = heldBytesMax) {
    this.#env = env
    this.#bytesMax = bytesMax
  }

  /** More may be held for this connection than before. */
  grown(holder: Holder): void {
    this.#look(holder)
    if (this.#total > this.#bytesMax) this.#relieve()
  }

  gone(holder: Holder): void {
    this.#total -= this.#counted.get(holder) ?? 0
    this.#counted.delete(holder)
  }

  #look(holder: Holder): void {
    const before = this.#counted.get(holder) ?? 0
    const { heldBytes } = holder
    const now = heldBytes < countedBytesMin ? 0 : heldBytes
    if (now === before) return
    this.#total += now - before
    if (now === 0) this.#counted.delete(holder)
    else this.#counted.set(holder, now)
  }

  /** Peers may have read what was queued for them since the last look. */
  #relieve(): void {
    for (const holder of [...this.#counted.keys()]) this.#look(holder)
    if (this.#total <= this.#bytesMax) return
    while (this.#total > this.#bytesMax * relievedFraction) {
      const largest = this.#largest()
      if (largest === undefined) return
      const from = endpointText(largest.remote)
      const held = largest.heldBytes
      this.gone(largest)
      this.#env.log.write(
        'warn',
        'rpc',
        'closing a connection between agents: too much memory is held for its peer',
        { remote: from, bytes: held },
        'sampled',
      )
      largest.close('too much memory is held for the peer')
    }
  }

  /** The largest connection of the source for which most is held. */
  #largest(): Holder | undefined {
    const bySource = new Map<string, number>()
    for (const [{ remote }, bytes] of this.#counted) {
      const source = sourceOf(remote.host)
      bySource.set(source, (bySource.get(source) ?? 0) + bytes)
    }
    let found: Holder | undefined
    let sums = 0
    let most = 0
    for (const [holder, bytes] of this.#counted) {
      const sum = bySource.get(sourceOf(holder.remote.host)) ?? 0
      if (sum < sums || (sum === sums && bytes <= most)) continue
      found = holder
      sums = sum
      most = bytes
    }
    return found
  }
}
