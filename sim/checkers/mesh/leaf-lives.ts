import { leafTtlMs } from '../../../src/features/connect/options.ts'
import type { Judge } from '../checker.ts'
import type { MeshState, SeenLeaf } from './mesh-facts.ts'

/** Certificates have whole seconds at both ends. */
const roundingMs = 2_000

/**
 * C6: no leaf is valid for longer, from its back-dated beginning to its end, than its datacenter was ever configured
 * for. An agent may deliver a leaf long after the configuration has changed, hence the longest lifetime of all.
 */
export class LeafLives {
  readonly #judge: Judge<{ C6: never }>
  #longestMs = 0

  constructor(judge: Judge<{ C6: never }>) {
    this.#judge = judge
  }

  configured({ configuration }: Pick<MeshState, 'configuration'>): void {
    if (configuration === undefined) return
    this.#longestMs = Math.max(this.#longestMs, leafTtlMs(configuration.options))
  }

  given({ holder, certificate: { serial, notBeforeMs, notAfterMs } }: SeenLeaf): void {
    if (this.#longestMs === 0) return
    this.#judge.judged('C6')
    const lifeMs = notAfterMs - notBeforeMs
    if (lifeMs <= this.#longestMs + roundingMs) return
    const most = `the configuration never allowed more than ${this.#longestMs / 1000} s`
    this.#judge.report('C6', `leaf ${serial} of ${holder} is valid for ${lifeMs / 1000} s, and ${most}`)
  }
}
