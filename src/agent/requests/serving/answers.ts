import type { Env } from '../../../env/env.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { ReadMeta, Standing } from '../../../features/contract/reading.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { Store } from '../../../store/store.ts'
import type { Gate } from '../../access/gate.ts'
import type { Freshness } from './freshness.ts'
import type { KeptResult, LiveResult } from './kept-result.ts'
import { type Found, Served } from './seen-results.ts'

export interface AnswersParts {
  readonly env: Pick<Env, 'metrics'>
  readonly store: Pick<Store, 'index'>
  /** Undefined: access control is off, and every call is allowed. */
  readonly gate: Gate | undefined
  readonly freshness: Freshness
}

/** Makes answers of results: how fresh they are, and for how long they stand. Each answer is counted. */
export class Answers {
  readonly #parts: AnswersParts

  constructor(parts: AnswersParts) {
    this.#parts = parts
  }

  /** `meta`: how fresh the result is, unless that is what this server knows now. */
  of(
    endpoint: QueryEndpoint,
    args: unknown,
    { result, asker, view, index }: Found,
    meta: ReadMeta = this.#parts.freshness.meta(index),
  ): Served {
    this.#count(endpoint, args, result)
    const { gate } = this.#parts
    if (gate === undefined) return new Served(endpoint, view, meta, result, this.#standingOf)
    const { authorizer, token } = asker
    return new Served(endpoint, view, meta, result, (of, at) => {
      const { now } = this.#standingOf(of, at)
      return { now: () => (gate.isStill(endpoint, token, authorizer) ? now() : undefined) }
    })
  }

  #count(endpoint: QueryEndpoint, args: unknown, result: KeptResult): void {
    const { metrics } = this.#parts.env
    metrics.count('rpc.query')
    for (const { name, labels } of endpoint.counts?.(args, result.value) ?? []) metrics.count(name, 1, labels)
  }

  /**
   * A cached result stands until it is invalidated. Any other stands until the next command: the state at an index
   * never changes, and a query has one result for a state and arguments.
   */
  readonly #standingOf = (result: KeptResult, index: ModifyIndex): Standing => {
    if (result.isWatched) return this.#standing(index, liveness(result.live))
    const at = result.touched.at
    return this.#standing(index, () => this.#parts.store.index === at)
  }

  #standing(index: ModifyIndex, stands: () => boolean): Standing {
    return { now: () => (stands() ? this.#parts.freshness.meta(index) : undefined) }
  }
}

function liveness(live: LiveResult): () => boolean {
  return () => live.result?.isCurrent() === true
}
