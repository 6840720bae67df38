import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { PoolLaws } from './pool-laws.ts'

/** An accusation counts as made for a sleep up to so many probe intervals after it. */
const accusesWithin = 10

const never = Number.NEGATIVE_INFINITY

/** One member as M6 looks at it: its doubt of itself, and what it does after it has slept. */
export class Sleeper {
  readonly #all: PoolLaws
  readonly #node: string
  /** The score that was told last. */
  #score = -1
  /** The waking that was looked at last, for what was due before, and for what it did since. */
  #wokeUs = never
  #judgedWakeUs = never

  constructor(all: PoolLaws, node: string) {
    this.#all = all
    this.#node = node
  }

  scored(score: number): void {
    if (score === this.#score) return
    this.#score = score
    this.#all.health.scored(this.#node, score)
  }

  /** Every now and then while it is awake. `gone`: how many members it holds failed or left. */
  look({ options }: ObservedCore, nowUs: number, gone: () => number): void {
    const { weather, health, isNetworkGood } = this.#all
    const wokeUs = weather.awakeSinceUs(this.#node)
    if (wokeUs === never) return
    if (wokeUs !== this.#wokeUs) {
      this.#wokeUs = wokeUs
      this.#all.gone.woke(gone())
    }
    const intervalUs = options.timing.probeIntervalMs * 1000
    if (wokeUs === this.#judgedWakeUs || nowUs - wokeUs <= accusesWithin * intervalUs) return
    this.#judgedWakeUs = wokeUs
    const sleep = weather.onlySleep(this.#node, 2 * intervalUs)
    if (isNetworkGood && sleep !== undefined && wokeUs - sleep.beganUs >= 2 * intervalUs) health.woke()
  }

  /** Its own probe of a member has failed. */
  accused({ options, health }: ObservedCore, name: string, nowUs: number): void {
    const { weather, isNetworkGood, health: law } = this.#all
    const intervalUs = options.timing.probeIntervalMs * 1000
    const wokeUs = weather.isAsleep(this.#node) ? nowUs : weather.awakeSinceUs(this.#node)
    if (weather.downSinceUs(name) !== undefined || nowUs - wokeUs > accusesWithin * intervalUs) return
    // What a probe may have met that was under way when the trouble before ended: a whole one at this health, and one
    // more.
    const sleep = weather.onlySleep(this.#node, 2 * intervalUs * (health + 1))
    if (!isNetworkGood) law.let('lossy network')
    else if (sleep === undefined) law.let('pool disturbed')
    // A shorter sleep may end before the timer of the probe under way is late by an interval: that is a slow agent.
    else if (wokeUs - sleep.beganUs < intervalUs * (health + 2)) law.let('short sleep')
    else law.accused(this.#node, name, (nowUs - wokeUs) / 1000)
  }
}
