import type { Env } from '../env/env.ts'

/** Prepared queries that are being executed; one more is refused. */
const executedMax = 256

/**
 * Bounds the prepared queries that are executed for DNS. One that fails over waits for each datacenter that does not
 * answer, and would in time take every place for questions, also of those that have nothing to do with it.
 */
export class QueriesUnderWay {
  readonly #env: Pick<Env, 'metrics'>
  #count = 0

  constructor(env: Pick<Env, 'metrics'>) {
    this.#env = env
  }

  /** Undefined: there are too many, and this one is not executed. */
  async run<T>(execute: () => Promise<T>): Promise<T | undefined> {
    if (this.#count >= executedMax) {
      this.#env.metrics.count('dns.refused_queries')
      return undefined
    }
    this.#count++
    try {
      return await execute()
    } finally {
      this.#count--
    }
  }
}
