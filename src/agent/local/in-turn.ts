import { err, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** More work than this does not wait: who brings it is refused. */
const waitingMax = 1_024

/** Lets one piece of work go on at a time, in the order in which it came. */
export class InTurn {
  readonly #env: Env
  #last: Promise<unknown> | undefined
  #waiting = 0

  constructor(env: Env) {
    this.#env = env
  }

  async run<T>(work: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
    if (this.#waiting >= waitingMax) {
      return err({ kind: 'overloaded', message: `more than ${waitingMax} changes of local services and checks wait` })
    }
    const before = this.#last
    const over = this.#env.deferred<undefined>()
    this.#last = over.promise
    this.#waiting++
    await before
    try {
      return await work()
    } finally {
      this.#waiting--
      over.resolve(undefined)
    }
  }

  /** Settled when all that waits by now is over. */
  async idle(): Promise<void> {
    await this.#last
  }
}
