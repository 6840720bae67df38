import type { Closable, Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Terminal } from '../../env/terminal.ts'

/**
 * The signals that come while the agent starts. Without it they would end the process at once: its pid file and sockets
 * would stay, and a reload that is requested a moment too early would end the agent.
 */
export class EarlySignals {
  /** The name of the first signal to end. */
  readonly ended: Promise<string>
  #toReload = false
  readonly #listening: readonly Closable[]

  constructor(env: Pick<Env, 'deferred'>, terminal: Pick<Terminal, 'onSignal'>) {
    const ended: Deferred<string> = env.deferred()
    this.ended = ended.promise
    this.#listening = [
      terminal.onSignal('SIGINT', () => ended.resolve('interrupt')),
      terminal.onSignal('SIGTERM', () => ended.resolve('terminated')),
      terminal.onSignal('SIGHUP', () => {
        this.#toReload = true
      }),
    ]
  }

  /** Whether a reload was requested: the start may have read older files. */
  get toReload(): boolean {
    return this.#toReload
  }

  close(): void {
    for (const one of this.#listening) one.close()
  }
}
