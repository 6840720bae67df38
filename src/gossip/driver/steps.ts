import type { Env } from '../../env/env.ts'
import type { GossipCore } from '../core/state.ts'
import { step } from '../core/step.ts'
import type { GossipEffect, GossipEvent } from '../core/types.ts'
import type { PoolObserver } from '../pool.ts'
import type { StepDraws } from './step-draws.ts'

export interface StepsParts {
  readonly env: Pick<Env, 'clock'>
  readonly core: GossipCore
  readonly draws: StepDraws
  readonly observer: PoolObserver | undefined
  readonly carryOut: (effect: GossipEffect) => void
}

/**
 * Gives the core one event at a time, and has its effects performed in order. What a watcher asks for meanwhile waits
 * until all effects of the step are performed. Nothing happens after `stop`.
 */
export class Steps {
  readonly #core: GossipCore
  readonly #clock: Env['clock']
  readonly #draws: StepDraws
  readonly #observer: PoolObserver | undefined
  readonly #carryOut: (effect: GossipEffect) => void
  readonly #waiting: GossipEvent[] = []
  #stepping = false
  #stopped = false

  constructor({ env, core, draws, observer, carryOut }: StepsParts) {
    this.#core = core
    this.#clock = env.clock
    this.#draws = draws
    this.#observer = observer
    this.#carryOut = carryOut
  }

  get areOver(): boolean {
    return this.#stopped
  }

  /** `look` sees each effect of this event before it is performed, unless the event must wait. */
  take(event: GossipEvent, look?: (effect: GossipEffect) => void): void {
    if (this.#stopped) return
    if (this.#stepping) {
      this.#waiting.push(event)
      return
    }
    this.#stepping = true
    this.#step(event, look)
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#step(next)
    this.#stepping = false
  }

  stop(): void {
    this.#stopped = true
  }

  #step(event: GossipEvent, look?: (effect: GossipEffect) => void): void {
    if (this.#stopped) return
    const effects = step(this.#core, event, this.#clock.monoMs(), this.#draws.begin(event))
    this.#observer?.stepped(this.#core, event, effects)
    for (const effect of effects) {
      if (this.#stopped) return
      look?.(effect)
      this.#carryOut(effect)
    }
  }
}
