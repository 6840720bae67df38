import type { Random, RandomStream } from '../../env/random.ts'
import type { GossipRandom } from '../core/options.ts'
import type { GossipEvent } from '../core/types.ts'

/**
 * The random numbers of one step of the core. What happens because of one event draws from numbers of that event, so
 * that an additional or a missing event changes none of the others' draws. Most steps draw nothing, so their numbers
 * are made with the first draw.
 */
export class StepDraws implements GossipRandom {
  readonly #random: Random
  /** Distinguishes the pools of one process. */
  readonly #port: number
  #event: GossipEvent | undefined
  #drawn: RandomStream | undefined

  constructor(random: Random, port: number) {
    this.#random = random
    this.#port = port
  }

  begin(event: GossipEvent): this {
    this.#event = event
    this.#drawn = undefined
    return this
  }

  below(bound: number): number {
    return this.#numbers.below(bound)
  }

  fraction(): number {
    return this.#numbers.fraction()
  }

  get #numbers(): RandomStream {
    this.#drawn ??= this.#random.draws('gossip', this.#port, ...aboutOf(this.#event))
    return this.#drawn
  }
}

function aboutOf(event: GossipEvent | undefined): readonly string[] {
  if (event === undefined) return []
  if (event.kind === 'timer-fired') return [event.kind, event.timer]
  if (event.kind === 'packet-received' || event.kind === 'state-received') return [event.kind, event.from.host]
  return [event.kind]
}
