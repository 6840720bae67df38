import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { GoneMembers } from './gone-members.ts'

/** A wrong rate happens by chance with a probability of e^-24. */
const surprise = 24

/**
 * M5. How often failed members are tried, by all observers of a pool together. With f failed and l living members, each
 * living one tries one of them in each interval with the chance min(1, f/l), so that each failed one is tried about
 * once in an interval, however large the pool. The number of tries is a sum of independent draws with mean m and
 * variance v. It is off by t or more with a chance below 2 exp(-t²/(2(v + t/3))) (Bernstein), which is e^-24 for the t
 * of `offBy`. An observer without failed members has no intervals.
 */
export class ReconnectPace {
  readonly #law: GoneMembers
  #tries = 0
  #mean = 0
  #variance = 0

  constructor(law: GoneMembers) {
    this.#law = law
  }

  /** Called after each step. */
  stepped({ failed, left, members }: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    if (event.kind !== 'timer-fired' || event.timer !== 'reconnect') return
    if (failed.length === 0) return this.#law.idled(effects.some(setsOut))
    const living = Math.max(1, members.size - failed.length - left.length)
    const chance = Math.min(1, failed.length / living)
    this.#mean += chance
    this.#variance += chance * (1 - chance)
    if (effects.some((effect) => effect.kind === 'exchange' && effect.purpose === 'reconnect')) this.#tries++
    const off = Math.abs(this.#tries - this.#mean)
    this.#law.paced(off <= offBy(this.#variance) ? undefined : { tries: this.#tries, mean: this.#mean })
  }
}

function setsOut(effect: GossipEffect): boolean {
  return effect.kind === 'set-timer' && effect.timer === 'reconnect'
}

function offBy(variance: number): number {
  const third = surprise / 3
  return third + Math.sqrt(third * third + 2 * surprise * variance)
}
