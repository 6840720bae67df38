import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** Interval of full comparisons, longer in large clusters. Reference: agent.md#sync-to-the-catalog. */
const fullIntervalMs = 60_000
/** A failed sync is retried after a random part of this, and no sooner than the pause below. */
const retryMs = 15_000
const retryPauseMs = 1_000
/**
 * This many successive syncs that are refused for lack of rights are retried sooner: after the pause, twice that, and
 * so on.
 */
const soonRefusalsMax = 4
/**
 * Maximum delay per agent of the pool before it asks a server that became reachable, so that not all agents ask at
 * once.
 */
const triggerSpreadMs = 25
const triggerSpreadMaxMs = 3_000
/** Number of agents up to which each one syncs at the full rate. */
const fullRateNodes = 128

/** Factor by which an agent of a cluster of this size syncs less often: log2(nodes / 128) + 1, rounded up. */
export function syncScale(nodes: number): number {
  if (nodes <= fullRateNodes) return 1
  // The logarithm rounded up, in integers: engines may round floating-point logarithms differently.
  const log2 = 32 - Math.clz32(nodes - 1)
  return log2 - 7 + 1
}

interface PaceParts {
  readonly env: Pick<Env, 'random' | 'timers' | 'batches'>
  /** Number of agents in the pool. */
  nodeCount(): number
  /** Everything is to be compared now. */
  onFull(): void
  /** A failed sync is to be retried now. */
  onRetry(): void
}

/** Decides when an agent compares its services with the catalog, and when it retries a failed sync. */
export class SyncPace {
  readonly #parts: PaceParts
  /** Successive syncs that were refused for lack of rights. */
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

  /** Schedules the next full comparison after the usual interval. */
  scheduleFull(): void {
    this.#fullTimer?.close()
    const intervalMs = fullIntervalMs * this.#scale()
    this.#fullTimer = this.#parts.env.timers.after(intervalMs + this.#random('full') * intervalMs, () =>
      this.#parts.onFull(),
    )
  }

  /** Schedules a full comparison soon, one for all callers until then. */
  fullSoon(): void {
    this.#parts.env.batches?.woken(this)
    if (this.#soonTimer !== undefined) return
    const spreadMs = Math.min(triggerSpreadMs * this.#parts.nodeCount(), triggerSpreadMaxMs)
    this.#soonTimer = this.#parts.env.timers.after(this.#random('soon') * spreadMs, () => {
      this.#soonTimer = undefined
      this.#parts.env.batches?.goesOn(this)
      this.#parts.onFull()
    })
  }

  succeeded(): void {
    this.#refusals = 0
  }

  failed(failure: Failure): void {
    this.#retryTimer?.close()
    const pauseMs = Math.min(
      retryPauseMs + this.#random('retry') * retryMs * this.#scale(),
      this.#refusedPauseMs(failure),
    )
    this.#retryTimer = this.#parts.env.timers.after(pauseMs, () => this.#parts.onRetry())
  }

  /**
   * Tokens are created soon after a cluster comes up: an agent without its token retries soon at first, and later at
   * the usual pace.
   */
  #refusedPauseMs({ kind }: Failure): number {
    const isRefused = kind === 'token-not-found' || kind === 'permission-denied'
    this.#refusals = isRefused ? this.#refusals + 1 : 0
    const isSoon = isRefused && this.#refusals <= soonRefusalsMax
    return isSoon ? retryPauseMs * (1 << (this.#refusals - 1)) * this.#scale() : Number.POSITIVE_INFINITY
  }

  #scale(): number {
    return syncScale(this.#parts.nodeCount())
  }

  #random(what: string): number {
    return this.#parts.env.random.draws('agent.sync', what).fraction()
  }
}
