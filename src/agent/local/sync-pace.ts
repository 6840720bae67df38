import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** Everything is compared this often, and less often in large clusters. Reference: agent.md#sync-to-the-catalog. */
const fullIntervalMs = 60_000
/** A sync that failed is made up for after a random part of this, and at least the pause below. */
const retryMs = 15_000
const retryPauseMs = 1_000
/** So many syncs in a row that are refused for want of a token are made up for sooner: after the pause, twice that, and so on. */
const soonRefusalsMax = 4
/** So much later at most, for each agent of the pool, a server that came within reach is asked: not all at one instant. */
const triggerSpreadMs = 25
const triggerSpreadMaxMs = 3_000
/** Number of agents up to which they sync at the full rate. */
const fullRateNodes = 128

/** How much less often an agent of a cluster of this size syncs: log2(nodes / 128) + 1, rounded up. */
export function syncScale(nodes: number): number {
  if (nodes <= fullRateNodes) return 1
  // The whole part of the logarithm, rounded up, without a function that engines may round each in their own way.
  const log2 = 32 - Math.clz32(nodes - 1)
  return log2 - 7 + 1
}

interface PaceParts {
  readonly env: Pick<Env, 'random' | 'timers'>
  /** Agents of the pool. */
  nodeCount(): number
  /** Everything is to be compared. */
  onFull(): void
  /** What failed is to be made up for. */
  onRetry(): void
}

/** When an agent compares what it holds with the catalog, and tries again what failed. */
export class SyncPace {
  readonly #parts: PaceParts
  /** Syncs in a row that were refused for want of rights. */
  #refusals = 0
  #fullTimer: Closable | undefined
  #soonTimer: Closable | undefined
  #retryTimer: Closable | undefined

  constructor(parts: PaceParts) {
    this.#parts = parts
  }

  stop(): void {
    for (const timer of [this.#fullTimer, this.#soonTimer, this.#retryTimer]) timer?.close()
  }

  /** Everything is compared again after the usual time. */
  scheduleFull(): void {
    this.#fullTimer?.close()
    const intervalMs = fullIntervalMs * this.#scale()
    this.#fullTimer = this.#parts.env.timers.after(intervalMs + this.#random() * intervalMs, () => this.#parts.onFull())
  }

  /** Compares everything soon, once for all callers until then. */
  fullSoon(): void {
    if (this.#soonTimer !== undefined) return
    const spreadMs = Math.min(triggerSpreadMs * this.#parts.nodeCount(), triggerSpreadMaxMs)
    this.#soonTimer = this.#parts.env.timers.after(this.#random() * spreadMs, () => {
      this.#soonTimer = undefined
      this.#parts.onFull()
    })
  }

  succeeded(): void {
    this.#refusals = 0
  }

  failed(failure: Failure): void {
    this.#retryTimer?.close()
    const pauseMs = Math.min(retryPauseMs + this.#random() * retryMs * this.#scale(), this.#refusedPauseMs(failure))
    this.#retryTimer = this.#parts.env.timers.after(pauseMs, () => this.#parts.onRetry())
  }

  /** Tokens are made soon after a cluster comes up: an agent that lacks one retries soon at first, and later at the usual pace. */
  #refusedPauseMs({ kind }: Failure): number {
    const isRefused = kind === 'token-not-found' || kind === 'permission-denied'
    this.#refusals = isRefused ? this.#refusals + 1 : 0
    const isSoon = isRefused && this.#refusals <= soonRefusalsMax
    return isSoon ? retryPauseMs * (1 << (this.#refusals - 1)) * this.#scale() : Number.POSITIVE_INFINITY
  }

  #scale(): number {
    return syncScale(this.#parts.nodeCount())
  }

  #random(): number {
    return this.#parts.env.random.stream('agent.sync').fraction()
  }
}
