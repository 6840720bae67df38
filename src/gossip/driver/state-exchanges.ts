import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint } from '../../env/net.ts'
import { fullState } from '../core/answers.ts'
import { mergeItems } from '../core/merge.ts'
import type { FullState } from '../core/messages.ts'
import type { GossipCore } from '../core/state.ts'
import type { GossipEffect, GossipEvent } from '../core/types.ts'
import type { JoinFailure } from '../pool.ts'
import type { Sliced } from '../wire/sliced.ts'
import type { Steps } from './steps.ts'
import type { Streams } from './streams.ts'

/**
 * The work that one item of a state counts for. A member that is new takes up to 35 µs, and up to 150 µs including the
 * work of watchers; the other items take some.
 */
const nodeWork = 1 << 10
const otherWork = 64

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>

export interface StateExchangesParts {
  readonly env: Pick<Env, 'clock' | 'log' | 'metrics'>
  readonly core: GossipCore
  readonly steps: Steps
  /** Number of items of a state that are merged in one step. */
  readonly itemsAtOnce: number
}

/**
 * Exchanges of full states with other members over streams: joins, and the regular ones. States are merged in parts.
 */
export class StateExchanges {
  readonly #parts: StateExchangesParts

  constructor(parts: StateExchangesParts) {
    this.#parts = parts
  }

  /** The answer to another member's request: our state, or why its state was refused. */
  *answer(from: Endpoint, state: FullState): Sliced<Result<FullState, string>> {
    const refusal = yield* this.#merge({ kind: 'state-received', how: 'request', from, state })
    return refusal === undefined ? ok(fullState(this.#parts.core, false)) : err(refusal)
  }

  join(streams: Streams, at: Endpoint): Promise<Result<undefined, JoinFailure>> {
    return streams.exchange(
      at,
      () => fullState(this.#parts.core, true),
      (state) => this.#merge({ kind: 'state-received', how: 'join-answer', from: at, state }),
    )
  }

  /** Exchanges states because the core asks for it. A failure is logged; the core will try others by itself. */
  async exchange(streams: Streams, effect: Extract<GossipEffect, { kind: 'exchange' }>): Promise<void> {
    const { env, core, steps } = this.#parts
    const startedMs = env.clock.monoMs()
    const { node, purpose, with: from } = effect
    const answer = await streams.exchange(
      from,
      () => fullState(core, effect.join),
      (state) => this.#merge({ kind: 'state-received', how: 'answer', from, state }),
    )
    if (steps.areOver) return
    if (!answer.ok) {
      const level = purpose === 'reconnect' ? 'debug' : 'info'
      const fields = { node, purpose, reason: answer.error.message }
      env.log.write(level, 'memberlist', 'a state exchange failed', fields, 'sampled')
      return
    }
    env.metrics.sample('memberlist.pushPullNode', env.clock.monoMs() - startedMs)
  }

  /**
   * Why the state was not merged; undefined if it was. Streams bring states in turns of their own, never within a step.
   */
  *#merge(event: Omit<StateReceived, 'part'>): Sliced<string | undefined> {
    const { steps, itemsAtOnce } = this.#parts
    const items = mergeItems(event.state)
    let refusal: string | undefined
    for (let start = 0; start === 0 || start < items; start += itemsAtOnce) {
      if (steps.areOver) return 'the pool has stopped'
      const end = Math.min(items, start + itemsAtOnce)
      steps.take(items <= itemsAtOnce ? event : { ...event, part: { start, end } }, (effect) => {
        if (effect.kind === 'state-refused') refusal = effect.reason
      })
      const nodes = Math.max(0, Math.min(end, event.state.nodes.length) - start)
      yield nodes * nodeWork + (end - start - nodes) * otherWork
      if (refusal !== undefined) return refusal
    }
    return undefined
  }
}
