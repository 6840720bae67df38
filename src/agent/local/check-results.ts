import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { ChecksConfig } from '../settings/agent-config.ts'
import type { CheckChange } from './check-entries.ts'
import { itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { Outcome } from './probes/outcome.ts'

interface CheckResultsParts {
  readonly env: Env
  readonly state: LocalState
  settings(): ChecksConfig
  /** There is a change to sync to the catalog. */
  changed(): void
}

/**
 * Passes the results of checks to the state: a new status is synced at once, a new output alone later. Reference:
 * definitions.md#check-sync.
 */
export class CheckResults {
  readonly #parts: CheckResultsParts
  /** Timers after which a deferred output is synced, by `itemKey`. */
  readonly #deferred = new Map<string, Closable>()

  constructor(parts: CheckResultsParts) {
    this.#parts = parts
  }

  /** A run has ended, or a TTL has expired. */
  found(checkId: string, outcome: Outcome): void {
    const { env, state, changed } = this.#parts
    const change = this.take(checkId, outcome)
    if (change === 'none' || state.isOutputDeferred(checkId)) return
    if (change === 'status') {
      const level = outcome.status === 'passing' ? 'info' : 'warn'
      env.log.write(level, 'agent', `Check is now ${outcome.status}`, { check: checkId })
    }
    changed()
  }

  /** Puts the result into the state; the caller syncs it to the catalog. */
  take(checkId: string, { status, output }: Outcome): CheckChange {
    const { env, state, settings } = this.#parts
    const { discardOutput, updateIntervalMs } = settings()
    const shown = discardOutput ? '' : output
    const change = state.updateCheck(checkId, status, shown, env.clock.monoMs(), updateIntervalMs > 0)
    if (change === 'output' && state.isOutputDeferred(checkId)) this.#defer(checkId, updateIntervalMs)
    return change
  }

  forget(checkId: string): void {
    const key = itemKey(checkId)
    this.#deferred.get(key)?.close()
    this.#deferred.delete(key)
  }

  stop(): void {
    for (const timer of this.#deferred.values()) timer.close()
    this.#deferred.clear()
  }

  /**
   * The delay is spread around the interval, so that checks of many agents that change at once are not synced at once.
   */
  #defer(checkId: string, intervalMs: number): void {
    if (this.#deferred.has(itemKey(checkId))) return
    const { env, state, changed } = this.#parts
    const delayMs = intervalMs / 2 + env.random.draws('agent.output', checkId).fraction() * intervalMs
    const timer = env.timers.after(delayMs, () => {
      this.#deferred.delete(itemKey(checkId))
      if (state.outputDue(checkId)) changed()
    })
    this.#deferred.set(itemKey(checkId), timer)
  }
}
