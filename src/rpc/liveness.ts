import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'

/**
 * Silence after which a peer is pinged when we send to it, and further silence after which the connection is closed.
 */
const silenceBeforePingMs = 1_000
const silenceAfterPingMs = 2_000
/** Interval of the checks of a connection on which requests wait. */
const keepaliveMs = 1_000

export interface LivenessParts {
  readonly env: Pick<Env, 'clock' | 'timers'>
  readonly ping: () => void
  /** The peer has not answered a ping in time. */
  readonly dead: () => void
  /** Whether an answer of the peer is awaited. */
  readonly isAwaited: () => boolean
}

/**
 * Whether the peer of one connection is alive. With a dead peer behind a cut cable, TCP is silent for many minutes. So
 * every send first checks how long the peer has been silent: first the peer is pinged, then the connection is closed,
 * and the next message dials again.
 */
export class Liveness {
  readonly #parts: LivenessParts
  #lastHeardMs: number
  #pingedMs: number | undefined
  #timer: Closable | undefined
  #stopped = false

  constructor(parts: LivenessParts) {
    this.#parts = parts
    this.#lastHeardMs = parts.env.clock.monoMs()
  }

  /** Bytes of the peer have arrived. */
  heard(): void {
    this.#lastHeardMs = this.#parts.env.clock.monoMs()
    this.#pingedMs = undefined
  }

  /** Called before each send. False: the peer is dead, and `dead` was called. */
  check(): boolean {
    const { env, ping, dead } = this.#parts
    const now = env.clock.monoMs()
    if (this.#pingedMs !== undefined) {
      if (now - this.#pingedMs <= silenceAfterPingMs) return true
      dead()
      return false
    }
    if (now - this.#lastHeardMs > silenceBeforePingMs) {
      this.#pingedMs = now
      ping()
    }
    return true
  }

  /** Checks at intervals, for as long as an answer is awaited. */
  watch(): void {
    if (this.#timer !== undefined || this.#stopped) return
    this.#timer = this.#parts.env.timers.after(keepaliveMs, () => {
      this.#timer = undefined
      if (this.#parts.isAwaited() && this.check()) this.watch()
    })
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.close()
  }
}
