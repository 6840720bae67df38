import type { Invocation } from './command.ts'

/**
 * A request that the command ends, from the keyboard or by a signal. Until this is closed, such a request does not end
 * the process.
 */
export class Interruption {
  readonly uttered: Promise<'interrupted'>
  #isUttered = false
  readonly #listening: readonly { close(): void }[]

  constructor({ env, terminal }: Pick<Invocation, 'env' | 'terminal'>) {
    const uttered = env.deferred<'interrupted'>()
    this.uttered = uttered.promise
    const utter = (): void => {
      this.#isUttered = true
      uttered.resolve('interrupted')
    }
    this.#listening = [terminal.onSignal('SIGINT', utter), terminal.onSignal('SIGTERM', utter)]
  }

  get isUttered(): boolean {
    return this.#isUttered
  }

  close(): void {
    for (const one of this.#listening) one.close()
  }
}
