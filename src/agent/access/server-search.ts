import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** Pause between two attempts, unless a server appears earlier. */
const pauseMs = 500

/**
 * The search for a server that can answer, for some time after the start of an agent: it may not have found one yet.
 * Afterwards the agent concludes that no server can.
 */
export class ServerSearch {
  readonly #env: Env
  readonly #untilMs: number
  /** Callbacks that end the pauses. */
  readonly #pauses = new Set<() => void>()
  #stopped = false

  constructor(env: Env, forMs: number) {
    this.#env = env
    this.#untilMs = env.clock.monoMs() + forMs
  }

  /** Whether the attempt failed because no server could be asked, and another one is due after a pause. */
  goesOn({ kind }: Failure): boolean {
    const isOfNobody = kind === 'unknown-datacenter' || kind === 'no-servers' || kind === 'no-leader'
    return isOfNobody && !this.#stopped && this.#env.clock.monoMs() < this.#untilMs
  }

  pause(): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const end = (): void => {
      timer.close()
      this.#pauses.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(pauseMs, end)
    this.#pauses.add(end)
    return deferred.promise
  }

  /** A server may have become reachable: every pause ends. */
  hope(): void {
    for (const end of [...this.#pauses]) end()
  }

  stop(): void {
    this.#stopped = true
    this.hope()
  }
}
